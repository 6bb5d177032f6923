/**
 * The governance folds: each proposal, and those of one id together where an on-chain proposal may answer one of them
 * only; and, apart, the one vote of each voter on each proposal, so that a vote never folds the others again.
 * Source: CONVERGENCE "Small folds", "Chain facts"; protocol 04 §3.11.
 */

import type { FoldUnit, Mark } from "../../engine/statements/fold.ts";
import { childrenBySigner } from "../../engine/statements/own-statements.ts";
import { childrenOfType, contenders, contendersOf, parentsOf, Statements } from "../../engine/statements/table.ts";
import { toHex } from "../../kernel/bytes.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { utf8 } from "../../kernel/text.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import { answersClaim, isInWindow, proposalRow, weightOf } from "./rules.ts";
import { ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "./schema.ts";
import type { Resolution } from "./tables.ts";
import { CastVotes, Proposals, Resolutions, StakeReadings } from "./tables.ts";

const PROPOSALS = "proposals";
const VOTES = "votes";

/** Both folds; ids are hashed with the node's own SHA-256. */
export function governanceFolds(hash: CryptoPort["sha256"]): readonly FoldUnit[] {
  return [
    {
      name: PROPOSALS,
      touches: {
        [ProposalCreate.name]: markCreated,
        [ProposalWithdraw.name]: markOwn,
        [ProposalActivate.name]: markOwn,
      },
      refold: (draft, key) => refoldProposals(hash, draft, key),
    },
    {
      name: VOTES,
      touches: {
        [ProposalCreate.name](draft, create, mark) {
          for (const vote of childrenOfType<VoteCast>(draft, create, VoteCast)) markVote(draft, vote, mark);
        },
        [VoteCast.name]: markVote,
      },
      refold: refoldVote,
    },
  ];
}

/** What is marked: one proposal by its identity, or all that bear an id. */
const ONE = "one ";
const ALL = "all ";

/**
 * A proposal changes no other one, unless it is a claim of him who proposed on chain: then the chain's result is his
 * alone. The id of a void proposal may spell another's identity: that is no id, and a result would be lost over it.
 */
function markCreated(draft: Draft, { identity, idForm, payload }: Statement, mark: Mark): void {
  if (idForm === "void") return;
  const { id, author_public_key, onchain_proposal_id: onchain } = payload as ProposalCreate;
  const found = onchain === null ? undefined : draft.get(Resolutions, onchain.toString());
  mark(PROPOSALS, found?.proposer === author_public_key ? `${ALL}${id}` : `${ONE}${identity}`);
}

/** What somebody does about a proposal counts about his own only, however many others bear its id. */
function markOwn(draft: Draft, statement: Statement, mark: Mark): void {
  const about = statement.type.about(statement.payload as never);
  for (const { identity } of about === undefined ? [] : contendersOf(draft, about, [statement.signer]))
    mark(PROPOSALS, `${ONE}${identity}`);
}

/** Marks what a fact of this domain lies over. */
export function markGovernanceFact(draft: Draft, table: string, key: string, mark: Mark): void {
  if (table === Resolutions.name) {
    for (const identity of draft.find(Proposals, "onchain", key)) {
      const row = draft.get(Proposals, identity);
      if (row !== undefined) mark(PROPOSALS, `${ALL}${row.id}`);
    }
  }
  const vote = table === StakeReadings.name ? draft.get(Statements, key) : undefined;
  if (vote !== undefined) markVote(draft, vote, mark);
}

/** The keys of the authors who claim one on-chain number under one id. */
export function claimantsOf(reader: Reader, id: string, onchain: bigint): ReadonlySet<string> {
  const claims = contenders<ProposalCreate>(reader, "proposal", id).filter(
    ({ payload }) => payload.onchain_proposal_id === onchain,
  );
  return new Set(claims.map(({ payload }) => payload.author_public_key));
}

/** The hash that an on-chain proposal bears to answer an id. Source: protocol 04 §3.10. */
export function offchainIdHash(hash: CryptoPort["sha256"], id: string): string {
  return toHex(hash(utf8(id)));
}

function refoldProposals(hash: CryptoPort["sha256"], draft: Draft, key: string): void {
  const rest = key.slice(ONE.length);
  const one = key.startsWith(ONE) ? (draft.get(Statements, rest) as Statement<ProposalCreate> | undefined) : undefined;
  if (one !== undefined) return refoldProposal(hash, draft, one);
  const claimants = new Map<bigint, ReadonlySet<string>>();
  for (const create of contenders<ProposalCreate>(draft, "proposal", rest))
    refoldProposal(hash, draft, create, claimants);
}

/** One proposal; `claimants` keeps who claims a number of its id where many are folded. */
function refoldProposal(
  hash: CryptoPort["sha256"],
  draft: Draft,
  create: Statement<ProposalCreate>,
  claimants = new Map<bigint, ReadonlySet<string>>(),
): void {
  const { id, onchain_proposal_id: onchain, author_public_key: author } = create.payload;
  let resolution: Resolution | undefined;
  const found = onchain === null ? undefined : draft.get(Resolutions, onchain.toString());
  if (onchain !== null && found !== undefined) {
    const rivals = claimants.get(onchain) ?? claimantsOf(draft, id, onchain);
    claimants.set(onchain, rivals);
    if (answersClaim(found, offchainIdHash(hash, id), author, rivals)) resolution = found;
  }
  const own = childrenBySigner(draft, create, create.signer).toSorted(compareStatements);
  const first = <P>({ name }: { readonly name: string }) =>
    own.find((statement) => statement.type.name === name) as Statement<P> | undefined;
  const acts = {
    withdraw: first<ProposalWithdraw>(ProposalWithdraw),
    activate: first<ProposalActivate>(ProposalActivate),
  };
  draft.put(Proposals, create.identity, proposalRow(create, acts, resolution));
}

/** Of a voter's votes whose stake was read, the smallest (timestamp, identity) inside the window counts. */
function refoldVote(draft: Draft, key: string): void {
  const [proposal, voter] = key.split(":") as [string, PeerId];
  const create = draft.get(Statements, proposal) as Statement<ProposalCreate> | undefined;
  if (create === undefined) return;
  const counted = votesOf(draft, create, voter).find((vote) => draft.get(StakeReadings, vote.identity) !== undefined);
  const stake = counted && draft.get(StakeReadings, counted.identity);
  if (counted === undefined || stake === undefined) return draft.put(CastVotes, key, undefined);
  const { choice, timestamp } = counted.payload;
  draft.put(CastVotes, key, { proposal, voter, choice, weight: weightOf(stake), timestamp });
}

/** A voter's votes inside a proposal's window, smallest first. */
export function votesOf(
  reader: Reader,
  create: Statement<ProposalCreate>,
  voter: PeerId,
): readonly Statement<VoteCast>[] {
  const votes = childrenBySigner(reader, create, voter).filter(({ type }) => type.name === VoteCast.name);
  return (votes as Statement<VoteCast>[]).filter((vote) => isInWindow(create, vote.timestamp)).sort(compareStatements);
}

/** A vote without a reading changes no record, so it folds nothing. */
function markVote(draft: Draft, vote: Statement, mark: Mark): void {
  if (draft.get(StakeReadings, vote.identity) === undefined) return;
  for (const create of parentsOf<ProposalCreate>(draft, vote)) mark(VOTES, `${create.identity}:${vote.signer}`);
}
