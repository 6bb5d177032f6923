/**
 * What people do next about one record: a few acts one after the other, each of a kind that can be signed about it, by
 * its parties mostly, dated when they are sent or before. Going on from one copy, each act comes first once before any
 * does again. Source: DESIGN section 5 "Everything is data"; protocol 01 §4.
 */
import type { SignedType } from "../../core/index.ts";
import { PendingFacts } from "../../core/testing.ts";
import type { Action } from "../action-kinds.ts";
import { observedBy } from "../actions/observed-statements.ts";
import { choicesOf, publications, publish } from "../actions/publish.ts";
import type { TradeTerms } from "../actions/trade-terms.ts";
import type { AttackOf, ChosenAct } from "../byzantine/attacks.ts";
import { tradeActsOf } from "../byzantine/unchecked-acts.ts";
import { attacker } from "../fault-plans.ts";
import type { Scenario } from "../scenario.ts";
import { unchecked } from "../swarm/attackers.ts";
import type { Dice } from "../swarm/dice.ts";
import { openDice } from "../swarm/dice.ts";
import { STRANGERS } from "../swarm/roster.ts";
import type { World } from "../world.ts";

/** Who brings what others signed to a node, and checks nothing: one in a world, so that he joins it once. */
export const COURIER = "courier";
/** Acts of one series at most: about a trade, and statements about another record; and from one to the next. */
const ACTS = 4;
const STATEMENTS = 8;
const BETWEEN_MS = 50;
/** How far back an act is dated at most: behind those before it. */
const EARLIER_MS = 1_000;
/** Of so many acts one is dated back, and of so many one is somebody's whose it is not. */
const EARLIER_EVERY = 4;
const STRANGE_EVERY = 8;
/** Of so many series one may be about another record than its turn is. */
const OTHER_EVERY = 4;
/** What trades are made of: worlds of trades are about it. */
const OF_TRADES = ["reservation", "settlement", "dispute"];
/** Things of one kind that an act may say. */
const DRAWS = 8;
/** Strangers who may act on a trade: each is one more by whom everything can be signed. */
const OTHERS = STRANGERS.slice(0, 2);

/** A world that people act in: its scenario, the instant, what somebody made there; which copy it is, and its tries. */
export interface Stand {
  readonly scenario: Scenario;
  readonly now: number;
  readonly records: readonly Made[];
  readonly tried: { readonly of: number; readonly tries: number };
  /** The kind of record that something is to be said about, in a world of statements. */
  readonly about: string | undefined;
  /** Slots since the oldest fact that a fork can still undo; nothing where there is none. */
  readonly undoable: number | undefined;
}

/** A record that somebody made, and who has a part in it. */
interface Made {
  readonly kind: string;
  readonly parties: readonly string[];
}

/** What people of a world made, as its first node has it. */
export function recordsIn(world: World): readonly Made[] {
  const names = new Map([...world.people()].map(({ peer, name }) => [peer as string, name]));
  return observedBy(world, 0).flatMap(({ type: { creates, parties }, payload }): Made[] => {
    const known = parties(payload as never).flatMap((peer) => names.get(peer) ?? []);
    return creates === undefined || known.length === 0 ? [] : [{ kind: creates, parties: known }];
  });
}

/** How many slots a fork must leave the chain back to undo what some node waits to be final. */
export function undoableIn(world: World): number | undefined {
  const slot = world.chain()?.slot("processed");
  if (slot === undefined) return undefined;
  const ages = world.nodes.flatMap(({ driver }) => {
    const view = driver()?.view;
    const facts = view === undefined ? [] : [...view.keys(PendingFacts)].map((key) => view.get(PendingFacts, key));
    return facts.flatMap((fact) => (fact === undefined || fact.final ? [] : [Number(slot - fact.slot) + 1]));
  });
  return ages.length === 0 ? undefined : Math.max(1, ...ages);
}

/** A trade, and everybody who may act on it. */
export function tradeAim(trade: TradeTerms): Omit<AttackOf<"chosen-acts">, "kind" | "acts"> {
  const { kind: _, ...about } = unchecked(trade);
  return { ...about, others: [...OTHERS] };
}

/** A few acts about a trade. */
export function actInSeries(dice: Dice, trade: TradeTerms, { scenario, now, tried }: Stand): Scenario {
  const about = tradeAim(trade);
  const choices = tradeActsOf(about);
  const everybody = [about.merchant, about.buyer, about.seller, ...about.others];
  const chosen = (choice: (typeof choices)[number]): ChosenAct => ({
    act: choice.act,
    by: dice.oneIn(STRANGE_EVERY) ? dice.pick(everybody) : choice.by,
    draw: dice.below(DRAWS),
    earlierMs: dice.oneIn(EARLIER_EVERY) ? dice.between(1, EARLIER_MS) : 0,
  });
  const acts = [oneAfterAnother(choices, tried), ...rest(dice, choices, ACTS)].map(chosen);
  const span = { from: now + 1, until: now + 1 + (acts.length + 1) * BETWEEN_MS, times: acts.length };
  const series = attacker(COURIER, { kind: "chosen-acts", ...about, acts }, span);
  return { ...scenario, faults: [...scenario.faults, series] };
}

/** Kinds of records that something can be said about: of what was said last, or of everything that is there. */
export function aboutIn({ actions }: Scenario, records: readonly Made[]): readonly string[] {
  const last = actions.at(-1);
  const type = last?.kind === "publish" ? publications().find((one) => one.type.name === last.type)?.type : undefined;
  const kind = type === undefined ? undefined : recordAbout(type);
  const kinds = new Set(kind === undefined ? records.map((record) => record.kind) : [kind]);
  return [...kinds].filter((one) => !OF_TRADES.includes(one) && typesAbout(one) > 0);
}

/** How many types of statements are about a kind of record. */
export function typesAbout(kind: string): number {
  const about = publications().filter(({ type }) => recordAbout(type) === kind);
  return new Set(about.map(({ type }) => type.name)).size;
}

function recordAbout(type: SignedType): string | undefined {
  return type.about({} as never)?.kind;
}

/** A few statements about one of the records that somebody made, through a node that checks them. */
export function publishAbout(dice: Dice, { scenario, now, tried, records, about }: Stand): Scenario | undefined {
  const all = publications();
  const choicesAbout = ({ kind }: Made) => all.filter(({ type }) => recordAbout(type) === kind);
  const acted = records.filter((record) => choicesAbout(record).length > 0);
  if (acted.length === 0) return undefined;
  const same = acted.filter(({ kind }) => kind === about);
  const record = dice.pick(same.length > 0 && !dice.oneIn(OTHER_EVERY) ? same : acted);
  const choices = choicesAbout(record);
  const first = oneAfterAnother(choices.flatMap(choicesOf), tried);
  const published = [first, ...rest(dice, choices, STATEMENTS).map((one) => dice.pick(choicesOf(one)))].map(
    (publication, place): Action => {
      const by = dice.oneIn(STRANGE_EVERY) ? dice.pick(STRANGERS) : dice.pick(record.parties);
      return publish(by, publication, { at: now + 1 + place * BETWEEN_MS, via: dice.below(scenario.nodes) }, 1);
    },
  );
  return { ...scenario, actions: [...scenario.actions, ...published] };
}

/** The choice whose time has come, in an order that every copy has for itself. */
function oneAfterAnother<T>(choices: readonly T[], { of, tries }: Stand["tried"]): T {
  const order = openDice(BigInt(of), "order of acts").shuffled(choices);
  return order[tries % order.length] as T;
}

function rest<T>(dice: Dice, choices: readonly T[], most: number): readonly T[] {
  return Array.from({ length: dice.between(0, most - 1) }, () => dice.pick(choices));
}
