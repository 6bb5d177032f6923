/**
 * The small world of a seed: one node or two, one trade or a few records, few people, nobody who waits
 * for what does not come. An event of it costs as much as any other, and there are few: what is tried there, in which
 * order, is what is new. Source: DESIGN section 5 "Everything is data"; section 6 (`fuzz --guided`).
 */
import { provideLiquidity } from "../actions/chain-trade.ts";
import { publications, publish } from "../actions/publish.ts";
import { advertise, initiate, reserve } from "../actions/trade.ts";
import { attacker } from "../fault-plans.ts";
import type { Scenario } from "../scenario.ts";
import { defineScenario, minutes, seconds } from "../scenario.ts";
import type { Dice } from "../swarm/dice.ts";
import { openDice } from "../swarm/dice.ts";
import type { Roster } from "../swarm/roster.ts";
import { isOnChain, rosterOf, STRANGERS } from "../swarm/roster.ts";
import { liveness, safety } from "../swarm/swarm-scenario.ts";
import { tradesOnOffers } from "../swarm/trades.ts";
import { COURIER, tradeAim } from "./acts.ts";

const NODES = [1, 1, 1, 2] as const;
/** Of so many worlds one has a chain; every other one without a chain has a trade. */
const CHAIN_EVERY = 3;
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
  const hasChain = dice.oneIn(CHAIN_EVERY);
  const lasts = hasChain ? LASTS_ON_CHAIN_MS : LASTS_MS;
  const roster = rosterOf(dice, { nodes, hasChain, lasts }, 1);
  const trades = hasChain || dice.oneIn(2);
  return defineScenario({
    name: "small",
    description: "A small world that a seed draws.",
    source: "DESIGN section 5 (ours)",
    ...{ nodes, nodesMin: nodes, lasts, participants: roster.participants },
    chain: hasChain ? "model" : "none",
    confirmed: Array.from({ length: nodes }, (_, node) => node).filter(() => dice.oneIn(2)),
    ...(trades ? tradeIn(dice, roster) : { actions: statementsIn(dice, roster) }),
    ...{ provesFaults: false, provesActions: false, safety, liveness },
  });
}

/** One trade with an ending on chain, or one that has begun and that its parties do whatever can be done about. */
function tradeIn(dice: Dice, roster: Roster): Pick<Scenario, "actions" | "faults"> {
  const [trade] = roster.trades;
  if (trade === undefined) throw new Error("bug: a small world has a trade");
  const when = (at: number) => ({ at, via: dice.below(roster.nodes) });
  const { offer } = trade;
  const offered = advertise(offer, when(OFFERED_AT));
  if (isOnChain(offer))
    return { actions: [provideLiquidity(offer, when(0)), offered, ...tradesOnOffers(dice, roster)], faults: [] };
  const begun = [reserve(trade, when(BEGUN_AT)), initiate(trade, when(BEGUN_AT))];
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
  return dice.half(creating).map((publication) => publish(dice.pick(STRANGERS), publication, when()));
}
