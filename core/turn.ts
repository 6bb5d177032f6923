/**
 * A turn: what one step may read, write and order. Handlers take one; nothing else reaches them.
 */

import { foldUnits } from "./domains.ts";
import type { Effect, NodeConfiguration } from "./inputs.ts";
import type { Draft } from "./kernel/draft.ts";
import { draftOf } from "./kernel/draft.ts";
import type { IdentityReader } from "./kernel/identity-tree.ts";
import type { Reader } from "./kernel/table.ts";
import type { EpochMillis } from "./kernel/values.ts";
import type { CryptoPort } from "./ports/crypto.ts";
import type { Fold } from "./statements/fold.ts";
import { foldInto } from "./statements/fold.ts";

export interface Turn {
  readonly draft: Draft;
  /** The state before this turn. */
  readonly base: Reader;
  readonly now: EpochMillis;
  /** Number of the input since the node started. */
  readonly number: number;
  readonly bootSeed: Uint8Array;
  /** The identities of the accepted statements before this turn. */
  readonly identities: IdentityReader;
  readonly crypto: CryptoPort;
  readonly configuration: NodeConfiguration;
  emit(effect: Effect): void;
}

export function turnOver(
  base: Reader,
  turn: Omit<Turn, "draft" | "base" | "emit">,
): Turn & { readonly effects: readonly Effect[] } {
  const effects: Effect[] = [];
  return { ...turn, base, draft: draftOf(base), effects, emit: (effect) => void effects.push(effect) };
}

/** The fold of this network's domains over a turn's draft. */
export function foldOf(turn: Turn): Fold {
  return foldInto(turn.draft, foldUnits(turn.crypto));
}
