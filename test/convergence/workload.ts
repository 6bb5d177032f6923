/**
 * Random stories over every domain there is: a fold over the signed types, so that a new domain takes part at once.
 * More often than not something that was begun goes on by its next step; the rest is what anybody may say of anything.
 * Trades have makers of their own; everything else is drawn from its schema.
 * Source: CONVERGENCE "Precedence tables".
 */
import fc from "fast-check";
import { marketplace } from "../../core/domains.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { later } from "../../core/kernel/values.ts";
import { memberRead } from "../../sim/arbitraries/signed.ts";
import { at, sign } from "./actors.ts";
import { anyStatement, slotOf } from "./any-statement.ts";
import { readResult, readStake } from "./chain-readings.ts";
import { domainSteps } from "./domain-steps.ts";
import { shuffleOf } from "./shuffle.ts";
import type { Step } from "./steps.ts";
import { anyOf } from "./steps.ts";
import type { Intent, Maker, Story } from "./story.ts";
import { add, emptyStory, pick } from "./story.ts";
import { tradeMakers, tradeOpening } from "./trade-makers.ts";
import { stepTrade } from "./trade-steps.ts";

/** The folders of a trade, whose statements make sense only together. */
const TRADE = ["advertisements", "reservations", "settlement", "disputes"];
/** Domains whose words are about another's records, or count only beside them. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  content: ["trade"],
  reviews: ["trade"],
  tradechannel: ["trade"],
  notifications: ["registry"],
  oracles: ["registry"],
  risk: ["registry"],
  snapshot: ["registry"],
};

/** An intent that says nothing: a long story shrinks to the parts that matter. */
const NOTHING = 0;
/** Of ten things that happen so many are steps. */
const STEPS_OF_TEN = 7;
/** Of ten dates so many are those of the moment; the others are any in two hours. */
const PRESENT_OF_TEN = 7;
/** Of so many things that anybody says one was said before. */
const AGAIN_OF_ALL = 10;
const SLOT_MS = 300_000;
/** Of so many times that time goes on it leaps once, where leaps are longer. */
const LEAPS_OF_ALL = 4;
/** No story takes longer, unless its time goes faster. */
const LASTS_MINUTES = 150;

interface Domain {
  readonly makers: readonly Maker[];
  readonly step: Step | undefined;
  readonly opening: readonly Intent[];
}

/** What else happens in a domain than words. */
const happenings: Readonly<Record<string, readonly Maker[]>> = { governance: [readStake, readStake, readResult] };

/** The domains by name, as the types' tags have it, in an order that no list decides; the four of a trade are one. */
export const everyDomain: readonly string[] = [...new Set(marketplace.types.map(domainName))].sort(compareText);
export const domains: ReadonlyMap<string, Domain> = new Map(
  everyDomain.map(
    (name) =>
      [
        name,
        domainOf(
          name,
          marketplace.types.filter((type) => domainName(type) === name),
        ),
      ] as const,
  ),
);

export function domainName(type: SignedType): string {
  const name = type.tag.split("/")[1] ?? "";
  return TRADE.includes(name) ? "trade" : name;
}

function domainOf(name: string, types: readonly SignedType[]): Domain {
  const own = types.map(makerOf);
  if (name === "trade")
    return {
      makers: [...Array.from({ length: 4 }, () => tradeMakers).flat(), ...own],
      step: stepTrade,
      opening: tradeOpening,
    };
  const makers = [...own, ...(happenings[name] ?? [])];
  const opening = types.flatMap((type, what) =>
    type.creates === undefined ? [] : [0, 1].map((place): Intent => [what, place, place, 1 + place, place]),
  );
  return { makers, step: domainSteps[name], opening };
}

function makerOf(type: SignedType): Maker {
  return (story, a, b, c, when) => void add(story, anyStatement(story, type, [a, b, c], when));
}

/** Somebody says again what he said, word for word but for the date. */
const repeatStatement: Maker = (story, a, _, __, when) => {
  const statements = story.observations.flatMap((each) =>
    each.type === "statement" && each.statement.type.dated ? [each.statement] : [],
  );
  const statement = pick(statements, a);
  if (statement === undefined) return;
  const { type, payload } = statement;
  const member = memberRead(payload as RecordOf<Fields>, type.timeOf) ?? "";
  add(story, sign(type, { ...(payload as RecordOf<Fields>), [member]: when }));
};

/** A choice of makers in which a domain and what it needs have equal parts. */
function makersOf(names: readonly string[]): readonly Maker[] {
  const lists = names.map((name) => domains.get(name)?.makers ?? []);
  const most = Math.max(...lists.map((list) => list.length));
  const all = lists.flatMap((list) => Array.from({ length: Math.ceil(most / list.length) }, () => list).flat());
  return [...all, ...Array.from({ length: Math.ceil(all.length / AGAIN_OF_ALL) }, () => repeatStatement)];
}

/** What the named domains need first, then themselves. */
function withNeeds(names: readonly string[]): readonly string[] {
  return [...new Set([...names.flatMap((name) => NEEDS[name] ?? []), ...names])];
}

const CHOICE = fc.nat({ max: 9_999 });
/** Lists of intents. */
export function arbIntents(minLength: number, maxLength: number): fc.Arbitrary<readonly Intent[]> {
  return fc.array(fc.tuple(CHOICE, CHOICE, CHOICE, CHOICE, CHOICE), { minLength, maxLength });
}

/** In which order, batches and with which repeats and restarts a story is heard. */
export const arbSchedule: fc.Arbitrary<number> = fc.nat();

/** Domains that a story is about: a few, or all. */
export function arbDomains(): fc.Arbitrary<readonly string[]> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.subarray([...everyDomain], { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant(everyDomain) },
  );
}

/**
 * A story from its beginning: something to speak about in each domain, then what the intents say. Where time goes
 * faster, more of it is terminal before the rest begins.
 */
export function storyOf(intents: readonly Intent[], about: readonly string[] = ["trade"], pace = 1): Story {
  const story = emptyStory();
  for (const name of withNeeds(about)) {
    for (const [what, a, b, c, when] of domains.get(name)?.opening ?? []) {
      const date = slotOf(when);
      if (date > story.now) story.now = date;
      domains.get(name)?.makers[what]?.(story, a, b, c, date);
    }
  }
  continueStory(story, intents, about, pace);
  return story;
}

/** Adds what the intents say to a story. */
export function continueStory(
  story: Story,
  intents: readonly Intent[],
  about: readonly string[] = ["trade"],
  pace = 1,
): void {
  const names = withNeeds(about);
  const makers = makersOf(names);
  const step = stepOf(names);
  for (const [what, a, b, c, when] of intents) {
    if (what === NOTHING) continue;
    const date = dateOf(story, when, pace);
    const { below } = shuffleOf(a * 7_919 + b * 104_729 + c);
    const present = when % 2 === 0 ? story.now : date;
    if (what % 10 < STEPS_OF_TEN && step({ story, when: present, below })) continue;
    makers[Math.trunc(what / 10) % makers.length]?.(story, a, b, c, date);
  }
}

/** Steps of every domain; a trade takes as many as three others, for it is the longest way. */
function stepOf(names: readonly string[]): Step {
  const often = (name: string) => (name === "trade" ? Math.ceil(names.length / 3) : 1);
  return anyOf(
    ...names.flatMap((name) => Array.from({ length: often(name) }, () => domains.get(name)?.step ?? [])).flat(),
  );
}

/** The date that something bears: now, as time goes on, or any other of the last hours; now and then time leaps. */
function dateOf(story: Story, when: number, pace: number): EpochMillis {
  const leaps = Math.trunc(when / 30) % LEAPS_OF_ALL === 0;
  if (when % 3 === 1 && story.now < at(LASTS_MINUTES * pace))
    story.now = later(story.now, leaps ? SLOT_MS * pace : SLOT_MS);
  if (Math.trunc(when / 3) % 10 < PRESENT_OF_TEN) return story.now;
  return pace === 1 ? slotOf(when) : later(story.now, -SLOT_MS * (when % 24));
}
