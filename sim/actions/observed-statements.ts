/**
 * Statements that a peer of the network observed: gossip is open, so whoever runs a node holds every statement that
 * reached it, with every id, wallet and content identifier in them. Actors who probe or make things up start from
 * there.
 * Source: protocol 01 §5, §7.
 */
import type { SignedType } from "../../core/index.ts";
import { fromHex, toBase58 } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";
import type { World } from "../world.ts";

/** One statement, as far as its content goes. */
export interface ObservedStatement {
  readonly type: SignedType;
  readonly identity: string;
  readonly id: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Every text in the payload. */
  readonly texts: readonly string[];
}

const NO_BYTES = new Uint8Array(0);
/** Statements never change, so each is read once. */
const read = new WeakMap<object, ObservedStatement>();

/** The statements that a node holds, in order of identity. */
export function observedBy(world: World, node: number): readonly ObservedStatement[] {
  const view = world.nodes[node]?.driver()?.view;
  if (view === undefined) return [];
  return [...view.keys(Statements)]
    .sort((a, b) => (a < b ? -1 : 1))
    .flatMap((key) => {
      const statement = view.get(Statements, key);
      if (statement === undefined) return [];
      const known = read.get(statement);
      if (known !== undefined) return [known];
      const { type, identity } = statement;
      const payload = statement.payload as Readonly<Record<string, unknown>>;
      const observed = { type, identity, id: type.idOf(payload as never), payload, texts: [...textsIn(payload)] };
      read.set(statement, observed);
      return [observed];
    });
}

/** Everything that may serve as an id: texts of payloads, and the statements' own names in both spellings. */
export function idsIn(all: readonly ObservedStatement[]): readonly string[] {
  const ids = new Set<string>();
  for (const { texts, identity } of all) {
    for (const text of texts) ids.add(text);
    ids.add(identity).add(toBase58(fromHex(identity) ?? NO_BYTES));
  }
  return [...ids];
}

/** Every text in a value, names of members aside. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    for (const inner of Object.values(value)) yield* textsIn(inner);
  }
}
