/**
 * The cost law: what taking one statement costs where others, and its own signer, said much before, at N and at 4N:
 * the whole step that a push of it is, admission and reactions with it.
 * Source: DESIGN "Budgets"; CONVERGENCE B5: at most 5 ms, and growing no faster than log N.
 */
import { ATTACHED_AT_ONCE, Attaching } from "../../core/engine/statements/attaching.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received } from "../convergence/replica.ts";
import type { CostRow } from "./cost-row.ts";
import { costRows } from "./cost-rows.ts";
import type { Bench, Figure } from "./measure.ts";
import { median, rounded, timed } from "./measure.ts";
import { taking } from "./taking.ts";

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

/** Rows that taking one more statement writes, by a count and no clock. */
export function rowsWritten(replica: Replica, { one }: CostRow, n = 0): number {
  return taking(replica)(one(n))();
}

function cost(replica: Replica, { one }: CostRow): number {
  const push = taking(replica);
  const pushes = Array.from({ length: SAMPLES }, (_, n) => push(one(n)));
  return median(pushes.map((take) => timed(() => void take())));
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
  long: true,
  run: async () => costRows.flatMap(figuresOf),
};
