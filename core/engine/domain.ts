/**
 * What a domain is to the engine: one value with everything that it brings. A network is a list of such values
 * (domains.ts); whatever enumerates types, tables, folds, methods or handlers is a fold over that list.
 */

import type { Input, TimerName } from "../inputs.ts";
import { known } from "../kernel/assert.ts";
import type { Draft } from "../kernel/draft.ts";
import type { Derives } from "../kernel/packed-state.ts";
import type { RecordKind, SignedType, Statement } from "../kernel/signed.ts";
import type { Reader, Table } from "../kernel/table.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import type { MethodRow } from "./method.ts";
import type { Override, Overrides } from "./overrides.ts";
import { overridesOf, ruleOf } from "./overrides.ts";
import type { FoldUnit, Mark } from "./statements/fold.ts";
import type {
  AnswerHandler,
  EventRow,
  Handler,
  Reaction,
  Registry,
  RequestHandler,
  StepContext,
  TypeRow,
} from "./step-context.ts";

type Hash = CryptoPort["sha256"];
type Methods = Readonly<Record<string, MethodRow>>;

/** Handlers of inputs, by what happened. */
export type InputHandlers = {
  readonly [T in Input["type"]]?: (context: StepContext, input: Extract<Input, { readonly type: T }>) => void;
};

/** One part of a network as a value: its statements with their limits, tables, folds, methods and handlers. */
export interface Domain<M = Methods> {
  readonly name: string;
  /** Signed payload types with their limits. */
  readonly types?: readonly TypeRow[];
  /** Tables of the folded set, which law L2 speaks about, and the node's own beside them. */
  readonly records?: readonly unknown[];
  readonly tables?: readonly unknown[];
  readonly folds?: (hash: Hash) => readonly FoldUnit[];
  readonly methods?: M;
  /** In order, once the store is loaded. */
  readonly onStart?: readonly Handler[];
  /**
   * What a change makes this domain do: it looks at what the step changed (`context.draft` over `context.base`) and
   * orders effects or writes rows of its own; never another's. Those of `afterChange` see what all others did. One that
   * says which tables it looks at (`onChangeOf`) is asked only where the step wrote into one of them.
   */
  readonly onChange?: readonly (Handler | Reaction)[];
  readonly afterChange?: readonly (Handler | Reaction)[];
  readonly timers?: Readonly<Partial<Record<TimerName, Handler>>>;
  readonly onInput?: InputHandlers;
  /** Requests of peers by the number of the specification, and answers by what was asked. */
  readonly onRequest?: Readonly<Record<number, RequestHandler>>;
  readonly onAnswer?: Readonly<Record<string, AnswerHandler>>;
  readonly onEvent?: Readonly<Record<number, EventRow>>;
  readonly onChain?: Registry["observers"][number];
  /** Takes a row of the store that it must fold again. */
  readonly onLoaded?: (draft: Draft, table: string, key: string, record: unknown, mark: Mark) => void;
  /** Notes of rows that changed since a checkpoint what a start notes of all: `draft` has what they changed. */
  readonly afterCatchUp?: readonly Handler[];
  /** Records of its tables that a checkpoint does not hold, by table: how one is computed when it is asked for. */
  readonly derives?: Readonly<Record<string, (reader: Reader, key: string) => unknown>>;
  /** Rules of its folds that hold from a date on, where the profile takes them up; `isAmended` asks for one. */
  readonly amendments?: readonly string[];
  /** Seals what is terminal and too old to change. */
  readonly seal?: Handler;
  /** Puts a statement that this node took over RPC on the wire. */
  readonly originate?: Registry["originators"][number];
}

/** What a network does otherwise where its profile asks for the reference's rules. */
export interface OtherRules {
  readonly overrides: readonly Override[];
  /** Tables that only those rules write. */
  readonly tables: readonly unknown[];
}

/** What a network runs: its domains, folded. */
export interface Network extends Registry {
  readonly domains: readonly Domain[];
  /** Rules that a profile may take up at a date. */
  readonly amendments: readonly string[];
  /** Every table of a node, and those of the folded set among them. */
  readonly tables: readonly Table<unknown>[];
  readonly records: readonly Table<unknown>[];
  readonly tablesByName: ReadonlyMap<string, Table<unknown>>;
  readonly methods: Methods;
  readonly overrides: Overrides;
  readonly starts: readonly Handler[];
  readonly reactions: readonly Reaction[];
  readonly timers: ReadonlyMap<TimerName, Handler>;
  readonly inputs: ReadonlyMap<Input["type"], readonly ((context: StepContext, input: never) => void)[]>;
  readonly derives: Derives;
  readonly loaders: readonly NonNullable<Domain["onLoaded"]>[];
  readonly catchUps: readonly Handler[];
}

/** A network whose rules no profile changes. */
const ONE_RULE: OtherRules = { overrides: [], tables: [] };

/** Declares a domain. */
export function defineDomain<const M extends Methods = Record<never, never>>(domain: Domain<M>): Domain<M> {
  return domain;
}

/**
 * What a payload must keep by a rule of the network, at every ingress alike, or nodes of one network would hold
 * different sets. Source: DESIGN §7 #12, L6.
 */
export function strictly<P>(...rules: readonly ((payload: P) => boolean)[]): NonNullable<TypeRow["validate"]> {
  return ({ configuration }, payload) =>
    rules.every((keeps) => ruleOf(configuration, keeps)(payload as P)) ? undefined : "INVALID_PARAMETER";
}

/** A type that the bounds of all domains are enough for, unless `row` says more. */
export function typeRow(type: unknown, limits: TypeRow["limits"], row: Omit<TypeRow, "type" | "limits"> = {}): TypeRow {
  return { ...row, type: type as SignedType, limits };
}

/** Folds a list of domains into a network. */
export function networkOf(domains: readonly Domain<unknown>[], other: OtherRules = ONE_RULE): Network {
  const list = domains as readonly Domain[];
  const rows = list.flatMap(({ types }) => types ?? []);
  const types = rows.map(({ type }) => type);
  const records = list.flatMap((domain) => domain.records ?? []) as readonly Table<unknown>[];
  const own = [...list.flatMap((domain) => domain.tables ?? []), ...other.tables] as readonly Table<unknown>[];
  const tables = [...records, ...own];
  return {
    domains: list,
    amendments: list.flatMap(({ amendments }) => amendments ?? []),
    types,
    typesByName: byKey(types.map((type) => [type.name, type])),
    typesByEvent: byKey(types.flatMap((type) => type.events.map((event) => [event, type] as const))),
    rows: byKey(rows.map((row) => [row.type.name, row])),
    creators: creatorsOf(rows),
    units: (crypto) => list.flatMap(({ folds }) => folds?.((bytes) => crypto.sha256(bytes)) ?? []),
    records,
    tables,
    tablesByName: byKey(tables.map((table) => [table.name, table])),
    methods: Object.fromEntries(list.flatMap(({ methods }) => Object.entries(methods ?? {}))),
    overrides: overridesOf(other.overrides),
    starts: list.flatMap(({ onStart }) => onStart ?? []),
    reactions: [
      ...list.flatMap(({ onChange }) => onChange ?? []),
      ...list.flatMap(({ afterChange }) => afterChange ?? []),
    ].map((given) => (typeof given === "function" ? { to: "anything", act: given } : given)),
    timers: byKey(list.flatMap(({ timers }) => Object.entries(timers ?? {}) as [TimerName, Handler][])),
    inputs: inputsOf(list),
    requests: byKey(list.flatMap(({ onRequest }) => numbered(onRequest))),
    answers: byKey(list.flatMap(({ onAnswer }) => Object.entries(onAnswer ?? {}))),
    events: byKey(list.flatMap(({ onEvent }) => numbered(onEvent))),
    observers: list.flatMap(({ onChain }) => onChain ?? []),
    derives: byKey(list.flatMap(({ derives }) => Object.entries(derives ?? {}))),
    loaders: list.flatMap(({ onLoaded }) => onLoaded ?? []),
    catchUps: list.flatMap(({ afterCatchUp }) => afterCatchUp ?? []),
    seals: list.flatMap(({ seal }) => seal ?? []),
    originators: list.flatMap(({ originate }) => originate ?? []),
  };
}

/** The row of a type that this network has. */
export function rowOf(registry: Pick<Registry, "rows">, { type }: Pick<Statement, "type">): TypeRow {
  return known(registry.rows.get(type.name), "a type of this network");
}

function creatorsOf(rows: readonly TypeRow[]): ReadonlyMap<RecordKind, readonly TypeRow[]> {
  const kinds = new Set(rows.flatMap(({ type }) => type.creates ?? []));
  return byKey([...kinds].map((kind) => [kind, rows.filter(({ type }) => type.creates === kind)]));
}

function inputsOf(domains: readonly Domain[]): Network["inputs"] {
  const handlers = domains.flatMap(({ onInput }) => Object.entries(onInput ?? {}));
  const names = new Set(handlers.map(([name]) => name as Input["type"]));
  return byKey([...names].map((name) => [name, handlers.flatMap(([each, handle]) => (each === name ? handle : []))]));
}

function numbered<V>(of: Readonly<Record<number, V>> | undefined): readonly (readonly [number, V])[] {
  return Object.entries(of ?? {}).map(([number, value]) => [Number(number), value]);
}

/** A map whose keys are told apart: two domains never claim one. */
function byKey<K, V>(entries: readonly (readonly [K, V])[]): ReadonlyMap<K, V> {
  const map = new Map(entries);
  return known(map.size === entries.length ? map : undefined, "names that no two domains share");
}
