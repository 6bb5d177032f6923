/**
 * A vote of those who hold a stake: a proposal in full text, votes about it, and an author who takes it back. The
 * weight of a vote is the stake that nodes read on chain. Source: protocol 04 §3.4, §3.5.
 */
import type { Infer } from "../../core/index.ts";
import { enumeration, Text } from "../../core/index.ts";
import { ProposalCreate, ProposalWithdraw, stakeRoles, VoteCast } from "../../core/testing.ts";
import { Name } from "../data/values.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { chainOf } from "./chain.ts";
import { until } from "./trade.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

const Choice = enumeration("Approve", "Reject", "Abstain");
/** What a voter wants. */
export type Choice = Infer<typeof Choice>;

export const governanceForms = {
  propose: actionForm("propose", { proposal: Name, title: Text }),
  "vote-on": actionForm("vote-on", { proposal: Name, choice: Choice }),
  "withdraw-proposal": actionForm("withdraw-proposal", { proposal: Name }),
};

type Of<K extends keyof typeof governanceForms> = Infer<(typeof governanceForms)[K]>;

/** Somebody proposes a change of the market's rules. */
export function propose(author: string, proposal: string, title: string, when: When): Of<"propose"> {
  return { ...begins("propose", author, when), proposal, title };
}

/** Somebody votes on a proposal, with what he has staked as an arbitrator. */
export function voteOn(voter: string, proposal: string, choice: Choice, when: When): Of<"vote-on"> {
  return { ...begins("vote-on", voter, when), proposal, choice };
}

/** The author takes a proposal back. */
export function withdrawProposal(author: string, proposal: string, when: When): Of<"withdraw-proposal"> {
  return { ...begins("withdraw-proposal", author, when), proposal };
}

export const governanceRows: ActionRows<typeof governanceForms> = {
  propose: {
    title: ({ proposal }) => `propose ${proposal}`,
    *run(person, scene, { proposal, title }) {
      const { peer, publicKey } = person.wallet;
      yield* person.send("sendProposalCreate", ProposalCreate, {
        ...{ id: proposal, title, summary: title, category: "Marketplace", author: peer, author_public_key: publicKey },
        ...{ onchain_proposal_id: null, timestamp: person.now() },
      });
      told(scene, person, `proposes: ${title}`);
    },
  },
  "vote-on": {
    title: ({ proposal }) => `vote on ${proposal}`,
    *run(person, scene, { proposal, choice }) {
      yield* until(person, "getProposal", proposal, () => true);
      const { peer, publicKey, address } = person.wallet;
      yield* person.send("sendVoteCast", VoteCast, {
        ...{ proposal_id: proposal, voter: peer, voter_public_key: publicKey, choice },
        // What a voter claims to weigh is signed and ignored.
        weight: 1n,
        stake_account: chainOf(scene).stakeAccount(address, stakeRoles.Arbitrator).address,
        timestamp: person.now(),
      });
      told(scene, person, `votes ${choice} on ${proposal}`);
    },
  },
  "withdraw-proposal": {
    title: ({ proposal }) => `withdraw ${proposal}`,
    *run(person, scene, { proposal }) {
      yield* until(person, "getProposal", proposal, ({ status }) => status === "Voting");
      const withdrawal = { proposal_id: proposal, author: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendProposalWithdraw", ProposalWithdraw, withdrawal, "tagged");
      told(scene, person, `takes ${proposal} back`);
    },
  },
};
