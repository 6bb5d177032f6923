/**
 * A register keeps the greatest word of its signer: by rank where its type has one, then by date, then by identity. So
 * the greatest that a node has taken never gives way to another one that is less, in whatever order they come. It may
 * leave without one: some are forgotten by a rule of their own. Source: CONVERGENCE "Small folds"; protocol 01 §15 W9.
 */
import { Pending, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";

interface Word {
  /** Type, signer, and the text by which the type tells registers apart. */
  readonly register: string;
  readonly identity: string;
  readonly rank: bigint;
  readonly at: bigint;
}

interface Signed {
  readonly type: {
    readonly name: string;
    readonly register: ((payload: unknown) => string) | undefined;
    readonly rank: (payload: unknown) => bigint;
  };
  readonly identity: string;
  readonly signer: string;
  readonly timestamp: bigint;
  readonly payload: unknown;
}

interface Registers {
  /** By register, the greatest word that the set has taken. */
  readonly greatest: Map<string, Word>;
  /** What waits for its record, by identity: it enters its register when that comes. */
  readonly waiting: Map<string, Word>;
}

/** No register goes back to an older word. */
export function registersGoForward({ violate, keep }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Registers>());
  const of = (node: number): Registers => {
    const known = nodes.get(node) ?? { greatest: new Map(), waiting: new Map() };
    nodes.set(node, known);
    return known;
  };
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "registers-go-forward",
    onStep({ node, changes }) {
      const ours = changes.filter(({ table }) => table === Statements.name || table === Pending.name);
      if (ours.length === 0) return;
      const { greatest, waiting } = of(node);
      const entered = ours.flatMap(({ table, record }) => (table === Statements.name ? entriesOf(record) : []));
      const left = new Set(ours.flatMap(({ key, record }) => (record === undefined ? [key] : [])));
      for (const { identity } of entered) left.delete(identity);
      const rivals = [
        ...entered.flatMap(({ register }) => greatest.get(register) ?? []),
        ...[...left].flatMap((identity) => waiting.get(identity) ?? []),
      ];
      for (const rival of new Set(rivals.filter(({ identity }) => left.has(identity)))) {
        const own = entered.filter(({ register }) => register === rival.register);
        if (own.length > 0 && own.every((word) => isLess(word, rival)))
          violate(
            `node ${node} gives ${rival.identity} up for ${own[0]?.identity}, which is less, in ${rival.register}`,
          );
      }
      for (const word of entered) {
        const other = greatest.get(word.register);
        if (other === undefined || isLess(other, word)) greatest.set(word.register, word);
      }
      for (const { table, key, record } of ours) {
        if (table !== Pending.name) continue;
        waiting.delete(key);
        for (const word of entriesOf(record)) waiting.set(key, word);
      }
    },
    // What a disk has lost may be told again in any order.
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** A statement as a word of its register; nothing where it is none. */
function entriesOf(record: unknown): readonly Word[] {
  const signed = record as Signed | undefined;
  if (signed?.type.register === undefined) return [];
  const { type, identity, signer, timestamp: at, payload } = signed;
  const register = `${type.name}/${signer}/${type.register?.(payload)}`;
  return [{ register, identity, rank: type.rank(payload), at }];
}

function isLess(one: Word, other: Word): boolean {
  if (one.rank !== other.rank) return one.rank < other.rank;
  return one.at !== other.at ? one.at < other.at : one.identity < other.identity;
}
