/**
 * What nodes read on the chain about proposals: the stake behind a vote, and what the tally says. Each is read once.
 * Source: protocol 04 §3.10, §3.11.
 */
import type { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { VoteCast } from "../../core/domains/governance/schema.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { crypto } from "./actors.ts";
import type { Observation } from "./replica.ts";
import type { Maker, Story } from "./story.ts";
import { creates, pick, receive } from "./story.ts";

/** Reads the stake behind a vote. */
export const readStake: Maker = (story, a, b, c) => {
  const votes = story.observations.flatMap((each) =>
    each.type === "statement" && each.statement.type.name === VoteCast.name ? [each.statement] : [],
  );
  const vote = pick(
    votes.filter(({ identity }) => !isRead(story, "stake", identity)),
    a,
  );
  if (vote === undefined) return;
  const fact = {
    stake_account: "account",
    role: 2,
    amount: BigInt(b % 4),
    minimum: c % 3 === 0 ? null : BigInt(c % 4),
  };
  receive(story, { type: "stake", id: vote.identity, fact });
};

/** Reads what the chain's tally says of a proposal, which somebody else may have proposed there. */
export const readResult: Maker = (story, a, b, c, when) => {
  const claims = creates<ProposalCreate>(story, "proposal").filter(({ payload }) => {
    const number = payload.onchain_proposal_id?.toString();
    return number !== undefined && !isRead(story, "result", number);
  });
  const [proposal, other] = [pick(claims, a), pick(claims, b)];
  if (proposal === undefined) return;
  const fact = {
    offchain_id_hash: toHex(crypto.sha256(utf8(proposal.payload.id))),
    proposer: (c % 3 === 0 ? other : proposal)?.payload.author_public_key ?? "",
    state: c % 4 < 2 ? ("Accepted" as const) : ("Rejected" as const),
    votes_for: 6n,
    votes_against: 4n,
    voting_ends_at: when,
  };
  receive(story, { type: "result", id: String(proposal.payload.onchain_proposal_id), fact });
};

/** Whether the chain told what became of a proposal's number, as its author proposed it. */
export function isDecided(story: Story, { onchain_proposal_id, author_public_key }: ProposalCreate): boolean {
  return story.observations.some(
    (each) =>
      each.type === "result" &&
      each.id === onchain_proposal_id?.toString() &&
      each.fact.proposer === author_public_key &&
      each.fact.state === "Accepted",
  );
}

function isRead(story: Story, type: Observation["type"], id: string): boolean {
  return story.observations.some((each) => each.type !== "statement" && each.type === type && each.id === id);
}
