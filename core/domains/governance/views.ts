/**
 * What governance reads: the contender that an id shows, its counted votes, and how it stands to the chain.
 * Source: protocol 04 §3.7, §3.10, §3.11; CONVERGENCE "Records and ids".
 */

import { identityOfName } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import { latest } from "../../kernel/values.ts";
import type { CastVote, Proposal, ProposalRow } from "./schema.ts";
import { CastVotes, Proposals } from "./tables.ts";

/** A proposal's identity and its record. */
export interface ShownProposal {
  readonly identity: string;
  readonly row: ProposalRow;
}

/**
 * The contender that a bare id shows: one that the chain decided, then the smallest (timestamp, identity). An identity
 * in base58 shows that one, and an earned id has only one.
 */
export function proposalById(reader: Reader, id: string): ShownProposal | undefined {
  const identity = identityOfName(id);
  const named = identity && reader.get(Proposals, identity);
  if (identity !== undefined && named !== undefined) return { identity, row: named };
  return reader
    .find(Proposals, "id", id)
    .flatMap((key): ShownProposal[] => {
      const row = reader.get(Proposals, key);
      return row === undefined ? [] : [{ identity: key, row }];
    })
    .sort(compareShown)[0];
}

/** Every proposal, one for each id, in order of id. */
export function allProposals(reader: Reader): readonly ShownProposal[] {
  const ids = new Set<string>();
  for (const key of reader.keys(Proposals)) {
    const row = reader.get(Proposals, key);
    if (row !== undefined) ids.add(row.id);
  }
  return [...ids].sort(compareText).flatMap((id) => proposalById(reader, id) ?? []);
}

/** A proposal with its votes, in order of (timestamp, voter). Source: protocol 04 §3.11. */
export function proposalView(reader: Reader, { identity, row }: ShownProposal): Proposal {
  const votes = recordsOf(reader, CastVotes, "proposal", identity).map(
    ({ voter, choice, weight, timestamp }): CastVote => ({ voter, choice, weight, timestamp }),
  );
  votes.sort((a, b) => (a.timestamp !== b.timestamp ? (a.timestamp < b.timestamp ? -1 : 1) : compareVoters(a, b)));
  return { ...row, votes, updated_at: latest([row.updated_at, ...votes.map((vote) => vote.timestamp)]) };
}

function compareVoters(a: CastVote, b: CastVote): number {
  return compareText(a.voter, b.voter);
}

function compareShown(a: ShownProposal, b: ShownProposal): number {
  const decided = ({ row }: ShownProposal) => row.status !== "Voting" && row.status !== "Withdrawn";
  if (decided(a) !== decided(b)) return decided(a) ? -1 : 1;
  if (a.row.created_at !== b.row.created_at) return a.row.created_at < b.row.created_at ? -1 : 1;
  return a.identity < b.identity ? -1 : 1;
}
