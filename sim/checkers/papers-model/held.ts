/**
 * What a node holds of trades, as a list of plain statements and facts: the one thing that the model shares with the
 * core is the set itself. Source: CONVERGENCE "Three layers", "Records and ids", B1, B6.
 */
import type { Reader, Table } from "../../../core/index.ts";
import { fromHex, tables, toBase58 } from "../../../core/index.ts";

/** One signed statement: of which kind, by whom, when, and what it says. */
export interface Signed {
  readonly identity: string;
  /** `SettlementInitiate` and so on. */
  readonly type: string;
  readonly by: string;
  readonly at: bigint;
  readonly isVoid: boolean;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The identity as others name it, in base58, found when somebody looks for it. */
  name?: string;
}

/** A fact that this node read from the chain. */
export interface Fact {
  readonly kind: "decided" | "released";
  readonly reservation: bigint;
  readonly buyer: string;
  readonly seller: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly resolution: string | null;
  /** When the chain did it, where an event told; accounts do not. */
  readonly timestamp: bigint | null;
}

export interface Held {
  readonly signed: readonly Signed[];
  /** The same by their kinds. */
  readonly ofType: ReadonlyMap<string, readonly Signed[]>;
  readonly facts: readonly Fact[];
  /** Statements of one kind by what one of their members names, found once: by kind and by member. */
  readonly named: Map<string, Map<string, ReadonlyMap<unknown, readonly Signed[]>>>;
  /** What a merchant set for an offer, found once: by the offer and by what was set. */
  readonly set: Map<Signed, Map<string, readonly Signed[]>>;
}

const MINUTE_MS = 60_000n;
const DAY_MS = 1_440n * MINUTE_MS;
/** How long after a record what is signed about it counts. Source: CONVERGENCE B6. */
const LIVES: Readonly<Record<string, bigint>> = {
  SettlementInitiate: 30n * DAY_MS,
  DisputeOpen: 30n * DAY_MS,
  ReservationRequest: 30n * MINUTE_MS,
};
/** What begins a record of its own may be dated half an hour before what it names, all else ten minutes. */
const BEGINNING: readonly string[] = ["ReservationRequest", "SettlementInitiate", "DisputeOpen"];
/** How many statements of one signer and kind count about one record. Source: CONVERGENCE B1. */
const DEPTHS: Readonly<Record<string, number>> = {
  ...{ ArbitratorJoin: 1, SettlementApproved: 1, SettlementRejected: 1, SettlementCancelled: 1 },
  ...{ VoteCommit: 4, VoteReveal: 4, PaymentSubmitted: 4, PaymentReversed: 4, MutualSettlementAgree: 1 },
};

/** Statements as they were read once: a row is the same object for as long as it says the same. */
const signedAs = new WeakMap<object, Signed>();

/** Reads a node's memory. */
export function heldBy(view: Reader): Held {
  const signed = rowsOf(view, "statements").map(({ row }) => signedIn(row));
  const facts = rowsOf(view, "chain_facts").map(({ row }) => row as unknown as Fact);
  return heldOf(signed.sort(inOrder), facts);
}

/** When the chain did what a node knows of it: nodes with the same facts may differ in that. */
export function datesOf(view: Reader): string {
  return rowsOf(view, "chain_facts")
    .map(({ key, row }) => `${key} ${row.timestamp}`)
    .join();
}

/** Some of what is held, as if it were all. */
export function heldOnly({ signed, facts }: Held, isMeant: (one: Signed) => boolean): Held {
  return heldOf(signed.filter(isMeant), facts);
}

function heldOf(signed: readonly Signed[], facts: readonly Fact[]): Held {
  const ofType = new Map<string, Signed[]>();
  for (const one of signed) {
    const same = ofType.get(one.type);
    if (same === undefined) ofType.set(one.type, [one]);
    else same.push(one);
  }
  return { signed, ofType, facts, named: new Map(), set: new Map() };
}

function signedIn(row: Row["row"]): Signed {
  const known = signedAs.get(row);
  if (known !== undefined) return known;
  const { type, identity, signer, timestamp, idForm, payload } = row as unknown as {
    readonly type: { readonly name: string };
    readonly identity: string;
    readonly signer: string;
    readonly timestamp: bigint;
    readonly idForm: string;
    readonly payload: Signed["payload"];
  };
  const name = type.name.split("/").at(-2) ?? type.name;
  const signed = { identity, type: name, by: signer, at: timestamp, isVoid: idForm === "void", payload };
  signedAs.set(row, signed);
  return signed;
}

/** A row under its key. */
export interface Row {
  readonly key: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** The rows of a table by its name, in order of their keys. */
export function rowsOf(view: Reader, name: string): readonly Row[] {
  const found = tables.find((table) => table.name === name) as Table<Row["row"]> | undefined;
  if (found === undefined) throw new Error(`bug: no table is called ${name}`);
  return [...view.keys(found)]
    .sort((a, b) => (a < b ? -1 : 1))
    .flatMap((key) => {
      const row = view.get(found, key);
      return row === undefined ? [] : [{ key, row }];
    });
}

/** By date, then by identity. */
export function inOrder(a: Pick<Signed, "at" | "identity">, b: Pick<Signed, "at" | "identity">): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}

/** The statements of one kind that count about a record, in order, whoever signed them. `member` names it. */
export function about(held: Held, record: Signed, type: string, member: string): readonly Signed[] {
  if (record.isVoid) return [];
  record.name ??= toBase58(fromHex(record.identity) ?? new Uint8Array(0));
  const names = [record.payload.id, record.name];
  const life = LIVES[record.type];
  const before = BEGINNING.includes(type) ? 30n * MINUTE_MS : 10n * MINUTE_MS;
  const inLife = names
    .flatMap((name) => namedBy(held, type, member).get(name) ?? [])
    .filter(({ at }) => life === undefined || (at >= record.at - before && at <= record.at + life))
    .sort(inOrder);
  const depth = DEPTHS[type];
  if (depth === undefined) return inLife;
  return inLife.filter((one, place) => inLife.slice(place + 1).filter(({ by }) => by === one.by).length < depth);
}

function namedBy(held: Held, type: string, member: string): ReadonlyMap<unknown, readonly Signed[]> {
  const ofType = mapIn(held.named, type);
  const known = ofType.get(member);
  if (known !== undefined) return known;
  const named = new Map<unknown, Signed[]>();
  for (const one of held.ofType.get(type) ?? []) {
    const same = named.get(one.payload[member]);
    if (same === undefined) named.set(one.payload[member], [one]);
    else same.push(one);
  }
  ofType.set(member, named);
  return named;
}

/** The map under a key of another one, made where there is none. */
export function mapIn<K, V>(maps: Map<K, Map<string, V>>, key: K): Map<string, V> {
  const known = maps.get(key);
  if (known !== undefined) return known;
  const made = new Map<string, V>();
  maps.set(key, made);
  return made;
}
