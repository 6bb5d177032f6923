/**
 * The search: each drawn world, mostly a small one, is played once, and a copy is kept wherever it reaches what no
 * world reached before; then copies go on with other actions and faults, until those have settled and lead to nothing
 * new. Everything follows from the seeds. A law that is broken is broken once more by the changed scenario from its
 * beginning, before it is told. Source: DESIGN section 6 (`fuzz --guided`).
 */
import { spanOf } from "../fault-kinds.ts";
import { copyRun, holdRun } from "../held-run.ts";
import type { RunReport } from "../report.ts";
import type { Run } from "../run.ts";
import { openRun, runScenario } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import type { Backends } from "../setup.ts";
import { openDice } from "../swarm/dice.ts";
import { swarmScenario } from "../swarm/swarm-scenario.ts";
import { aboutIn, recordsIn, typesAbout, undoableIn } from "./acts.ts";
import { marksOf } from "./marks.ts";
import { middleOf, mutated } from "./mutate.ts";
import type { Sequences } from "./replan.ts";
import { replanned, sequencesOf } from "./replan.ts";
import { smallScenario } from "./small-world.ts";

/** Copies that are kept at once; of more, those from which most went on leave. Source: DESIGN "Bounds". */
const KEPT_MOST = 256;
/** Copies of one run at most, and events between two of them at least. Source: DESIGN "Measured values". */
const KEPT_OF_RUN = 32;
const KEPT_EVERY_EVENTS = 4;
/** Events without a new mark after which a world is left in which whatever was changed is over. */
const PATIENCE_EVENTS = 2;
/** How long what was changed takes to show, in virtual milliseconds; on a chain that is slots. */
const SETTLES_MS = 500;
const SETTLES_ON_CHAIN_MS = 5_000;
/** After a fork: until every node has looked again at what it took. Source: protocol 03 C.7 (chain poll). */
const SETTLES_AFTER_FORK_MS = 12_000;
/** Of so many tries one goes on from where a fork can undo something, if there is such a copy of the kind. */
const UNDONE_EVERY = 2;
/** A fault that lasts is waited for so long. */
const CHANGED_MS = 2_000;
/** Events after which a world that goes on is left in any case. */
const EVENTS_MOST = 1_500;
/** Of so many worlds that go on one is played to its end, where it must come right. */
const TO_THE_END_EVERY = 50;
/** Of so many drawn worlds one is as large as a seed draws them, the others are small. */
const LARGE_EVERY = 64n;
/** Events that go on from copies for each event of a drawn world. Source: DESIGN "Measured values". */
const SHARE = 8;
/** Copies among which the most promising is gone on from. */
const COMPARED = 8;

/** What is searched, and who is told. */
export interface GuidedOptions {
  readonly seeds: Iterable<bigint>;
  readonly backends: Backends;
  /** Asked between two worlds, with the events so far. */
  readonly stop?: (events: number) => boolean;
  /** A law that was broken, with the scenario that breaks it; `true` ends the search. */
  readonly broken: (found: Found) => boolean;
}

/** A violation, and the scenario that comes to it from its beginning. */
export interface Found {
  readonly seed: bigint;
  readonly scenario: Scenario;
  readonly report: RunReport;
}

/** What a search came to. */
export interface Searched {
  /** Drawn worlds, worlds that went on from copies, and events of both. */
  worlds: number;
  continued: number;
  events: number;
  /** In how many of them each mark was reached. */
  readonly marks: Map<string, number>;
  /** Violations of a world that went on that its scenario did not come to from the beginning. */
  unreplayed: number;
}

/** A run, with what it takes to change it later. */
interface Playing {
  readonly run: Run;
  readonly seed: bigint;
  readonly sequences: Sequences;
  /** What it reached, and what of it nobody had since its last copy. */
  readonly reached: Reached;
}

interface Reached {
  readonly seen: Set<string>;
  news: string[];
  fresh: number;
}

/** A world that reached something new, and stands there. */
interface Kept extends Omit<Playing, "reached"> {
  readonly news: readonly string[];
  /** Which copy it is of all that were kept. */
  readonly number: number;
  /** Kinds of records that it may be gone on about: none where it is about a trade. */
  readonly about: readonly string[];
  /** Whether a node waits there for something to be final. */
  readonly isUndoable: boolean;
  /** How often something went on from it. */
  tries: number;
}

interface Search {
  readonly options: GuidedOptions;
  readonly searched: Searched;
  readonly kept: Kept[];
  copies: number;
  /** Events that went on from copies, by kind of world and of record: each has its share. */
  readonly spent: Map<string, number>;
}

/** Searches until the seeds are spent, somebody stops it, or whoever is told of a violation has enough. */
export async function guidedSearch(options: GuidedOptions): Promise<Searched> {
  const searched: Searched = { worlds: 0, continued: 0, events: 0, marks: new Map(), unreplayed: 0 };
  const search: Search = { options, searched, kept: [], copies: 0, spent: new Map() };
  for (const seed of options.seeds) {
    if (options.stop?.(searched.events) === true) break;
    const before = searched.events;
    searched.worlds += 1;
    if (await playDrawn(search, seed)) break;
    const until = searched.events + SHARE * (searched.events - before);
    if (await goOnFromCopies(search, until)) break;
  }
  for (const { run } of search.kept) await run.close();
  return searched;
}

/** Plays the world of a seed; answers whether the search is over. */
async function playDrawn(search: Search, seed: bigint): Promise<boolean> {
  const scenario = seed % LARGE_EVERY === 0n ? swarmScenario(seed) : smallScenario(seed);
  const { run, reached } = await open(search, scenario, { seed });
  return playOn(search, { run, reached, seed, sequences: sequencesOf(run.world.loop.held("copy")) }, Infinity);
}

async function goOnFromCopies(search: Search, until: number): Promise<boolean> {
  const { searched, options } = search;
  // Some changes make no sense where they are tried, which costs no event.
  for (let tries = 0; searched.events < until && tries < until; tries += 1) {
    if (search.kept.length === 0 || options.stop?.(searched.events) === true) return false;
    searched.continued += 1;
    const dice = openDice(BigInt(searched.continued), "guided");
    const { about, copies } = leastSpent(search);
    const undone = copies.filter(({ isUndoable }) => isUndoable);
    const among = undone.length > 0 && dice.oneIn(UNDONE_EVERY) ? undone : copies;
    const kept = mostPromising(
      search,
      Array.from({ length: COMPARED }, () => dice.pick(among)),
    );
    const stands = holdRun(kept.run);
    kept.tries += 1;
    if (!stands.ok) continue;
    const middle = middleOf(kept.run, stands.value, { tried: { of: kept.number, tries: kept.tries - 1 }, about });
    const scenario = mutated(dice, middle);
    if (scenario === undefined) continue;
    const settled = changedUntil(middle.scenario, scenario) + settlesMs(middle.scenario, scenario);
    const { seed } = kept;
    const { held, sequences } = replanned(stands.value, scenario, kept.sequences);
    const { walletOf } = kept.run.world;
    const { run, reached } = await open(search, scenario, { seed, from: held, walletOf });
    const patience = searched.continued % TO_THE_END_EVERY === 0 ? Infinity : settled;
    const before = searched.events;
    const isOver = await playOn(search, { run, seed, sequences, reached }, patience);
    spend(search, kindOf(scenario), searched.events - before);
    if (about !== undefined) spend(search, about, (searched.events - before) / typesAbout(about));
    if (isOver) return true;
  }
  return false;
}

/** When the last thing that one scenario has and another had not has begun, or is over. */
function changedUntil(before: Scenario, { actions, faults }: Scenario): number {
  const acted = actions.flatMap((action, place) => (action === before.actions[place] ? [] : [action.at]));
  const broken = faults.flatMap((fault, place) => (fault === before.faults[place] ? [] : [spanOf(fault)]));
  return Math.max(0, ...acted, ...broken.map(({ from, until }) => Math.min(until, from + CHANGED_MS)));
}

function settlesMs(before: Scenario, { chain, faults }: Scenario): number {
  if (chain === "none") return SETTLES_MS;
  const isForked = faults.some((fault, place) => fault.kind === "reorganization" && fault !== before.faults[place]);
  return isForked ? SETTLES_AFTER_FORK_MS : SETTLES_ON_CHAIN_MS;
}

/**
 * Copies of the kind of world on which the fewest events were spent, and of these about what fewest were: records about
 * which there is more to say have a larger share.
 */
function leastSpent({ kept, spent }: Search): { readonly about: string | undefined; readonly copies: readonly Kept[] } {
  const leastOf = (shares: readonly string[]) =>
    shares.reduce((least, share) => ((spent.get(share) ?? 0) < (spent.get(least) ?? 0) ? share : least));
  const kind = leastOf(kept.map(({ run }) => kindOf(run.scenario)));
  const copies = kept.filter(({ run }) => kindOf(run.scenario) === kind);
  const kinds = copies.flatMap((one) => one.about);
  if (kinds.length === 0) return { about: undefined, copies };
  const about = leastOf(kinds);
  return { about, copies: copies.filter((one) => one.about.includes(about)) };
}

function spend({ spent }: Search, share: string, events: number): void {
  spent.set(share, (spent.get(share) ?? 0) + events);
}

/** What is searched apart: trades on a chain, trades without one, and what else people say. */
function kindOf(scenario: Scenario): string {
  return `${scenario.chain} ${hasTrade(scenario) ? "trade" : "statements"}`;
}

function hasTrade({ actions }: Scenario): boolean {
  return actions.some((action) => "trade" in action);
}

/** The rarer what is known of a copy, and the less often it was gone on from, the more it promises. */
function promiseOf({ searched: { marks } }: Search, { news, tries }: Kept): number {
  return news.reduce((sum, name) => sum + 1 / (marks.get(name) ?? 1), 0) / (1 + tries);
}

function mostPromising(search: Search, some: readonly Kept[]): Kept {
  return some.reduce((best, one) => (promiseOf(search, one) > promiseOf(search, best) ? one : best));
}

async function open(
  { searched: { marks }, options: { backends } }: Search,
  scenario: Scenario,
  options: Parameters<typeof openRun>[1],
): Promise<{ readonly run: Run; readonly reached: Reached }> {
  const reached: Reached = { seen: new Set(), news: [], fresh: 0 };
  const isNew = (name: string): boolean => {
    if (reached.seen.has(name)) return false;
    reached.seen.add(name);
    const times = marks.get(name) ?? 0;
    marks.set(name, times + 1);
    if (times === 0) reached.fresh += 1;
    return times === 0;
  };
  const mark = (name: string) => void (isNew(name) && reached.news.push(name));
  const run = await openRun(scenario, { ...options, watch: [(context) => marksOf(context, mark, isNew)] }, backends);
  return { run, reached };
}

/** Plays a run until it has settled and leads to nothing new, and keeps copies; answers whether the search is over. */
async function playOn(search: Search, playing: Playing, settled: number): Promise<boolean> {
  const { run, reached } = playing;
  const { world } = run;
  const events = () => world.trace.events();
  const began = events();
  let [copies, kept, seen, known] = [0, began, began, 0];
  const mayKeep = () => copies < KEPT_OF_RUN && reached.news.length > 0 && events() - kept >= KEPT_EVERY_EVENTS;
  const isSpent = () =>
    settled !== Infinity &&
    (events() - began > EVENTS_MOST || (world.loop.now() > settled && events() - seen > PATIENCE_EVENTS));
  const enough = () => {
    if (reached.fresh !== known) [known, seen] = [reached.fresh, events()];
    return mayKeep() || isSpent();
  };
  try {
    while (!(await run.goOn(enough))) {
      if (isSpent()) break;
      // Whatever comes after is about coming right: nothing begins there any more.
      if (world.loop.now() < run.scenario.lasts) await keep(search, playing);
      [copies, kept, reached.news] = [copies + 1, events(), []];
    }
  } finally {
    await run.close();
  }
  search.searched.events += events() - began;
  return world.violations.length > 0 && tell(search, playing);
}

async function keep(search: Search, { run, seed, sequences, reached: { news } }: Playing): Promise<void> {
  const copy = await copyRun(run, search.options.backends);
  if (!copy.ok) return;
  search.copies += 1;
  const isUndoable = undoableIn(copy.value.world) !== undefined;
  const about = hasTrade(run.scenario) ? [] : aboutIn(run.scenario, recordsIn(copy.value.world));
  search.kept.push({ run: copy.value, seed, sequences, news, number: search.copies, about, isUndoable, tries: 0 });
  if (search.kept.length <= KEPT_MOST) return;
  const worst = search.kept.reduce((least, one) => (promiseOf(search, one) < promiseOf(search, least) ? one : least));
  search.kept.splice(search.kept.indexOf(worst), 1);
  await worst.run.close();
}

/** Plays the scenario of a violation from its beginning, and tells what that came to. */
async function tell(search: Search, { run, seed }: Pick<Playing, "run" | "seed">): Promise<boolean> {
  const [violation] = run.world.violations;
  const { report } = await runScenario(run.scenario, { seed }, search.options.backends);
  if (report.violations[0]?.check !== violation?.check) {
    search.searched.unreplayed += 1;
    return false;
  }
  return search.options.broken({ seed, scenario: run.scenario, report });
}
