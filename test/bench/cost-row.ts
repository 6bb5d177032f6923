/**
 * One row of the cost law. Source: CONVERGENCE B5.
 */
import type { Statement } from "../../core/kernel/signed.ts";

/** One statement among many. */
export interface CostRow {
  readonly type: string;
  readonly among: string;
  /** What there is first, whatever the crowd. */
  readonly ground: readonly Statement[];
  /** The nth of those that crowd it. */
  readonly crowd: (n: number) => readonly Statement[];
  /** The nth of those that are measured: all alike, none about what another changed. */
  readonly one: (n: number) => Statement;
}
