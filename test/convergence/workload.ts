/**
 * Random stories over every domain there is: a fold over the signed types, so that a new domain takes part at once.
 * Trades have makers of their own, which know what follows what; everything else is drawn from its schema.
 * Source: CONVERGENCE "Precedence tables" (ours).
 */
import fc from "fast-check";
import { signedTypes } from "../../core/domains.ts";
import type { ProposalCreate } from "../../core/governance/schema.ts";
import { VoteCast } from "../../core/governance/schema.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { crypto } from "./actors.ts";
import { anyWord, slotOf } from "./any-word.ts";
import type { Heard } from "./replica.ts";
import type { Intent, Maker, Story } from "./story.ts";
import { add, creates, emptyStory, pick } from "./story.ts";
import { tradeMakers, tradeOpening } from "./trade-makers.ts";

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

interface Domain {
  readonly makers: readonly Maker[];
  readonly opening: readonly Intent[];
}

/** Reads the stake behind a vote, once. */
const readStake: Maker = (story, a, b, c) => {
  const votes = story.heard.filter((each) => each.type === "said" && each.statement.type.name === VoteCast.name);
  const vote = pick(votes, a);
  if (vote?.type !== "said" || isRead(story, "stake", vote.statement.identity)) return;
  const fact = {
    stake_account: "account",
    role: 2,
    amount: BigInt(b % 4),
    minimum: c % 3 === 0 ? null : BigInt(c % 4),
  };
  story.heard.push({ type: "stake", id: vote.statement.identity, fact });
};

/** Reads what the chain's tally says of a proposal, once for each number. */
const readResult: Maker = (story, a, b, c, when) => {
  const claims = creates<ProposalCreate>(story, "proposal");
  const [proposal, other] = [pick(claims, a), pick(claims, b)];
  const id = proposal?.payload.onchain_proposal_id?.toString();
  if (proposal === undefined || id === undefined || isRead(story, "result", id)) return;
  const fact = {
    offchain_id_hash: toHex(crypto.sha256(utf8(proposal.payload.id))),
    proposer: (c % 3 === 0 ? other : proposal)?.payload.author_public_key ?? "",
    state: c % 2 === 0 ? ("Accepted" as const) : ("Rejected" as const),
    votes_for: 6n,
    votes_against: 4n,
    voting_ends_at: when,
  };
  story.heard.push({ type: "result", id, fact });
};

/** What else happens in a domain than words. */
const happenings: Readonly<Record<string, readonly Maker[]>> = { governance: [readStake, readStake, readResult] };

/** The domains by name, as the types' tags have it; the four of a trade are one. */
export const everyDomain: readonly string[] = [...new Set(signedTypes.map(domainName))];
export const domains: ReadonlyMap<string, Domain> = new Map(
  everyDomain.map(
    (name) =>
      [
        name,
        domainOf(
          name,
          signedTypes.filter((type) => domainName(type) === name),
        ),
      ] as const,
  ),
);

function domainName(type: SignedType): string {
  const name = type.tag.split("/")[1] ?? "";
  return TRADE.includes(name) ? "trade" : name;
}

function domainOf(name: string, types: readonly SignedType[]): Domain {
  const own = types.map(makerOf);
  if (name === "trade")
    return { makers: [...Array.from({ length: 4 }, () => tradeMakers).flat(), ...own], opening: tradeOpening };
  const makers = [...own, ...(happenings[name] ?? [])];
  const opening = types.flatMap((type, what) =>
    type.creates === undefined ? [] : [0, 1].map((place): Intent => [what, place, place, 1 + place, place]),
  );
  return { makers, opening };
}

function makerOf(type: SignedType): Maker {
  return (story, a, b, c, when) => void add(story, anyWord(story, type, [a, b, c], when));
}

/** A cast of makers in which a domain and what it needs have equal parts. */
function makersOf(names: readonly string[]): readonly Maker[] {
  const lists = names.map((name) => domains.get(name)?.makers ?? []);
  const most = Math.max(...lists.map((list) => list.length));
  return lists.flatMap((list) => Array.from({ length: Math.ceil(most / list.length) }, () => list).flat());
}

/** What the named domains need first, then themselves. */
function withNeeds(names: readonly string[]): readonly string[] {
  return [...new Set([...names.flatMap((name) => NEEDS[name] ?? []), ...names])];
}

const CHOICE = fc.nat({ max: 9_999 });
/** Lists of intents. */
export function arbIntents(minLength: number, maxLength: number): fc.Arbitrary<readonly Intent[]> {
  return fc.array(fc.tuple(CHOICE, CHOICE, CHOICE, CHOICE, CHOICE), { minLength, maxLength, size: "max" });
}

/** Domains that a story is about: a few, or all. */
export function arbDomains(): fc.Arbitrary<readonly string[]> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.subarray([...everyDomain], { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant(everyDomain) },
  );
}

/** A story from its beginning: something to speak about in each domain, then what the intents say. */
export function storyOf(intents: readonly Intent[], about: readonly string[] = ["trade"]): Story {
  const story = emptyStory();
  for (const name of withNeeds(about)) {
    const domain = domains.get(name);
    if (domain !== undefined) tell(story, domain.makers, domain.opening);
  }
  continueStory(story, intents, about);
  return story;
}

/** Adds what the intents say to a story. */
export function continueStory(story: Story, intents: readonly Intent[], about: readonly string[] = ["trade"]): void {
  tell(story, makersOf(withNeeds(about)), intents);
}

function tell(story: Story, makers: readonly Maker[], intents: readonly Intent[]): void {
  for (const [what, a, b, c, when] of intents) makers[what % makers.length]?.(story, a, b, c, slotOf(when));
}

function isRead(story: Story, type: Heard["type"], id: string): boolean {
  return story.heard.some((each) => each.type !== "said" && each.type === type && each.id === id);
}
