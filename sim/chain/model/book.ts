/**
 * The figures of a vault's book. They are whole numbers of 64 bits: what would leave that range is refused before any
 * money moves. Source: protocol 03 D.6 (6027), D.7.
 */
import type { Result } from "../../../core/index.ts";
import { err, ok } from "../../../core/index.ts";
import type { LiquidityVault } from "../../../core/testing.ts";
import type { Refusal } from "./call.ts";
import { refuse, U64_MAX } from "./call.ts";

type Figure = "total" | "reserved" | "available" | "settled" | "pending_settlement";

/** The book after these additions and deductions. Fails: 6027. */
export function booked(
  vault: LiquidityVault,
  changes: Readonly<Partial<Record<Figure, bigint>>>,
): Result<LiquidityVault, Refusal> {
  const figures = Object.entries(changes).map(
    ([figure, change]) => [figure, vault[figure as Figure] + change] as const,
  );
  const fits = figures.every(([, figure]) => figure >= 0n && figure <= U64_MAX);
  return fits ? ok({ ...vault, ...Object.fromEntries(figures) }) : err(refuse("Overflow"));
}
