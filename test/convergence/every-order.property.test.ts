// Goal: for each domain, every order of a small set leads to the same records and the same answers (DESIGN L2).
// Method: a word of a random story, of any type of the domain, with what it is about and what else names that; four or
// five of them in every order, heard one by one, the others at some moment, against the set at once. Every type is in
// effect among them. Large sets: network.property.test.ts.
import { assert, describe, test } from "vitest";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { namesOf, slot } from "../../core/engine/statements/table.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";
import { at, crypto } from "./actors.ts";
import type { Ask } from "./answers.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { difference } from "./convergence-law.ts";
import { cameTo, demandedTypes, isInEffect } from "./coverage.ts";
import type { Observation, Replica } from "./replica.ts";
import { openReplica, recordsText, replicaOf, rootsOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { permutations, shuffleOf } from "./shuffle.ts";
import { storyText } from "./story-text.ts";
import { arbIntents, arbSchedule, domainName, everyDomain, storyOf } from "./workload.ts";

/** Things that are heard in every order, mostly and at most; and all that are heard: what a reveal needs is seven. */
const [ORDERED, ORDERED_MAX, ALL] = [4, 5, 8];
/** Of so many cases one has the most: five times as many orders. */
const MOST_OF = 6;
/** Of so many orders one is asked too: roots tell records apart, answers cost more. */
const ASKED_OF = 24;
/** Cases that are looked at for what they come to, more where a domain has many types. */
const SAMPLE: Readonly<Record<string, number>> = { trade: 70, governance: 20 };

/** A few things of a story: those to be heard in every order, and the others with the moment when they are heard. */
interface Few {
  readonly ordered: readonly Observation[];
  readonly others: readonly Observation[];
  readonly moment: number;
}

describe("every order of a small set", () => {
  test.each(everyDomain)("in stories of %s", (domain) => {
    forAll(
      [arbIntents(30, 60), arbSchedule],
      (intents, seed) => {
        const random = shuffleOf(seed);
        const few = relatives(storyOf(intents, [domain]).observations, domain, random);
        const all = [...few.ordered, ...few.others];
        const whole = replicaOf(all);
        expectSameInEveryOrder(few, whole, asksAbout(all, random, at(35)));
        const related = few.ordered.every((each) => all.some((other) => areRelated(each, other)));
        const labels = [`${few.ordered.length} in every order`, ...(related ? ["all belong together"] : [])];
        return [...cameTo(whole.store(), few.ordered), ...labels];
      },
      {
        runs: 2,
        nightly: 400,
        sample: SAMPLE[domain] ?? 8,
        shares: {
          ...demandedTypes(domain),
          "all belong together": 0.5,
          ...(domain === "trade" && { "5 in every order": 0.05 }),
        },
      },
    );
  });
});

function expectSameInEveryOrder({ ordered, others, moment }: Few, whole: Replica, asks: readonly Ask[]): void {
  let place = 0;
  for (const order of permutations(ordered)) {
    const replica = openReplica();
    order.forEach((each, round) => {
      if (round === moment) replica.receive(others);
      replica.receive([each]);
    });
    if (moment >= order.length) replica.receive(others);
    const told = place++ % ASKED_OF === 0 ? differentAnswer(whole.store(), replica.store(), asks) : undefined;
    if (rootsOf(replica) === rootsOf(whole) && told === undefined) continue;
    const wrong = told ?? difference(recordsText(whole), recordsText(replica));
    assert.fail(`${wrong}\n\n${storyText(order)}\n\nafter ${moment} of them:\n${storyText(others)}`);
  }
}

/** A word of a domain, of any of its types; what it is about and that is about; then what names or follows them. */
function relatives(observations: readonly Observation[], domain: string, random: Shuffle): Few {
  const store = replicaOf(observations).store();
  const counts = (each: Observation) => each.type === "statement" && isInEffect(store, each.statement);
  const any = random.shuffled(observations);
  const shuffled = random.below(4) === 0 ? any : [...any.filter(counts), ...any.filter((each) => !counts(each))];
  const types = new Set(shuffled.flatMap((each) => typeOf(each) ?? []));
  const [type] = random.shuffled([...types].filter((each) => domainName(each) === domain));
  const all: Observation[] = shuffled.filter((each) => typeOf(each) === type).slice(0, 1);
  for (let at = 0; at < all.length; at++) {
    const about = aboutOf(all[at]);
    all.push(...shuffled.filter((each) => !all.includes(each) && namesIn(each).includes(about ?? "")).slice(0, 1));
  }
  const [word] = all;
  const related = shuffled.filter((each) => !all.includes(each) && all.some((other) => areRelated(each, other)));
  const near = related.filter((each) => aboutOf(each) !== undefined && aboutOf(each) === aboutOf(word));
  const own = near.filter((each) => signerOf(each) === signerOf(word));
  const fact = related.filter(({ type }) => type !== "statement").slice(0, 1);
  const whole = [...new Set([...all, ...own.slice(0, 2), ...fact, ...near, ...related, ...shuffled])].slice(0, ALL);
  const count = random.below(MOST_OF) === 0 ? ORDERED_MAX : ORDERED;
  const ordered = [...new Set([...whole.slice(0, 1), ...random.shuffled(whole)])].slice(0, count);
  return { ordered, others: whole.filter((each) => !ordered.includes(each)), moment: random.below(count + 1) };
}

function areRelated(one: Observation, other: Observation): boolean {
  if (one === other) return false;
  const slots = slotsOf(one);
  return slotsOf(other).some((name) => slots.includes(name));
}

function signerOf(each: Observation | undefined): string | undefined {
  return each?.type === "statement" ? each.statement.signer : undefined;
}

function typeOf(each: Observation): SignedType | undefined {
  return each.type === "statement" ? each.statement.type : undefined;
}

/** What a thing is about. */
function aboutOf(each: Observation | undefined): string | undefined {
  if (each?.type !== "statement") return undefined;
  const { type, payload } = each.statement;
  if (type.name === AttachmentPublish.name)
    return slot({ kind: "settlement", name: (payload as AttachmentPublish).subject.Settlement });
  const reference = type.about(payload as never);
  return reference && slot(reference);
}

/** What a thing may be called. */
function namesIn(each: Observation): readonly string[] {
  return each.type === "statement" ? namesOf(each.statement).map(slot) : [];
}

/** By what a thing belongs to others: its names, what it is about, and else whose it is. */
function slotsOf(each: Observation): readonly string[] {
  if (each.type === "seen") return [`reservation/${each.fact.reservation}`];
  if (each.type === "result") return [`${each.fact.offchain_id_hash} ${each.id}`];
  if (each.type === "stake") return [each.id];
  const about = aboutOf(each);
  const { type, payload, signer, identity } = each.statement;
  const own = about === undefined ? [`of ${signer}`, ...claimOf(type, payload)] : [about];
  return [identity, ...namesIn(each), ...own];
}

/** The number that a proposal claims on the chain, with the hash of its id. */
function claimOf({ name }: SignedType, payload: unknown): readonly string[] {
  if (name !== ProposalCreate.name) return [];
  const { id, onchain_proposal_id } = payload as ProposalCreate;
  return [`${toHex(crypto.sha256(utf8(id)))} ${onchain_proposal_id}`];
}
