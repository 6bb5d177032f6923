/**
 * What links have in advance. A peer id costs nothing to make, so whoever takes another one for each connection would
 * have everything that a link may cost at once, again and again. A link that somebody else opened therefore has little
 * of its own at first, and earns the rest with time as any link does; what it spends before it has earned it comes out
 * of one purse, which holds as much as one link may have and fills as one does. So all who come and go cost no more
 * than one more link, an honest newcomer has all of it at once while nobody else asks for it, and where somebody does,
 * he still has what is his own. Links that this node opened are of its own choice, and need no advance.
 * Source: CONVERGENCE B2, B3.
 */

import type { StepContext } from "../../engine/step-context.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { u64 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis } from "../../kernel/values.ts";

/** What something may have at most, and what it gets each millisecond. */
export interface Allowance {
  readonly max: bigint;
  readonly perMs: bigint;
}

const Purse = struct("Purse", { left: u64, at: EpochMillis });
/** What is left of what newcomers share, by allowance. */
export const Purses = table("newcomers", Purse, { root: "local" });

/** Takes an advance; false when not as much is left. */
export function drawAdvance(context: StepContext, name: string, allowance: Allowance, advance: bigint): boolean {
  const left = advanceLeft(context, name, allowance);
  if (left < advance) return false;
  const { draft, now } = context;
  const at = draft.get(Purses, name)?.at ?? now;
  draft.put(Purses, name, { left: left - advance, at: at > now ? at : now });
  return true;
}

/** What newcomers may still have in advance, all together. */
export function advanceLeft({ draft, now }: StepContext, name: string, { max, perMs }: Allowance): bigint {
  const held = draft.get(Purses, name);
  if (held === undefined) return max;
  const left = now > held.at ? held.left + (now - held.at) * perMs : held.left;
  return left < max ? left : max;
}
