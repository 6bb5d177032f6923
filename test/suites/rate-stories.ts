/**
 * Random stories of rate providers: who registers, publishes, withdraws and when, what breaks meanwhile, and when
 * everybody is asked; and the scenario that plays one. Source: DESIGN §5 "Named suites".
 */
import fc from "fast-check";
import type { Action } from "../../sim/action-kinds.ts";
import { askRates, publishRate, registerOracle, withdrawOracle } from "../../sim/actions/oracle.ts";
import { advertiseFloating } from "../../sim/actions/trade.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import { crash, partition, wrongClock } from "../../sim/fault-plans.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, minutes } from "../../sim/scenario.ts";

export const NODES = 10;
/** How long a story lasts, in milliseconds. */
export const SPELL_MS = 90_000;
const PROVIDERS = ["ora", "pia", "quo", "rhea", "seth"];
const PAIRS = [
  { base: "USDC", quote: "KES" },
  { base: "USDT", quote: "KES" },
] as const;
const RATES = [129.5, 129.51, 129.52, 129.54, 130, 0.1, 1e-7, 1.7e308];

interface Where {
  readonly provider: number;
  readonly at: number;
  readonly via: number;
}
type Act =
  | (Where & { readonly act: "register" })
  | (Where & { readonly act: "withdraw" })
  | (Where & {
      readonly act: "publish";
      readonly id: number;
      readonly pair: number;
      readonly rate: number;
      readonly version: bigint;
      readonly lifetime: number;
    });
type Fault =
  | { readonly fault: "cut"; readonly size: number; readonly from: number; readonly until: number }
  | { readonly fault: "crash"; readonly node: number; readonly from: number; readonly until: number }
  | {
      readonly fault: "clock";
      readonly node: number;
      readonly by: number;
      readonly from: number;
      readonly until: number;
    };

export interface RateStory {
  readonly acts: readonly Act[];
  readonly asks: readonly { readonly at: number; readonly pair: number }[];
  readonly faults: readonly Fault[];
}

/** Registrations come early more often than not, or little would ever be current. */
export function arbRateStory(): fc.Arbitrary<RateStory> {
  const [provider, via, pair] = [PROVIDERS.length, NODES, PAIRS.length].map((count) => fc.nat(count - 1)) as [
    fc.Arbitrary<number>,
    fc.Arbitrary<number>,
    fc.Arbitrary<number>,
  ];
  const at = fc.integer({ min: 2_000, max: SPELL_MS - 20_000 });
  const where = { provider, at, via };
  const early = fc.record({
    act: fc.constant("register" as const),
    provider,
    at: fc.integer({ min: 500, max: 1_500 }),
    via,
  });
  const publish = fc.record({
    ...where,
    act: fc.constant("publish" as const),
    id: fc.nat(2),
    pair,
    rate: fc.constantFrom(...RATES),
    version: fc.bigInt({ min: 0n, max: 12n }),
    lifetime: fc.constantFrom(1, 40, 900, 5_000, 15_000, 40_000),
  });
  const leave = fc
    .record({ ...where, back: fc.option(fc.record({ after: fc.integer({ min: 1_000, max: 15_000 }), via })) })
    .map(({ back, ...gone }): readonly Act[] => [
      { act: "withdraw", ...gone },
      ...(back ? [{ act: "register" as const, provider: gone.provider, at: gone.at + back.after, via: back.via }] : []),
    ]);
  const span = fc.tuple(at, fc.integer({ min: 1_000, max: 15_000 })).map(([from, ms]) => ({ from, until: from + ms }));
  const node = fc.nat(NODES - 1);
  const fault: fc.Arbitrary<Fault> = fc.oneof(
    fc
      .tuple(span, fc.integer({ min: 1, max: NODES - 1 }))
      .map(([when, size]) => ({ fault: "cut" as const, size, ...when })),
    fc.tuple(span, node).map(([when, which]) => ({ fault: "crash" as const, node: which, ...when })),
    fc
      .tuple(span, node, fc.integer({ min: -20_000, max: 20_000 }))
      .map(([when, which, by]) => ({ fault: "clock" as const, node: which, by, ...when })),
  );
  return fc.record({
    acts: fc
      .tuple(
        fc.array(early, { minLength: 2, maxLength: 5 }),
        fc.array(publish, { minLength: 4, maxLength: 16 }),
        fc.array(leave, { maxLength: 4 }).map((left) => left.flat()),
      )
      .map((parts) => parts.flat()),
    asks: fc.array(fc.record({ at: fc.nat(SPELL_MS), pair }), { minLength: 5, maxLength: 25 }),
    faults: fc.array(fault, { minLength: 1, maxLength: 5 }),
  });
}

/** What a story is about, in labels. */
export function kindsOf({ acts, faults }: RateStory): readonly string[] {
  const published = acts.filter((act) => act.act === "publish");
  const left = acts.filter(({ act }) => act === "withdraw");
  const back = left.filter(({ provider, at }) =>
    acts.some((act) => act.act === "register" && act.provider === provider && act.at > at),
  );
  const rivals = published.some(({ pair, provider }) =>
    published.some((other) => other.pair === pair && other.provider !== provider),
  );
  return [
    ...(published.some(({ at, lifetime }) => at + lifetime < SPELL_MS - 20_000) ? ["a record runs out"] : []),
    ...(published.some(({ lifetime }) => lifetime < 1_000) ? ["a record that never holds"] : []),
    ...(left.length > 0 ? ["a provider leaves"] : []),
    ...(back.length > 0 ? ["one comes back"] : []),
    ...(rivals ? ["two providers of a pair"] : []),
    ...(published.some(({ rate }) => rate < 1 || rate > 1_000) ? ["no multiple of a cent"] : []),
    ...faults.map(({ fault }) => fault),
  ];
}

/** A story on a stage: two floating offers, so that quotes are asked with the rates. */
export function ratesScenario({ acts, asks, faults }: RateStory): Scenario {
  return defineScenario({
    provesFaults: false,
    name: "rate-tagging",
    description: "Providers publish rates, let them run out, withdraw and return.",
    source: "OFS-7000; protocol 05 §3.5",
    nodes: NODES,
    chain: "bankrun",
    gossipOnly: [2, 7],
    actions: [
      ...PAIRS.map(({ base, quote }, place) => {
        const offer = {
          id: `${base}-${quote}`,
          merchant: "merchant",
          asset: base,
          fiatCurrency: quote,
          premiumBps: 150,
        };
        return advertiseFloating(offer, { at: 600, via: place });
      }),
      ...acts.map(actionOf),
      ...asks.map(({ at, pair }) => askRates("reader", PAIRS[pair] ?? PAIRS[0], { at, via: 0 })),
    ],
    faults: faults.map(faultOf),
    lasts: SPELL_MS,
    safety: [equalSetsEqualStates, readsChangeNothing],
    liveness: { within: minutes(5), checks: [replicasConverge] },
  });
}

function actionOf(act: Act): Action {
  const { at, via } = act;
  const provider = PROVIDERS[act.provider] ?? "ora";
  if (act.act === "register") return registerOracle(provider, { at, via });
  if (act.act === "withdraw") return withdrawOracle(provider, { at, via });
  const { id, rate, version, lifetime } = act;
  const pair = PAIRS[act.pair] ?? PAIRS[0];
  return publishRate(provider, { ...pair, id: `record-${id}`, rate, version, lifetime }, { at, via });
}

function faultOf(fault: Fault): FaultPlan {
  if (fault.fault === "crash") return crash(fault.node, fault);
  if (fault.fault === "clock") return wrongClock(fault.node, fault.by, fault);
  const nodes = Array.from({ length: NODES }, (_, index) => index);
  return partition([nodes.slice(0, fault.size), nodes.slice(fault.size)], fault);
}
