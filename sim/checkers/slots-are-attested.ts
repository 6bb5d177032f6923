/**
 * The newest slot that a node holds for true is one that its own endpoint showed, or that two origins at least have
 * reached, or the only one who speaks; and what is announced beyond what the chain can have reached by then is kept
 * only when two origins say such. Worked out from what the node keeps of each origin's word.
 * Source: protocol 03 C8, C9, C11; 05 §6.9; DESIGN L7.
 */
import type { Reader } from "../../core/index.ts";
import type { NewestSlot } from "../../core/testing.ts";
import { ANNOUNCED, NewestSlots, OWN, SlotObservations } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

/** Written down apart from the core. Source: protocol 03 C.7; 05 §6.9. */
const FRESH_MS = 75_000n;
const SLOT_MS = 400n;
const SLACK_SLOTS = 1_500n;
/** Origins that must agree. Source: protocol 03 C9; 05 §6.9. */
const ORIGINS_AGREEING = 2;

interface Observed {
  readonly slot: bigint;
  readonly observed_at: bigint;
}

/** No single origin moves a slot. */
export function slotsAreAttested({ violate, keep }: CheckContext): Checker {
  /** What each node holds for true, as its steps left it. */
  const held = keep(() => new Map<number, NewestSlot>());
  const forget = (node: number) => void held.delete(node);
  return {
    name: "slots-are-attested",
    onStep(step) {
      const { node, input, changes } = step;
      const moved = changes.find(({ table }) => table === NewestSlots.name)?.record as NewestSlot | undefined;
      if (input.type !== "store.loaded") {
        const far = farBeyond(step, held.get(node));
        if (far !== undefined) violate(`node ${node} keeps slot ${far}, which the chain cannot have reached`);
        if (moved !== undefined && !isAttested(step, moved))
          violate(`node ${node} holds slot ${moved.slot} for true, which only one of several origins says`);
      }
      if (moved !== undefined) held.set(node, moved);
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** A slot beyond the bound that a step keeps of one origin alone. */
function farBeyond({ changes, view, input: { now } }: StepSeen, newest: NewestSlot | undefined): bigint | undefined {
  const kept = changes.filter(({ table, key, record }) => {
    return table === SlotObservations.name && isOrigin(key) && record !== undefined;
  });
  // Two that agree are kept together.
  if (kept.length >= ORIGINS_AGREEING) return undefined;
  const far = kept.find(({ record }) => !isReachable((record as Observed).slot, newest, now));
  if (far === undefined || isReportedByAnother(view, far.key, newest, now)) return undefined;
  return (far.record as Observed).slot;
}

/** Whether the node holds such a word of another origin: said once more, it agrees, and its row stays as it was. */
function isReportedByAnother(view: Reader, key: string, newest: NewestSlot | undefined, now: bigint): boolean {
  for (const origin of view.keys(SlotObservations)) {
    const told = isOrigin(origin) && origin !== key ? view.get(SlotObservations, origin) : undefined;
    if (told !== undefined && now - told.observed_at < FRESH_MS && !isReachable(told.slot, newest, now)) return true;
  }
  return false;
}

function isOrigin(key: string): boolean {
  return key !== OWN && key !== ANNOUNCED;
}

function isReachable(slot: bigint, newest: NewestSlot | undefined, now: bigint): boolean {
  // Whoever holds none knows only that no chain had more than fit since 1970.
  if (newest === undefined) return slot * SLOT_MS <= now;
  const elapsed = now > newest.taken_at ? now - newest.taken_at : 0n;
  return slot <= newest.slot + (elapsed + SLOT_MS - 1n) / SLOT_MS + SLACK_SLOTS;
}

function isAttested({ view, input }: StepSeen, { slot }: NewestSlot): boolean {
  let [origins, reaching] = [0, 0];
  for (const origin of view.keys(SlotObservations)) {
    const told = view.get(SlotObservations, origin);
    if (origin === ANNOUNCED || told === undefined || input.now - told.observed_at >= FRESH_MS) continue;
    if (origin === OWN && told.slot === slot) return true;
    if (origin === OWN) continue;
    origins += 1;
    if (told.slot >= slot) reaching += 1;
  }
  return reaching >= Math.min(origins, ORIGINS_AGREEING);
}
