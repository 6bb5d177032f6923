/**
 * What a trade channel reads, straight from its parties' statements: the newest grant of each granter to each
 * recipient who may have one, and one entry for each author and sequence. Nothing is stored beside the statements,
 * because who may have a grant is a join to disputes.
 * Source: protocol 02 J.3, J.4, O.28; CONVERGENCE "Joins".
 */

import { ruleOf } from "../../engine/overrides.ts";
import { childrenBySigner } from "../../engine/statements/own-statements.ts";
import { contenders, Statements } from "../../engine/statements/table.ts";
import { compareBytes } from "../../kernel/bytes.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import { fromBase58 } from "../../kernel/text.ts";
import type { Identity, PeerId } from "../../kernel/values.ts";
import { seatOn } from "../trade/disputes/panels.ts";
import { Disputes } from "../trade/disputes/tables.ts";
import type { DisputeViewer } from "../trade/disputes/views.ts";
import { withUnfoldedDisputes } from "../trade/disputes/views.ts";
import type { Followed } from "../trade/settlements/queries.ts";
import { compareFollow } from "../trade/settlements/queries.ts";
import type { SettlementInitiate } from "../trade/settlements/schema.ts";
import { Settlements } from "../trade/settlements/tables.ts";
import { unfoldedSettlements } from "../trade/settlements/views.ts";
import type { ChannelEntry, ChannelGrant, TradeChannel } from "./schema.ts";
import {
  ENTRIES_PER_AUTHOR_MAX,
  ENTRY_BYTES_MAX,
  SEALED_KEY_BYTES_MAX,
  TradeChannelEntryPost,
  TradeChannelKeyGrant,
} from "./schema.ts";

/** The settlements that a name reaches, the one that is followed first. */
export function settlementsNamed(reader: Reader, name: string): readonly Followed[] {
  return contenders<SettlementInitiate>(reader, "settlement", name)
    .flatMap(({ identity }) => {
      const row = reader.get(Settlements, identity);
      return row === undefined ? [] : [{ identity, row }];
    })
    .sort(compareFollow);
}

/** A settlement whose channel is read; one that is shown without a fold brings what is known of it. */
export interface Reached extends Followed {
  readonly about?: readonly Statement[];
  readonly arbitrators?: readonly PeerId[];
}

/** The settlements that a name reaches for a caller. */
export function settlementsReached(reader: Reader, name: string, viewer: DisputeViewer): readonly Reached[] {
  const folded = settlementsNamed(reader, name);
  if (folded.length > 0) return folded;
  const beside = ruleOf(viewer.configuration, unfoldedSettlements)(reader).filter(({ row }) => row.id === name);
  return beside.map((each) => {
    const cases = withUnfoldedDisputes(reader, [], viewer, (row) => row.settlement === each.identity);
    return { ...each, arbitrators: cases.flatMap(({ arbitrators }) => arbitrators) };
  });
}

/** Which part somebody may have in a settlement's channel. Source: protocol 02 J.3. */
export function roleIn(reader: Reader, { identity, row, arbitrators }: Reached, person: PeerId) {
  if (person === row.buyer || person === row.seller) return "Party" as const;
  if (arbitrators?.includes(person)) return "Arbitrator" as const;
  const cases = recordsOf(reader, Disputes, "settlement", identity);
  return cases.some((row) => seatOn(reader, row, person) !== undefined) ? ("Arbitrator" as const) : undefined;
}

/** The channel as a wallet may read it: a party all of it, an arbitrator what concerns him once he has a grant. */
export function channelFor(reader: Reader, settlement: Reached, wallet: PeerId): TradeChannel | undefined {
  const { id: settlement_id, buyer, seller } = settlement.row;
  const isParty = wallet === buyer || wallet === seller;
  const grants = grantsOf(reader, settlement).filter((grant) => isParty || grant.recipient === wallet);
  if (!isParty && grants.length === 0) return undefined;
  return { settlement_id, grants, entries: entriesOf(reader, settlement) };
}

/** The grants that count, by recipient, then granter. */
export function grantsOf(reader: Reader, settlement: Reached): readonly ChannelGrant[] {
  const newest = new Map<string, ChannelGrant>();
  for (const { payload } of statementsOf<TradeChannelKeyGrant>(reader, settlement, TradeChannelKeyGrant)) {
    const { granter, recipient, key_id, sealed_key, timestamp } = payload;
    const role = roleIn(reader, settlement, recipient);
    if (role === undefined || sealed_key.ciphertext.length > SEALED_KEY_BYTES_MAX) continue;
    const settlement_id = settlement.row.id;
    const grant = { settlement_id, granter, recipient, role, key_id, sealed_key, granted_at: timestamp };
    newest.set(`${recipient}/${granter}`, grant);
  }
  return [...newest.values()].sort(
    (a, b) => comparePeers(a.recipient, b.recipient) || comparePeers(a.granter, b.granter),
  );
}

/** The entries that count, by time, author and sequence. */
export function entriesOf(reader: Reader, settlement: Reached): readonly ChannelEntry[] {
  const settlement_id = settlement.row.id;
  const parties = new Set([settlement.row.buyer, settlement.row.seller]);
  const entries = [...parties].flatMap((author) => [...entriesBySequence(reader, settlement, author).values()]);
  return entries
    .map(({ payload: { author, sequence, kind, payload, timestamp } }) => {
      return { settlement_id, author, sequence, kind, payload, posted_at: timestamp };
    })
    .sort(compareEntries);
}

/** One author's entries by sequence: his first under each, as many as a channel shows. */
export function entriesBySequence(
  reader: Reader,
  settlement: Reached,
  author: PeerId,
): ReadonlyMap<bigint, Statement<TradeChannelEntryPost>> {
  const first = new Map<bigint, Statement<TradeChannelEntryPost>>();
  for (const post of statementsOf<TradeChannelEntryPost>(reader, settlement, TradeChannelEntryPost, author)) {
    if (first.size >= ENTRIES_PER_AUTHOR_MAX) break;
    const { sequence, payload } = post.payload;
    if (payload.ciphertext.length <= ENTRY_BYTES_MAX && !first.has(sequence)) first.set(sequence, post);
  }
  return first;
}

/** What the parties, or one of them, signed of one type, under any of the settlement's names, the oldest first. */
function statementsOf<P>(
  reader: Reader,
  { identity, row, about }: Reached,
  type: { readonly name: string },
  ...by: readonly PeerId[]
): readonly Statement<P>[] {
  const initiate = reader.get(Statements, identity as Identity);
  const signers = by.length > 0 ? by : [...new Set([row.buyer, row.seller])];
  const signed = about ?? (initiate && signers.flatMap((signer) => childrenBySigner(reader, initiate, signer))) ?? [];
  return signed
    .filter(({ signer }) => signers.includes(signer))
    .filter((statement): statement is Statement<P> => statement.type.name === type.name)
    .sort(compareStatements);
}

function compareEntries(a: ChannelEntry, b: ChannelEntry): number {
  if (a.posted_at !== b.posted_at) return a.posted_at < b.posted_at ? -1 : 1;
  const authors = comparePeers(a.author, b.author);
  return authors !== 0 ? authors : a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0;
}

function comparePeers(a: PeerId, b: PeerId): number {
  return compareBytes(fromBase58(a) ?? new Uint8Array(0), fromBase58(b) ?? new Uint8Array(0));
}
