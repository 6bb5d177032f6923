/**
 * What a rule of mutation is: it proposes edits for one token of a C source.
 */
import type { CSource, Token } from "./c-source.ts";

/** One edit: the text from `start` to `end` becomes `replacement`. */
export interface Edit {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** What a rule proposes for the token at `index`. */
export type Rule = (
  tokens: readonly Token[],
  index: number,
  source: CSource,
  signatures: Signatures,
) => readonly Edit[];

/** Types of every function's parameters. */
export type Signatures = ReadonlyMap<string, readonly string[]>;
