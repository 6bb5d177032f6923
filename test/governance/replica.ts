/**
 * One node's folded set with the facts of governance: statements and readings in any order and any batches, and a
 * restart from what it had stored; and the words that are folded. Source: CONVERGENCE "Three layers", "Roots".
 */

import { markGovernanceFact } from "../../core/domains/governance/fold.ts";
import { ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "../../core/domains/governance/schema.ts";
import type { Resolution, StakeReading } from "../../core/domains/governance/tables.ts";
import { Resolutions, StakeReadings } from "../../core/domains/governance/tables.ts";
import { marketplace } from "../../core/domains.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { Pending, Statements } from "../../core/engine/statements/table.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { compactReader, compactWriter } from "../../core/kernel/compact.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Store } from "../../core/kernel/state.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import type { Table } from "../../core/kernel/table.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, crypto, rival, sign } from "../convergence/actors.ts";

/** What can reach a node: a verified statement, or what it read on the chain. */
export type Observation =
  | { readonly type: "statement"; readonly statement: Statement }
  | { readonly type: "stake"; readonly vote: string; readonly fact: StakeReading }
  | { readonly type: "result"; readonly number: string; readonly fact: Resolution };

export interface Replica {
  readonly store: () => Store;
  /** Folds a batch into one draft and commits it. */
  readonly receive: (batch: readonly Observation[]) => void;
  /** Forgets everything but the stored rows, read back from their bytes, and folds those again. */
  readonly restart: () => void;
}

export function received(...statements: readonly Statement[]): Observation[] {
  return statements.map((statement) => ({ type: "statement", statement }));
}

/** The stake that was read for a vote. */
export function read(vote: Statement, amount: bigint, minimum = 0n): Observation {
  const fact = { stake_account: "account", role: 2, amount, minimum };
  return { type: "stake", vote: vote.identity, fact };
}

interface Result {
  readonly number?: bigint;
  readonly offchain?: string;
  readonly proposer?: string;
}

/** A result of the chain's tally that was read. */
export function resolved(state: "Accepted" | "Rejected", told: Result = {}): Observation {
  const { number = 7n, offchain = "ofip-0001", proposer = rival.key } = told;
  const offchain_id_hash = toHex(crypto.sha256(utf8(offchain)));
  const voted = { votes_for: 6n, votes_against: 4n, voting_ends_at: at(60) };
  return { type: "result", number: number.toString(), fact: { offchain_id_hash, proposer, state, ...voted } };
}

export function openReplica(): Replica {
  let store = openStore(crypto, marketplace.records);

  function receive(batch: readonly Observation[]): void {
    const draft = draftOf(store);
    const fold = foldInto(draft, marketplace.units(crypto));
    for (const observation of batch) {
      if (observation.type === "statement") fold.admit(observation.statement);
      else if (observation.type === "stake") {
        draft.put(StakeReadings, observation.vote, observation.fact);
        markGovernanceFact(draft, StakeReadings.name, observation.vote, fold.mark);
      } else {
        draft.put(Resolutions, observation.number, observation.fact);
        markGovernanceFact(draft, Resolutions.name, observation.number, fold.mark);
      }
    }
    fold.run();
    store.commit(draft.changes());
  }

  return {
    store: () => store,
    receive,
    restart() {
      const facts: Observation[] = [
        ...stored(store, StakeReadings).map(([vote, fact]): Observation => ({ type: "stake", vote, fact })),
        ...stored(store, Resolutions).map(([number, fact]): Observation => ({ type: "result", number, fact })),
      ];
      const statements = [...stored(store, Pending), ...stored(store, Statements)].map(([, statement]) => statement);
      store = openStore(crypto, marketplace.records);
      receive([...received(...statements.reverse()), ...facts]);
    },
  };
}

/** The three roots, as one text. */
export function rootsOf(replica: Replica): string {
  const { statements, facts, state } = replica.store().roots;
  return [statements, facts, state].map(rootText).join(" ");
}

const ABOUT = "ofip-0001";

export const fixtures = {
  create: (by: Actor, timestamp: EpochMillis, change: Partial<ProposalCreate> = {}) =>
    sign(ProposalCreate, {
      id: ABOUT,
      title: "Longer window",
      summary: "Raise it.",
      category: "Protocol",
      author: by.peer,
      author_public_key: by.key,
      onchain_proposal_id: 7n,
      timestamp,
      ...change,
    }),
  vote: (by: Actor, timestamp: EpochMillis, change: Partial<VoteCast> = {}) =>
    sign(VoteCast, {
      proposal_id: ABOUT,
      voter: by.peer,
      voter_public_key: by.key,
      choice: "Approve",
      weight: 1n,
      stake_account: "account",
      timestamp,
      ...change,
    }),
  withdraw: (by: Actor, timestamp: EpochMillis, proposal_id: string = ABOUT) =>
    sign(ProposalWithdraw, { proposal_id, author: by.peer, timestamp }),
  activate: (by: Actor, timestamp: EpochMillis, proposal_id: string = ABOUT) =>
    sign(ProposalActivate, { proposal_id, author: by.peer, timestamp }),
};

function stored<R>(store: Store, table: Table<R>): readonly (readonly [string, R])[] {
  return [...store.keys(table)].map((key) => {
    const writer = compactWriter();
    const record = store.get(table, key);
    if (record !== undefined) table.record.encode(record, writer);
    const reader = compactReader(writer.finish());
    const again = table.record.read(reader, marketplace.typesByName);
    if (reader.failed()) throw new Error(`a stored ${table.name} row cannot be read`);
    return [key, again] as const;
  });
}
