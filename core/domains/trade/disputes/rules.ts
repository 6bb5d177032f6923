/**
 * Dispute rules: a panel's statements become counts and evidence; an outcome comes only from a chain fact
 * that the settlement carries. No code path from reveals to an outcome exists.
 * Owns: disputes. Sees: the settlement it belongs to. Source: CONVERGENCE "Dispute"; protocol 03 A.
 */

import { concat, equalBytes, toHex } from "../../../kernel/bytes.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { PeerId } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import type { CryptoPort } from "../../../ports/crypto.ts";
import type { SettlementRow } from "../settlements/schema.ts";
import type { Dispute, DisputeOpen, DisputeStatus, Vote } from "./schema.ts";
import { ArbitratorJoin, MutualSettlementAgree, REQUIRED_ARBITRATORS, VoteCommit, VoteReveal } from "./schema.ts";

/** What one arbitrator did: joined, committed (perhaps repeatedly), and revealed what opens a commit. */
export interface Seat {
  readonly join: Statement<ArbitratorJoin>;
  readonly commits: readonly Statement<VoteCommit>[];
  readonly reveal: Statement<VoteReveal> | undefined;
}

/** Everything that counts about one dispute. */
export interface Panel {
  readonly seats: readonly Seat[];
  readonly agreements: readonly Statement<MutualSettlementAgree>[];
}

/** Index of a vote's byte in a commitment. Source: protocol 03 A.4.4. */
const VOTE_BYTES: Readonly<Record<Vote, number>> = { BuyerWins: 0, MerchantWins: 1, Invalid: 2 };

/** SHA-256 of the vote's byte and the secret. Source: protocol 03 A.4.4. */
export function commitmentOf(hash: CryptoPort["sha256"], vote: Vote, secret: Uint8Array): Uint8Array {
  return hash(concat(Uint8Array.of(VOTE_BYTES[vote]), secret));
}

/** The commits of their signer that a reveal opens; it is hashed once, however many they are. */
export function openedBy(
  hash: CryptoPort["sha256"],
  reveal: VoteReveal,
  commits: readonly Statement<VoteCommit>[],
): readonly Statement<VoteCommit>[] {
  if (commits.length === 0) return [];
  const commitment = commitmentOf(hash, reveal.vote, reveal.secret);
  return commits.filter((commit) => equalBytes(commitment, commit.payload.commitment));
}

/** The commitment that a reveal opens. */
export type Opening = (reveal: Statement<VoteReveal>) => Uint8Array;

/** What reveals open, hashed where it is asked for. */
export function openingBy(hash: CryptoPort["sha256"]): Opening {
  return ({ payload }) => commitmentOf(hash, payload.vote, payload.secret);
}

/** The panel of a dispute: every joiner but the parties, each with his own commits and reveal. */
export function panelOf(opening: Opening, parties: readonly PeerId[], statements: readonly Statement[]): Panel {
  const sorted = [...new Map(statements.map((statement) => [statement.identity, statement])).values()].sort(
    compareStatements,
  );
  const bySigner = new Map<PeerId, Statement[]>();
  for (const statement of sorted) {
    const own = bySigner.get(statement.signer);
    if (own === undefined) bySigner.set(statement.signer, [statement]);
    else own.push(statement);
  }
  const seats: Seat[] = [];
  for (const [signer, own] of bySigner) {
    if (parties.includes(signer)) continue;
    const join = own.find((statement) => statement.type.name === ArbitratorJoin.name);
    if (join !== undefined) seats.push(seatOf(opening, join as Statement<ArbitratorJoin>, own));
  }
  return {
    seats: seats.sort((a, b) => compareStatements(a.join, b.join)),
    agreements: sorted.filter(
      (statement) => statement.type.name === MutualSettlementAgree.name && parties.includes(statement.signer),
    ) as Statement<MutualSettlementAgree>[],
  };
}

/** The record of one dispute. */
export function disputeOf(open: Statement<DisputeOpen>, settlement: SettlementRow, panel: Panel): Dispute {
  const { seats, agreements } = panel;
  const committed = seats.filter((seat) => seat.commits.length > 0);
  const revealed = seats.flatMap((seat) => (seat.reveal === undefined ? [] : [seat.reveal])).sort(compareStatements);
  const [buyerAgreed, sellerAgreed] = [settlement.buyer, settlement.seller].map((party) =>
    agreements.some((agreement) => agreement.signer === party),
  ) as [boolean, boolean];
  const counts = { joined: seats.length, committed: committed.length, revealed: revealed.length };
  const effective = [
    open,
    ...agreements,
    ...revealed,
    ...seats.flatMap((seat) => [seat.join, ...seat.commits.slice(0, 1)]),
  ];
  return {
    id: open.payload.id,
    settlement_id: open.payload.settlement_id,
    buyer: settlement.buyer,
    buyer_public_key: settlement.buyer_public_key,
    seller: settlement.seller,
    seller_public_key: settlement.seller_public_key,
    opener: open.signer,
    reason: open.payload.reason,
    status: statusOf(settlement.decided, buyerAgreed && sellerAgreed, counts),
    required_arbitrators: REQUIRED_ARBITRATORS,
    arbitrators: seats.map((seat) => seat.join.signer),
    arbitrator_keys: seats.map((seat) => [seat.join.signer, seat.join.payload.arbitrator_public_key]),
    commitments: committed
      .map(shownCommitment)
      .sort(compareStatements)
      .map((commit) => ({
        arbitrator: commit.signer,
        commitment: commit.payload.commitment,
      })),
    reveals: revealed.map((reveal) => ({ arbitrator: reveal.signer, vote: reveal.payload.vote })),
    resolution: settlement.resolution,
    buyer_agreed_mutual_settlement: buyerAgreed,
    seller_agreed_mutual_settlement: sellerAgreed,
    onchain_execution_signature: settlement.execution_signature,
    opened_at: open.timestamp,
    updated_at: latest(effective.map((statement) => statement.timestamp)),
    terminal_split: settlement.terminal_split,
  };
}

/** Monotone counts decide, so no order of arrival matters. Source: CONVERGENCE "Dispute". */
function statusOf(
  decided: boolean,
  agreed: boolean,
  counts: { readonly joined: number; readonly committed: number; readonly revealed: number },
): DisputeStatus {
  if (decided) return "Resolved";
  if (agreed || counts.revealed >= REQUIRED_ARBITRATORS) return "AwaitingChainExecution";
  if (counts.committed >= REQUIRED_ARBITRATORS) return "RevealPhase";
  return counts.joined >= REQUIRED_ARBITRATORS ? "CaseLocked" : "Open";
}

function seatOf(opening: Opening, join: Statement<ArbitratorJoin>, own: readonly Statement[]): Seat {
  const commits = own.filter((statement) => statement.type.name === VoteCommit.name) as Statement<VoteCommit>[];
  const reveals = own.filter((statement) => statement.type.name === VoteReveal.name) as Statement<VoteReveal>[];
  // Each reveal is looked up once, however many commitments there are. Source: CONVERGENCE B5.
  const byCommitment = new Map<string, Statement<VoteCommit>[]>();
  for (const commit of commits) {
    const text = toHex(commit.payload.commitment);
    const same = byCommitment.get(text);
    if (same === undefined) byCommitment.set(text, [commit]);
    else same.push(commit);
  }
  let reveal: Statement<VoteReveal> | undefined;
  let opened: readonly Statement<VoteCommit>[] | undefined;
  for (const each of byCommitment.size === 0 ? [] : reveals) {
    opened = byCommitment.get(toHex(opening(each)));
    if (opened === undefined) continue;
    reveal = each;
    break;
  }
  return {
    join,
    commits: opened === undefined ? commits : [...new Set([...opened, ...commits])],
    reveal,
  };
}

/** The commit that the reveal opens, else the smallest. */
function shownCommitment(seat: Seat): Statement<VoteCommit> {
  return seat.commits[0] as Statement<VoteCommit>;
}
