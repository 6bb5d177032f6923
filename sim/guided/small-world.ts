/**
 * The small world of a seed: one node or two, one trade or a few records, few people, nobody who waits
 * for what does not come. An event of it costs as much as any other, and there are few: what is tried there, in which
 * order, is what is new. Source: DESIGN section 5 "Everything is data"; section 6 (`fuzz --guided`).
 */
import { fundEscrow, provideLiquidity, release } from "../actions/chain-trade.ts";
import { publications, publish } from "../actions/publish.ts";
import { advertise, approve, initiate, pay, reserve } from "../actions/trade.ts";
import { attacker } from "../fault-plans.ts";
import type { Scenario } from "../scenario.ts";
import { defineScenario, minutes, seconds } from "../scenario.ts";
import type { Dice } from "../swarm/dice.ts";
import { openDice } from "../swarm/dice.ts";
import type { Roster } from "../swarm/roster.ts";
import { isOnChain, rosterOf, STRANGERS, tradeOn } from "../swarm/roster.ts";
import { liveness, safety } from "../swarm/swarm-scenario.ts";
import { tradesOnOffers } from "../swarm/trades.ts";
import { COURIER, tradeAim } from "./acts.ts";

const NODES = [1, 1, 1, 2] as const;
/** What a world is about, by its seed: seeds that follow each other come to each kind. */
const KINDS = ["on chain", "trade", "statements"] as const;
/** Of so many nodes with an endpoint one waits for finality; of so many trades on chain one is just released. */
const PATIENT_EVERY = 4;
const RELEASED_EVERY = 2;
const LASTS_MS = seconds(30);
/** With a chain: as long as something takes to be final there, and a fork to show. */
const LASTS_ON_CHAIN_MS = minutes(2);
const OFFERED_AT = seconds(1);
const BEGUN_AT = seconds(2);
const ACTED_AT = seconds(3);

/** The small scenario of a seed; the same for ever. */
export function smallScenario(seed: bigint): Scenario {
  const dice = openDice(seed, "small world");
  const nodes = dice.pick(NODES);
  const kind = KINDS[Number(seed % BigInt(KINDS.length))];
  const hasChain = kind === "on chain";
  const lasts = hasChain ? LASTS_ON_CHAIN_MS : LASTS_MS;
  const roster = rosterOf(dice, { nodes, hasChain, lasts }, 0);
  return defineScenario({
    name: "small",
    description: "A small world that a seed draws.",
    source: "DESIGN section 5 (ours)",
    ...{ nodes, nodesMin: nodes, lasts, participants: roster.participants },
    chain: hasChain ? "model" : "none",
    confirmed: Array.from({ length: nodes }, (_, node) => node).filter(() => !dice.oneIn(PATIENT_EVERY)),
    ...(kind === "statements" ? { actions: statementsIn(dice, roster) } : tradeIn(dice, roster)),
    ...{ provesFaults: false, provesActions: false, safety, liveness },
  });
}

/** One trade with an ending on chain, or one that has begun and that its parties do whatever can be done about. */
function tradeIn(dice: Dice, roster: Roster): Pick<Scenario, "actions" | "faults"> {
  const offer = dice.pick(roster.offers.filter((one) => isOnChain(one) === roster.hasChain));
  const trade = tradeOn(dice, offer, 0);
  const when = (at: number) => ({ at, via: dice.below(roster.nodes) });
  const offered = advertise(offer, when(OFFERED_AT));
  const begun = [reserve(trade, when(BEGUN_AT)), initiate(trade, when(BEGUN_AT))];
  if (roster.hasChain) {
    const [acted, ended] = [when(BEGUN_AT), when(BEGUN_AT)];
    const released = [fundEscrow(trade, acted), pay(trade, acted), approve(trade, ended), release(trade, ended)];
    const isReleased = dice.oneIn(RELEASED_EVERY);
    const steps = isReleased ? [...begun, ...released] : tradesOnOffers(dice, { ...roster, trades: [trade] });
    return { actions: [provideLiquidity(offer, when(0)), offered, ...steps], faults: [] };
  }
  const span = { from: BEGUN_AT, until: ACTED_AT, times: 1 };
  const courier = attacker(COURIER, { kind: "chosen-acts", ...tradeAim(trade), acts: [] }, span);
  return { actions: [offered, ...begun], faults: [courier] };
}

/** Records that people make, about which more can be signed. */
function statementsIn(dice: Dice, { nodes }: Roster) {
  const all = publications();
  const acted = new Set(all.map(({ type }) => type.about({} as never)?.kind));
  const creating = all.filter(({ type }) => type.about({} as never) === undefined && acted.has(type.creates));
  const when = () => ({ at: OFFERED_AT, via: dice.below(nodes) });
  return dice.shuffled(creating).map((publication) => publish(dice.pick(STRANGERS), publication, when()));
}
