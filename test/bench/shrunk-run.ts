/** What came of making one run small, as the process that did it prints it, and when that is small enough. */

export interface Size {
  readonly nodes: number;
  readonly actions: number;
  readonly faults: number;
}

export interface ShrunkRun {
  readonly law: string;
  /** After which the law was broken. */
  readonly events: number;
  readonly before: Size;
  readonly after: Size;
  /** Runs that were tried, the events of all of them, and whether nothing more can be left out. */
  readonly tried: number;
  readonly whole: boolean;
  readonly played: number;
  /** CPU seconds, and those after which it was small enough. */
  readonly cpu: number;
  readonly smallAt: number | null;
}

/** What a person can still read. Source: DESIGN section 9. */
const FAULTS_MOST = 12;
const ACTIONS_MOST = 20;

export function isSmall({ actions, faults }: Size): boolean {
  return actions <= ACTIONS_MOST && faults <= FAULTS_MOST;
}
