/**
 * The search: each drawn world is played once, and a copy is kept wherever it reaches what no world reached before;
 * then copies go on with other actions and faults, as long as that leads to something new. Everything follows from the
 * seeds. A law that is broken is broken once more by the changed scenario from its beginning, before it is told.
 * Source: DESIGN section 6 (`fuzz --guided`).
 */
import { copyRun, holdRun } from "../held-run.ts";
import type { RunReport } from "../report.ts";
import type { Run } from "../run.ts";
import { openRun, runScenario } from "../run.ts";
import type { Scenario } from "../scenario.ts";
import type { Backends } from "../setup.ts";
import { openDice } from "../swarm/dice.ts";
import { swarmScenario } from "../swarm/swarm-scenario.ts";
import { marksOf } from "./marks.ts";
import { mutated } from "./mutate.ts";
import type { Sequences } from "./replan.ts";
import { begunIn, replanned, sequencesOf } from "./replan.ts";

/** Copies that are kept at once; of more, those from which most went on leave. Source: DESIGN "Bounds". */
const KEPT_MOST = 96;
/** Copies of one run at most, and events between two of them at least. Source: DESIGN "Measured values". */
const KEPT_OF_RUN = 12;
const KEPT_EVERY_EVENTS = 20;
/** Events without a new mark after which a world that goes on is left, and after which it is left in any case. */
const PATIENCE_EVENTS = 60;
const EVENTS_MOST = 1_500;
/** The same of a drawn world, which has much before it that is not new. */
const PATIENCE_DRAWN_EVENTS = 200;
/** Of so many worlds that go on one is played to its end, where it must come right. */
const TO_THE_END_EVERY = 50;
/** Events that go on from copies for each event of a drawn world. Source: DESIGN "Measured values". */
const SHARE = 2;

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
  readonly marks: Set<string>;
  /** Violations of a world that went on that its scenario did not come to from the beginning. */
  unreplayed: number;
}

/** A run, with what it takes to change it later. */
interface Playing {
  readonly run: Run;
  readonly seed: bigint;
  readonly sequences: Sequences;
}

/** A world that reached something new, and stands there. */
interface Kept extends Playing {
  /** How many marks were new there, and how often something went on from it. */
  readonly news: number;
  tries: number;
}

interface Search {
  readonly options: GuidedOptions;
  readonly searched: Searched;
  readonly kept: Kept[];
  fresh: number;
}

/** Searches until the seeds are spent, somebody stops it, or whoever is told of a violation has enough. */
export async function guidedSearch(options: GuidedOptions): Promise<Searched> {
  const searched: Searched = { worlds: 0, continued: 0, events: 0, marks: new Set(), unreplayed: 0 };
  const search: Search = { options, searched, kept: [], fresh: 0 };
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
  const run = await open(search, swarmScenario(seed), { seed });
  return playOn(search, { run, seed, sequences: sequencesOf(run.world.loop.held("copy")) }, PATIENCE_DRAWN_EVENTS);
}

async function goOnFromCopies(search: Search, until: number): Promise<boolean> {
  const { searched, options } = search;
  // Some changes make no sense where they are tried, which costs no event.
  for (let tries = 0; searched.events < until && tries < until; tries += 1) {
    if (search.kept.length === 0 || options.stop?.(searched.events) === true) return false;
    searched.continued += 1;
    const dice = openDice(BigInt(searched.continued), "guided");
    const some = [dice.pick(search.kept), dice.pick(search.kept), dice.pick(search.kept)];
    const kept = some.reduce((best, one) => (promiseOf(one) > promiseOf(best) ? one : best));
    kept.tries += 1;
    const { seed } = kept;
    const stands = holdRun(kept.run);
    if (!stands.ok) continue;
    const middle = { scenario: kept.run.scenario, now: stands.value.now, begun: begunIn(stands.value) };
    const scenario = mutated(dice, middle);
    if (scenario === undefined) continue;
    const { held, sequences } = replanned(stands.value, scenario, kept.sequences);
    const { walletOf } = kept.run.world;
    const run = await open(search, scenario, { seed, from: held, walletOf });
    const patience = searched.continued % TO_THE_END_EVERY === 0 ? Infinity : PATIENCE_EVENTS;
    if (await playOn(search, { run, seed, sequences }, patience)) return true;
  }
  return false;
}

/** What was new there counts, the less the more often it was gone on from. */
function promiseOf({ news, tries }: Kept): number {
  return (1 + news) / (1 + tries);
}

function open(search: Search, scenario: Scenario, options: Parameters<typeof openRun>[1]): Promise<Run> {
  const { marks } = search.searched;
  const mark = (name: string) => {
    if (marks.has(name)) return;
    marks.add(name);
    search.fresh += 1;
  };
  search.fresh = 0;
  return openRun(scenario, { ...options, watch: [(context) => marksOf(context, mark)] }, search.options.backends);
}

/** Plays a run as far as it leads to something new, and keeps copies there; answers whether the search is over. */
async function playOn(search: Search, playing: Playing, patience: number): Promise<boolean> {
  const { run } = playing;
  const { world } = run;
  const began = world.trace.events();
  let [copies, kept, seen] = [0, began, began];
  let known = search.fresh;
  const events = () => world.trace.events();
  const mayKeep = () => copies < KEPT_OF_RUN && search.fresh > 0 && events() - kept >= KEPT_EVERY_EVENTS;
  const most = patience === PATIENCE_EVENTS ? EVENTS_MOST : Infinity;
  const isSpent = () => events() - seen > patience || events() - began > most;
  const enough = () => {
    if (search.fresh !== known) [known, seen] = [search.fresh, events()];
    return mayKeep() || isSpent();
  };
  try {
    while (!(await run.goOn(enough))) {
      if (isSpent()) break;
      // Whatever comes after is about coming right: nothing begins there any more.
      if (world.loop.now() < run.scenario.lasts) await keep(search, playing, search.fresh);
      [copies, kept, search.fresh, known] = [copies + 1, events(), 0, 0];
    }
  } finally {
    await run.close();
  }
  search.searched.events += events() - began;
  return world.violations.length > 0 && tell(search, playing);
}

async function keep(search: Search, { run, seed, sequences }: Playing, news: number): Promise<void> {
  const copy = await copyRun(run, search.options.backends);
  if (!copy.ok) return;
  search.kept.push({ run: copy.value, seed, sequences, news, tries: 0 });
  if (search.kept.length <= KEPT_MOST) return;
  const worst = search.kept.reduce((least, one) => (promiseOf(one) < promiseOf(least) ? one : least));
  search.kept.splice(search.kept.indexOf(worst), 1);
  await worst.run.close();
}

/** Plays the scenario of a violation from its beginning, and tells what that came to. */
async function tell(search: Search, { run, seed }: Playing): Promise<boolean> {
  const [violation] = run.world.violations;
  const { report } = await runScenario(run.scenario, { seed }, search.options.backends);
  if (report.violations[0]?.check !== violation?.check) {
    search.searched.unreplayed += 1;
    return false;
  }
  return search.options.broken({ seed, scenario: run.scenario, report });
}
