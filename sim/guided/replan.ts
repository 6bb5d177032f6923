/**
 * A world that is held in the middle of one scenario, as the middle of another that was the same until then: what has
 * not begun is taken from the heap, and what the other scenario has in store is put there, with the sequence numbers
 * that it would have had from the beginning. Source: DESIGN section 5 "Everything is data".
 */
import type { HeldLoop } from "../clock.ts";
import { spanOf } from "../fault-kinds.ts";
import type { Scenario } from "../scenario.ts";

/** When things of a scenario were put on the heap at the beginning, by what they are. */
export type Sequences = ReadonlyMap<string, number>;

/** The part of a world that has its actions, and the one that has its faults. */
const ACTIONS = "stage";
const FAULTS = "fault stage";
/** What comes last of its kind stands between two numbers that the drawn world gave. */
const BETWEEN = 1 / 1_048_576;

interface Due {
  readonly kind: string;
  readonly place: number;
}
interface Entry {
  readonly time: number;
  readonly sequence: number;
  readonly planned: { readonly part: string; readonly due: Due };
}
type Script = { readonly learned: readonly unknown[]; readonly over: boolean };

/** The sequence numbers of a world in which nothing has happened. */
export function sequencesOf({ heap }: HeldLoop): Sequences {
  const found = new Map<string, number>();
  heap.items.forEach((item, place) => {
    const { part, due } = item as Entry["planned"];
    if (part === ACTIONS || part === FAULTS) found.set(nameOf(part, due), heap.sequences[place] as number);
  });
  return found;
}

/** What has begun of a held world: places of faults and of actions, which stay as they are. */
export function begunIn(held: HeldLoop): { readonly faults: ReadonlySet<number>; readonly actions: number[] } {
  const { begun } = held.parts.get(FAULTS) as { readonly begun: ReadonlyMap<number, unknown> };
  const { scripts } = held.parts.get(ACTIONS) as { readonly scripts: readonly Script[] };
  const actions = scripts.flatMap(({ learned, over }, place) => (over || learned.length > 0 ? [place] : []));
  return { faults: new Set(begun.keys()), actions };
}

/**
 * The same world with another scenario ahead. Takes the held world as its own. Answers the sequence numbers of the
 * other scenario beside it, by which it can be changed once more.
 */
export function replanned(
  held: HeldLoop,
  scenario: Scenario,
  sequences: Sequences,
): { readonly held: HeldLoop; readonly sequences: Sequences } {
  const begun = begunIn(held);
  const kept = entriesOf(held).filter(({ planned: { part, due } }) => {
    if (part === ACTIONS) return due.kind !== "resumes" || begun.actions.includes(due.place);
    return part !== FAULTS || due.kind === "acts" || begun.faults.has(due.place);
  });
  const numbers = new Map(sequences);
  const added: Entry[] = [];
  const plan = (part: string, due: Due, time: number, ahead: number) => {
    const name = nameOf(part, due);
    const sequence = numbers.get(name) ?? ahead;
    numbers.set(name, sequence);
    added.push({ time, sequence, planned: { part, due } });
  };
  const firstAction = sequences.get(nameOf(ACTIONS, { kind: "resumes", place: 0 })) ?? held.heap.pushed;
  for (const [place, fault] of scenario.faults.entries()) {
    if (begun.faults.has(place)) continue;
    const { from, until } = spanOf(fault);
    const ahead = firstAction - 1 + (2 * place + 1) * BETWEEN;
    plan(FAULTS, { kind: "begins", place }, from, ahead);
    if (!("at" in fault)) plan(FAULTS, { kind: "ends", place }, until, ahead + BETWEEN);
  }
  const lastAction = Math.max(firstAction - 1, ...actionNumbers(sequences));
  for (const [place, { at }] of scenario.actions.entries())
    if (!begun.actions.includes(place))
      plan(ACTIONS, { kind: "resumes", place }, at, Math.floor(lastAction) + (place + 1) * BETWEEN);
  const stage = held.parts.get(ACTIONS) as { readonly scripts: Script[] };
  while (stage.scripts.length < scenario.actions.length) stage.scripts.push({ learned: [], over: false });
  return { held: { ...held, heap: heapOf([...kept, ...added], held.heap.pushed) }, sequences: numbers };
}

function* actionNumbers(sequences: Sequences): Generator<number> {
  for (const [name, sequence] of sequences) if (name.startsWith(`${ACTIONS} `)) yield sequence;
}

function entriesOf({ heap }: HeldLoop): readonly Entry[] {
  return heap.items.map((planned, place) => ({
    time: heap.times[place] as number,
    sequence: heap.sequences[place] as number,
    planned: planned as Entry["planned"],
  }));
}

/** In order of time and sequence, which is an order of a heap. */
function heapOf(entries: readonly Entry[], pushed: number): HeldLoop["heap"] {
  const sorted = [...entries].sort((a, b) => a.time - b.time || a.sequence - b.sequence);
  return {
    times: sorted.map(({ time }) => time),
    sequences: sorted.map(({ sequence }) => sequence),
    items: sorted.map(({ planned }) => planned) as unknown as HeldLoop["heap"]["items"],
    pushed,
  };
}

function nameOf(part: string, { kind, place }: Due): string {
  return `${part} ${kind} ${place}`;
}
