/**
 * The cost law: what taking one statement costs where others, and its own signer, said much before, at N and at 4N.
 * Source: DESIGN "Budgets"; CONVERGENCE B5: at most 5 ms, and growing no faster than log N.
 */
import { marketplace } from "../../core/domains.ts";
import { ATTACHED_AT_ONCE, Attaching } from "../../core/engine/statements/attaching.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import { crypto } from "../convergence/actors.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received } from "../convergence/replica.ts";
import type { CostRow } from "./cost-row.ts";
import { costRows } from "./cost-rows.ts";
import type { Bench, Figure } from "./measure.ts";
import { median, rounded, timed } from "./measure.ts";

const N = 1_000;
const SAMPLES = 41;
/** Below this, in milliseconds, what is measured is the clock and not the statement. */
const FLOOR_MS = 0.2;
/** From N to 4N the logarithm of a thousand grows by the exponent 0.13; the rest is what clocks are worth. */
const EXPONENT = 0.3;

/** A node that holds a row's ground and so much of its crowd. */
export function crowded({ ground, crowd }: CostRow, many: number): Replica {
  const replica = openReplica(true, ATTACHED_AT_ONCE);
  replica.receive(received(...ground));
  replica.receive(received(...Array.from({ length: many }, (_, n) => crowd(n)).flat()));
  while (replica.store().size(Attaching) > 0) replica.attach(ATTACHED_AT_ONCE);
  return replica;
}

/** Rows that one more statement writes, by a count and no clock. */
export function rowsWritten(replica: Replica, { one }: CostRow, n = 0): number {
  const draft = draftOf(replica.store());
  const fold = foldInto(draft, marketplace.units(crypto), true, ATTACHED_AT_ONCE);
  fold.admit(one(n));
  fold.run();
  return draft.changes().length;
}

function cost(replica: Replica, { one }: CostRow): number {
  const statements = Array.from({ length: SAMPLES }, (_, n) => one(n));
  return median(statements.map((statement) => timed(() => replica.receive(received(statement)))));
}

/** How fast a cost grows: the power of N. */
export function exponentOf(few: number, many: number): number {
  return Math.log((many + FLOOR_MS) / (few + FLOOR_MS)) / Math.log(4);
}

function figuresOf(row: CostRow): readonly Figure[] {
  const [few, many] = [N, 4 * N].map((size) => cost(crowded(row, size), row)) as [number, number];
  const name = `${row.type} among ${4 * N} ${row.among}`;
  return [
    { name, value: rounded(many), unit: "ms", bar: { most: 5 } },
    { name: `${name}: growth`, value: rounded(exponentOf(few, many)), unit: "exponent", bar: { most: EXPONENT } },
  ];
}

export const costBench: Bench = {
  name: "cost",
  long: true,
  run: async () => costRows.flatMap(figuresOf),
};
