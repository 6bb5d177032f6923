/**
 * The slashing verdict: which arbitrators of a decided case revealed another outcome than the chain's. A
 * library: a node submits none; the slashing authority does. Source: OFS-2400; OFS-4100 §4; protocol 05 Part 5.
 */

/** What an arbitrator did who revealed against the outcome. Source: protocol 05 Part 5. */
export const MISCONDUCT_DISSENT = 1;
/** Basis points of active stake that are recommended to be slashed. Source: protocol 05 Part 5. */
export const SLASH_BPS_RECOMMENDED = 500n;

/** A decided case, as it was read from the chain. */
export interface DecidedCase {
  readonly reservationId: bigint;
  readonly round: number;
  readonly outcome: number | null;
  readonly seats: readonly Seat[];
}

export interface Seat {
  readonly arbitrator: string;
  readonly revealedOutcome: number | null;
  readonly weight: bigint;
}

/** Why an arbitrator loses stake: the vote that was revealed, and what it weighed. */
export interface Slash {
  readonly arbitrator: string;
  readonly revealedOutcome: number;
  readonly weight: bigint;
  readonly misconductCode: number;
}

/** Who is to be slashed, in order of seat; no schedule at all while the chain decided nothing. */
export function slashingVerdict({ outcome, seats }: DecidedCase): readonly Slash[] | undefined {
  if (outcome === null) return undefined;
  return seats.flatMap(({ arbitrator, revealedOutcome, weight }) =>
    revealedOutcome === null || revealedOutcome === outcome
      ? []
      : [{ arbitrator, revealedOutcome, weight, misconductCode: MISCONDUCT_DISSENT }],
  );
}

/** Under which a submitted verdict is remembered for ever: a second mark means "do not submit". */
export function verdictKey({ reservationId, round }: DecidedCase): string {
  return `${reservationId}/${round}`;
}

/** What the chain takes of an active stake. Source: protocol 05 Part 5. */
export function slashedAmount(stake: bigint, bps: bigint): bigint {
  return (stake * bps) / 10_000n;
}
