/**
 * The ledger of faults: per kind, how often one was injected, and how many of those changed something.
 * A fault that never bites proves nothing, so a run reports both. Source: DESIGN L12.
 */
import type { Clock } from "./clock.ts";

/** Every kind of fault the world can inject, in the order reports show them. */
export const faultKinds = [
  "loss",
  "duplication",
  "reordering",
  "bandwidth",
  "shared-bandwidth",
  "corruption",
  "partition",
  "half-open",
  "crash",
  "pause",
  "slow-node",
  "clock-skew",
  "clock-jump",
  "clock-drift",
  "disk-lost-writes",
  "disk-torn-write",
  "disk-full",
  "disk-read-error",
  "bit-rot",
  "misdirected-write",
  "file-unwritten",
  "file-unreachable",
  "file-damaged",
  "chain-skipped-slot",
  "chain-fork",
  "chain-stall",
  "chain-drop",
  "chain-late",
  "chain-fail",
  "chain-duplicate",
  "chain-lag",
  "chain-failure",
  "chain-timeout",
  "chain-rate-limit",
  "chain-contradiction",
  "chain-lie",
  "peer",
] as const;
/** What can go wrong, by name. */
export type FaultKind = (typeof faultKinds)[number];

/** One fault that was injected, and whether it changed something. */
export interface Injection {
  readonly kind: FaultKind;
  bitten: boolean;
}

/** How often a fault was injected, and how often it changed something. */
export interface FaultCount {
  readonly kind: FaultKind;
  readonly injected: number;
  readonly effective: number;
}

/** Counts the faults of a run. */
export interface FaultLedger {
  inject(kind: FaultKind): Injection;
  /** An injected fault changed something. Biting twice counts once; the absence of a fault never bites. */
  bite(injection: Injection | undefined): void;
  /** Counts a fault whose effect is known when it is injected; no object is made for it. */
  count(kind: FaultKind, effective: boolean): void;
  /** Kinds that a run promises to inject: they are reported even if they never are. */
  declare(kinds: readonly FaultKind[]): void;
  /** The kinds that were declared or injected. */
  counts(): readonly FaultCount[];
  /** The kinds that were declared and changed nothing. */
  unproven(): readonly FaultKind[];
}

/** What a ledger of faults remembers. */
interface Counted {
  readonly injected: Map<FaultKind, number>;
  readonly effective: Map<FaultKind, number>;
  readonly declared: Set<FaultKind>;
}

/** Opens the ledger of a world. */
export function createFaultLedger(clock: Clock): FaultLedger {
  const fresh = (): Counted => ({ injected: new Map(), effective: new Map(), declared: new Set() });
  const { injected, effective, declared } = clock.part<Counted, never>("faults", fresh, () => undefined).held;
  const add = (to: Map<FaultKind, number>, kind: FaultKind) => to.set(kind, (to.get(kind) ?? 0) + 1);

  return {
    inject(kind) {
      add(injected, kind);
      return { kind, bitten: false };
    },
    bite(injection) {
      if (injection === undefined || injection.bitten) return;
      add(effective, injection.kind);
      injection.bitten = true;
    },
    count(kind, bites) {
      add(injected, kind);
      if (bites) add(effective, kind);
    },
    declare(kinds) {
      for (const kind of kinds) declared.add(kind);
    },
    unproven: () => faultKinds.filter((kind) => declared.has(kind) && !effective.has(kind)),
    counts: () =>
      faultKinds
        .filter((kind) => injected.has(kind) || declared.has(kind))
        .map((kind) => ({ kind, injected: injected.get(kind) ?? 0, effective: effective.get(kind) ?? 0 })),
  };
}
