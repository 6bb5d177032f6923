/**
 * A trade and a case about it on three nodes, and a crowd of strangers that wants the room of those who take part: what
 * the laws of crowds find in it.
 */
import { caseOf, dispute, offer, trade } from "../../scenarios/parts/disputed-trade.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { ask } from "../../sim/actions/ask.ts";
import { commit, join, openDispute } from "../../sim/actions/dispute.ts";
import { propose, voteOn } from "../../sim/actions/governance.ts";
import { advertise, initiate, pay, publishFunded, reserve } from "../../sim/actions/trade.ts";
import { openBackends } from "../../sim/backends.ts";
import type { AttackData } from "../../sim/byzantine/attacks.ts";
import type { Violation } from "../../sim/checker.ts";
import { boundedWork } from "../../sim/checkers/bounded-work.ts";
import { fetchedOnce } from "../../sim/checkers/fetched-once.ts";
import { statementsArrive } from "../../sim/checkers/statements-arrive.ts";
import { attacker } from "../../sim/fault-plans.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";

/** An attack, when it begins and how often it acts, and how long the world goes on after it, in seconds. */
export interface Crowd {
  readonly attack: AttackData;
  readonly times: number;
  readonly from?: number;
  /** How long it acts, in seconds. */
  readonly lasts?: number;
  /** Whether nobody trades on the offer: over RPC a taker who names a contested id has to name one of them. */
  readonly untaken?: boolean;
  readonly after?: number;
  /** Whether people look at everything while the offer comes. */
  readonly read?: boolean;
}

export const ids = {
  ...{
    offer: offer.id,
    units: offer.minTrade,
    priceCents: offer.priceCents,
    reservation: trade.reservation.toString(),
    dispute: caseOf(trade).id,
  },
  proposal: "ofip-0001",
};
const jurors = ["ada", "bob", "cyd"].map((name) => ({ name, vote: "BuyerWins" as const }));

/** A proposal and a vote on it; the trade and its case, up to the commitments. */
const taken: readonly Action[] = [
  propose("paul", ids.proposal, "Lower the fee", { via: 0, at: seconds(1) }),
  voteOn("ada", ids.proposal, "Approve", { via: 1, at: seconds(20) }),
  reserve(trade, { via: 1, at: seconds(9) }),
  initiate(trade, { via: 1, at: seconds(9) }),
  publishFunded(trade, { via: 0, at: seconds(9) }),
  pay(trade, { via: 1, at: seconds(18) }),
  openDispute(dispute, { via: 1, at: seconds(18) }),
  ...jurors.map((juror) => join(dispute, juror, { via: 2, at: seconds(28) })),
  ...jurors.map((juror) => commit(dispute, juror, { via: 2, at: seconds(29) })),
];

/** What waits for the offer is being attached then. */
const reads = Array.from({ length: 8 }, (_, n) => ask(`rita ${n}`, "getReservations", { via: 0, at: seconds(8) + n }));

/** Plays it, and says what the laws found. */
export async function playCrowd({
  attack,
  times,
  from = 1,
  lasts = 7,
  untaken = false,
  after = 0,
  read = false,
}: Crowd): Promise<readonly Violation[]> {
  const scenario = defineScenario({
    ...{ name: "crowded", description: "A trade among a crowd of strangers.", source: "CONVERGENCE B2", nodes: 3 },
    actions: [advertise(offer, { via: 0, at: seconds(8) }), ...(untaken ? [] : taken), ...(read ? reads : [])],
    faults: [attacker("eve", attack, { from: seconds(from), until: seconds(from + lasts), times })],
    lasts: seconds(35 + after),
    safety: [boundedWork, fetchedOnce],
    liveness: { within: minutes(2), checks: [statementsArrive] },
  });
  return (await runScenario(scenario, { seed: 1n }, openBackends())).report.violations;
}
