/**
 * Checkers: laws watched while the world runs, each told only what it may need, each in time proportional to the
 * step and not to the world. A checker is made anew for every run and keeps its own state.
 * Source: DESIGN section 5 "Checks".
 */
import type { Change, Effect, Input, LogLevel, NetworkProfile, Reader, RootTexts, Table } from "../core/index.ts";
import type { ChainView } from "./chain/chain-view.ts";
import type { DiskReport } from "./disk.ts";
import type { Wallet } from "./wallet.ts";

/** One step of one node, after it was committed to memory. */
export interface StepSeen {
  readonly node: number;
  readonly input: Input;
  readonly changes: readonly Change[];
  readonly effects: readonly Effect[];
  readonly view: Reader;
  /** The roots after the step, and those before it. The same object when the step changed no record. */
  readonly roots: RootTexts;
  readonly rootsBefore: RootTexts;
}

/** An answer as the caller got it. */
export interface AnswerSeen {
  readonly node: number;
  /** Who asked; absent when it was no person. */
  readonly by: Wallet | undefined;
  /** The body that was sent. */
  readonly request: string;
  readonly answer: string;
}

/** A statement that somebody published. */
export interface PublishedSeen {
  readonly node: number;
  readonly source: "own" | "gossip";
  readonly message: string;
}

/** A line that a node logged. */
export interface LogSeen {
  readonly node: number;
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** An effect that leaves a node. */
export interface EffectSeen {
  readonly node: number;
  readonly effect: Effect;
}

/** The end of a commit, before the node hears of it. */
export interface CommitSeen {
  readonly node: number;
  readonly report: DiskReport;
  readonly view: Reader | undefined;
}

/** A node's process ended without warning; what it knew is what its disk holds. */
export interface CrashSeen {
  readonly node: number;
  /** Its memory as it was. */
  readonly view: Reader | undefined;
  /** Commits that its disk had reported and has lost. */
  readonly lied: number;
}

/** Watches a run and says when a law is broken; it sees only what it asks for. */
export interface Checker {
  readonly name: string;
  onStep?(step: StepSeen): void;
  /** A call on its way to a node, before the node sees it. */
  onCall?(call: { readonly node: number; readonly by: Wallet | undefined; readonly request: string }): void;
  onAnswer?(answer: AnswerSeen): void;
  onPublished?(published: PublishedSeen): void;
  onLog?(log: LogSeen): void;
  onEffect?(effect: EffectSeen): void;
  onCommit?(commit: CommitSeen): void;
  onCrash?(crash: CrashSeen): void;
  onEnd?(end: EndSeen): void;
}

/** The world when a run is over. */
export interface EndSeen {
  /** Nodes that are up, with their committed memory. */
  readonly nodes: readonly { readonly node: number; readonly view: Reader; readonly roots: RootTexts }[];
}

/** What a checker gets: a way to say that its law is broken, and the people it may be about. */
export interface CheckContext {
  readonly violate: (message: string) => void;
  /** What the checker remembers, plain values, new or as a held world had it; asked once, when it is made. */
  readonly keep: <S>(fresh: () => S) => S;
  /** Everyone who has a wallet in this world, nodes excluded. */
  readonly people: () => Iterable<Wallet>;
  /** Virtual milliseconds since the run began, which no node's clock tells. */
  readonly time: () => number;
  /** The chain as it is, whatever endpoints say of it; nothing where the world has none. */
  readonly chain: () => ChainView | undefined;
  readonly profile: NetworkProfile;
  /** Tables of the network that the nodes run; the marketplace's when absent. */
  readonly tables?: readonly Table<unknown>[] | undefined;
}

/** Makes a checker for one world. */
export type MakeChecker = (context: CheckContext) => Checker;

/** A law that a run broke, when, and how that showed. */
export interface Violation {
  readonly check: string;
  readonly message: string;
  /** Virtual milliseconds, and the number of the event after which it was found. */
  readonly time: number;
  readonly event: number;
}

/** The checkers of a run, called together; hooks that nobody has cost nothing. */
export interface CheckerSet {
  readonly step: ((step: StepSeen) => void) | undefined;
  readonly call: ((call: Parameters<NonNullable<Checker["onCall"]>>[0]) => void) | undefined;
  readonly answer: ((answer: AnswerSeen) => void) | undefined;
  readonly published: ((published: PublishedSeen) => void) | undefined;
  readonly log: ((log: LogSeen) => void) | undefined;
  readonly effect: ((effect: EffectSeen) => void) | undefined;
  readonly commit: ((commit: CommitSeen) => void) | undefined;
  readonly crash: ((crash: CrashSeen) => void) | undefined;
  readonly end: ((end: EndSeen) => void) | undefined;
}

export function gatherCheckers(checkers: readonly Checker[]): CheckerSet {
  return {
    step: together(checkers.flatMap((checker) => checker.onStep?.bind(checker) ?? [])),
    call: together(checkers.flatMap((checker) => checker.onCall?.bind(checker) ?? [])),
    answer: together(checkers.flatMap((checker) => checker.onAnswer?.bind(checker) ?? [])),
    published: together(checkers.flatMap((checker) => checker.onPublished?.bind(checker) ?? [])),
    log: together(checkers.flatMap((checker) => checker.onLog?.bind(checker) ?? [])),
    effect: together(checkers.flatMap((checker) => checker.onEffect?.bind(checker) ?? [])),
    commit: together(checkers.flatMap((checker) => checker.onCommit?.bind(checker) ?? [])),
    crash: together(checkers.flatMap((checker) => checker.onCrash?.bind(checker) ?? [])),
    end: together(checkers.flatMap((checker) => checker.onEnd?.bind(checker) ?? [])),
  };
}

function together<T>(hooks: readonly ((seen: T) => void)[]): ((seen: T) => void) | undefined {
  const [only] = hooks;
  if (hooks.length <= 1) return only;
  return (seen) => {
    for (const hook of hooks) hook(seen);
  };
}
