/**
 * Who shares a trade with whom, read off what people send: everyone named in statements about one reservation, its
 * settlements and their disputes, whatever ids they meet under. Source: protocol 02 C, D; 03 A.4.
 */
import type { SignedType } from "../../core/index.ts";
import { decodeJson, parseJson, tagged, toBase58, transcript } from "../../core/index.ts";
import { sha256 } from "../runtime.ts";
import type { Wallet } from "../wallet.ts";

/** Kinds of records that belong to one trade. */
const OF_TRADES: readonly unknown[] = ["reservation", "settlement", "dispute"];

/** One statement on its way to a node. */
export interface SentStatement {
  readonly type: SignedType;
  /** Its payload as it was sent: JSON text, and read. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Who signed it, and whom else it names. */
  readonly people: readonly Wallet[];
}

export interface TradeCircles {
  remember(statement: SentStatement): void;
  /** Whether two people share a trade. */
  together(one: Wallet, other: Wallet): boolean;
}

interface Circle {
  readonly people: Set<Wallet>;
  /** The circle that took this one in. */
  into: Circle | undefined;
}

/** What is known of who trades with whom. */
export interface HeldCircles {
  readonly circles: Map<string, Circle>;
  /** Who answers for an advertisement: its merchant is party to every trade on it. */
  readonly merchants: Map<string, Set<Wallet>>;
}

export function noCircles(): HeldCircles {
  return { circles: new Map(), merchants: new Map() };
}

export function createTradeCircles({ circles, merchants }: HeldCircles): TradeCircles {
  const circleAt = (key: string): Circle => {
    const known = circles.get(key);
    if (known !== undefined) return rootOf(known);
    const made: Circle = { people: new Set(), into: undefined };
    circles.set(key, made);
    return made;
  };

  return {
    remember(statement) {
      const { type, people } = statement;
      const names = namesIn(statement);
      if (type.creates === "advertisement") {
        for (const name of names) for (const person of people) added(merchants, name).add(person);
      }
      const about = type.about(statement.payload as never);
      if (!OF_TRADES.includes(type.creates) && !OF_TRADES.includes(about?.kind)) return;
      const keys = OF_TRADES.includes(about?.kind) ? names : names.filter((name) => name !== about?.name);
      const [first, ...others] = keys.map(circleAt);
      if (first === undefined) return;
      const joined = others.reduce(merged, first);
      for (const person of people) joined.people.add(person);
      if (about?.kind !== "advertisement") return;
      for (const merchant of merchants.get(about.name) ?? []) joined.people.add(merchant);
    },
    together(one, other) {
      return [...circles.values()].some(({ people, into }) => !into && people.has(one) && people.has(other));
    },
  };
}

/** Every name under which others may know the record, and the one it speaks about. */
function namesIn({ type, payload, text }: SentStatement): readonly string[] {
  const parsed = parseJson(text);
  const decoded = parsed.ok ? decodeJson(type.payload, parsed.value) : undefined;
  const names = [type.idOf(payload as never), type.about(payload as never)?.name];
  if (decoded?.ok) {
    const preimage = tagged(type, transcript(type, decoded.value.value as never));
    names.push(toBase58(sha256(preimage)));
  }
  return names.filter((name) => typeof name === "string");
}

function merged(one: Circle, other: Circle): Circle {
  if (one === other) return one;
  for (const person of other.people) one.people.add(person);
  other.into = one;
  return one;
}

function rootOf(circle: Circle): Circle {
  let root = circle;
  while (root.into !== undefined) root = root.into;
  return root;
}

function added<K, V>(map: Map<K, Set<V>>, key: K): Set<V> {
  const set = map.get(key) ?? new Set<V>();
  map.set(key, set);
  return set;
}
