/**
 * What can be done to the simulated chain while a run goes on: forks and reorganizations, stalled finality, skipped
 * slots, transactions that get lost, come late or fail, endpoints that misbehave. Each counts itself.
 * Source: DESIGN section 4 "Cluster", section 5 "Faults", L12.
 */
import type { Cluster, Handling } from "./chain/cluster.ts";
import type { Hold } from "./chain/finality.ts";
import type { Fate } from "./chain/forks.ts";
import type { Clock } from "./clock.ts";
import type { EndpointConditions } from "./endpoint-conditions.ts";
import { healthyEndpoint } from "./endpoint-conditions.ts";
import type { FaultLedger, Injection } from "./faults.ts";
import type { Stream } from "./random.ts";
import { chance } from "./random.ts";

/** Chances, in millionths of the transactions that the other side of a fork holds. */
export interface ForkTerms {
  /** Waits on the rival for a later block. */
  readonly late?: number;
  /** Is never heard of on the rival. */
  readonly lost?: number;
}

/** Chances, in millionths of the submitted transactions. */
export interface SubmissionTerms {
  readonly drop?: number;
  readonly fail?: number;
  /** Comes late, by `lateSlots`. */
  readonly late?: number;
  readonly lateSlots?: bigint;
}

/** The part of a chain that faults reach. */
export interface ChainFaults {
  /** Changes what one node's endpoint is like. */
  setConditions(node: number, conditions: Partial<EndpointConditions>): void;
  conditionsOf(node: number): EndpointConditions;
  /** More slots without a block, so many in a million, from one slot until another. */
  skipSlots(from: bigint, until: bigint, millionths: number): void;
  /** Another branch wins at once; it leaves the chain at most `depth` slots back, never before what is final. */
  reorganize(depth: bigint, terms: ForkTerms): Promise<void>;
  /** A rival branch lives from now on; `settle` says which wins. One at a time. */
  fork(depth: bigint, terms: ForkTerms): Promise<void>;
  settle(winner: "main" | "rival"): Promise<void>;
  /** Nothing becomes final until this stall is taken back. */
  stall(): Stall;
  goOn(stall: Stall): void;
  /** Those that were not taken back. */
  stalls(): readonly Stall[];
  /** How submissions fare from now on. */
  setSubmissions(terms: SubmissionTerms): void;
  /** Everything works again. */
  heal(): void;
}

/** Finality is held. */
export interface Stall {
  readonly injection: Injection;
  readonly hold: Hold;
}

/** What `chain-supply.ts` asks of the faults that are in force. */
export interface ChainFaultState extends Omit<ChainFaults, "heal"> {
  isSkipped(slot: bigint): boolean;
  /** A slot without a block kept a transaction waiting. */
  keptWaiting(slot: bigint): void;
  handlingOfNext(): Handling;
  rival(): number | undefined;
  lookedAtRival(): void;
  lookedAtFinal(): void;
  heal(): Promise<void>;
}

export interface ChainFaultOptions {
  readonly clock: Clock;
  readonly faults: FaultLedger;
  /** Asked once the chain is open. */
  readonly cluster: () => Cluster;
  readonly skipped: Stream;
  readonly fates: Stream;
  readonly submissions: Stream;
}

interface Skips {
  readonly from: bigint;
  readonly until: bigint;
  readonly millionths: number;
  readonly injection: Injection;
}

interface Rival {
  readonly number: number;
  readonly injection: Injection;
}

const KINDS = 3;
const [DROP, FAIL, LATE] = [0, 1, 2];
/** The name under which the chain fails a transaction of its own accord. */
const SPOILED = "ComputationalBudgetExceeded";

/** What is in force. */
interface HeldFaults {
  readonly conditions: Map<number, EndpointConditions>;
  readonly skips: Skips[];
  readonly stalls: Set<Stall>;
  /** Decisions about submissions, and about what a fork makes of transactions. */
  submitted: number;
  fates: number;
  terms: SubmissionTerms;
  rival: Rival | undefined;
}

/** The faults of a chain; none is in force yet. */
export function openChainFaults(options: ChainFaultOptions): ChainFaultState {
  const { faults, clock } = options;
  const fresh = (): HeldFaults => {
    const counts = { submitted: 0, fates: 0 };
    return { conditions: new Map(), skips: [], stalls: new Set(), ...counts, terms: {}, rival: undefined };
  };
  const { held } = clock.part<HeldFaults, never>("chain faults", fresh, () => undefined);
  const { conditions, skips, stalls } = held;
  const goOn = (stall: Stall) => {
    stalls.delete(stall);
    options.cluster().releaseFinality(stall.hold);
  };

  async function fork(depth: bigint, forkTerms: ForkTerms): Promise<void> {
    if (held.rival !== undefined) throw new RangeError("the chain is forked already");
    const cluster = options.cluster();
    const [back, final] = [cluster.currentSlot() - depth, cluster.slot("finalized")];
    const injection = faults.inject("chain-fork");
    const fate = () => fateOf(options.fates, held.fates++, forkTerms);
    const fates = new Map<string, Fate>();
    const number = await cluster.fork(back > final ? back : final, (signature) => {
      const known = fates.get(signature) ?? fate();
      fates.set(signature, known);
      return known;
    });
    held.rival = { number, injection };
    if ([...fates.values()].some((one) => one !== "again")) faults.bite(injection);
  }

  async function settle(winner: "main" | "rival"): Promise<void> {
    if (held.rival === undefined) return;
    const { number } = held.rival;
    held.rival = undefined;
    await options.cluster().settle(winner === "rival" ? number : options.cluster().main());
  }

  return {
    setConditions(node, changed) {
      conditions.set(node, { ...healthyEndpoint, ...changed });
    },
    conditionsOf: (node) => conditions.get(node) ?? healthyEndpoint,
    skipSlots(from, until, millionths) {
      skips.push({ from, until, millionths, injection: faults.inject("chain-skipped-slot") });
    },
    isSkipped: (slot) =>
      skips.some((one) => covers(one, slot) && chance(options.skipped, Number(slot), one.millionths)),
    keptWaiting(slot) {
      for (const one of skips) if (covers(one, slot)) faults.bite(one.injection);
    },
    fork,
    settle,
    async reorganize(depth, forkTerms) {
      await fork(depth, forkTerms);
      await settle("rival");
    },
    rival: () => held.rival?.number,
    lookedAtRival: () => faults.bite(held.rival?.injection),
    stall() {
      const stall: Stall = { injection: faults.inject("chain-stall"), hold: options.cluster().stallFinality() };
      stalls.add(stall);
      return stall;
    },
    goOn,
    stalls: () => [...stalls],
    lookedAtFinal() {
      const due = options.cluster().currentSlot() - FINAL_AFTER;
      for (const { hold, injection } of stalls) if (due > hold.at) faults.bite(injection);
    },
    setSubmissions(changed) {
      held.terms = changed;
    },
    handlingOfNext: () => handlingOf(options, held.terms, KINDS * held.submitted++),
    async heal() {
      conditions.clear();
      held.terms = {};
      for (const stall of [...stalls]) goOn(stall);
      await settle("main");
    },
  };
}

/** Slots after which a block is final when nothing holds it. Source: protocol 03 part E. */
const FINAL_AFTER = 32n;

function covers({ from, until }: Skips, slot: bigint): boolean {
  return slot >= from && slot < until;
}

function fateOf(stream: Stream, n: number, { late = 0, lost = 0 }: ForkTerms): Fate {
  if (chance(stream, 2 * n, lost)) return "lost";
  return chance(stream, 2 * n + 1, late) ? "late" : "again";
}

function handlingOf({ faults, submissions }: ChainFaultOptions, terms: SubmissionTerms, n: number): Handling {
  const { drop = 0, fail = 0, late = 0, lateSlots = 0n } = terms;
  if (chance(submissions, n + DROP, drop)) {
    faults.count("chain-drop", true);
    return { dropped: true };
  }
  if (chance(submissions, n + FAIL, fail)) {
    faults.count("chain-fail", true);
    return { fails: SPOILED };
  }
  if (!chance(submissions, n + LATE, late)) return {};
  faults.count("chain-late", lateSlots > 0n);
  return { late: lateSlots };
}
