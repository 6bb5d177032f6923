/**
 * The families of `state`, all nineteen, always, in order of name: those of the trade, and all others.
 * Source: protocol 05 §6.6; 01 §13.6; record layouts of protocol 04 and 05.
 */

import { readAt } from "../../engine/overrides.ts";
import { compareBytes, equalBytes } from "../../kernel/bytes.ts";
import { partsOfCid } from "../../kernel/cid.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText, fromBase58, fromUtf8, utf8 } from "../../kernel/text.ts";
import { keyOfPeer, later, publicKeyText } from "../../kernel/values.ts";
import { BLOCK_BYTES_MAX } from "../content/blocks/schema.ts";
import { Blocks } from "../content/blocks/tables.ts";
import { Proposal } from "../governance/schema.ts";
import { Proposals } from "../governance/tables.ts";
import { proposalById, proposalView } from "../governance/views.ts";
import { claimById } from "../identity/queries.ts";
import { Claim } from "../identity/schema.ts";
import { Claims } from "../identity/tables.ts";
import { DeliveryReceipt, Subscription } from "../notifications/schema.ts";
import { isKept } from "../notifications/sweep.ts";
import { Receipts, Subscriptions } from "../notifications/tables.ts";
import { allRecords, recordById } from "../oracles/queries.ts";
import { OracleRecord } from "../oracles/schema.ts";
import { definitionId } from "../payment-methods/fold.ts";
import { PaymentMethodDefine } from "../payment-methods/schema.ts";
import { PaymentMethods } from "../payment-methods/tables.ts";
import { allServices, serviceById } from "../providers/queries.ts";
import { ServiceRecord } from "../providers/schema.ts";
import { RiskRecord } from "../risk/schema.ts";
import { RiskRecords } from "../risk/tables.ts";
import { RISK_GRACE_MS } from "../risk/views.ts";
import { Session } from "../sessions/schema.ts";
import { Sessions } from "../sessions/tables.ts";
import { isRead, sessionById } from "../sessions/views.ts";
import type { Family } from "./family.ts";
import { emptyFamily, idKey, idsIn, oldestOfEach, recordFamily } from "./family.ts";
import { tradeFamilies } from "./trade-families.ts";

/** Bytes of content blocks in one file: more would leave no room for statements. Source: DESIGN L10. */
export const CONTENT_BYTES_MAX = 268_435_456;

const proposals = recordFamily<Proposal>({
  name: "governance_proposals",
  record: Proposal,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Proposals, ({ id }) => id),
  read(reader, id) {
    const shown = proposalById(reader, id);
    return shown && proposalView(reader, shown);
  },
});

const claims = recordFamily<Claim>({
  name: "identity_claims",
  record: Claim,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Claims, ({ id }) => id),
  read: (reader, id, at) => claimById(reader, id, readAt(at))?.claim,
});

const receipts = recordFamily<DeliveryReceipt>({
  name: "notification_receipts",
  record: DeliveryReceipt,
  keyOf: ({ notification_id }) => utf8(notification_id),
  names: (reader, { now }) =>
    oldestOfEach(reader, Receipts, ({ notification_id, updated_at }) =>
      isKept(updated_at, now) ? { id: notification_id, at: updated_at } : undefined,
    ),
  read: (reader, key) => reader.get(Receipts, key),
});

const subscriptions = recordFamily<Subscription>({
  name: "notification_subscriptions",
  record: Subscription,
  keyOf: ({ wallet }) => bytesOf(wallet),
  names: (reader) => [...reader.keys(Subscriptions)].sort((a, b) => compareBytes(bytesOf(a), bytesOf(b))),
  read: (reader, wallet) => reader.get(Subscriptions, wallet),
});

const rates = recordFamily<OracleRecord>({
  name: "oracle_records",
  record: OracleRecord,
  keyOf: idKey,
  names: (reader, at) => allRecords(reader, readAt(at)).map(({ id }) => id),
  read: (reader, id, at) => recordById(reader, id, readAt(at)),
});

/** Blocks as they are; one that does not hash to its key is none. */
const content: Family = {
  name: "pinned_content",
  names: blocksThatFit,
  entries(reader, cid) {
    const block = reader.get(Blocks, cid);
    return block === undefined ? [] : [{ key: utf8(cid), value: block.bytes }];
  },
  accepts(crypto, { key, value }) {
    const parts = partsOfCid(fromUtf8(key) ?? "");
    return parts !== undefined && value.length <= BLOCK_BYTES_MAX && equalBytes(crypto.sha256(value), parts.digest);
  },
};

/** Definitions as their merchants signed them; a key is what the words give. Source: protocol 02 I.2. */
const methods: Family = {
  name: "payment_methods",
  names: (reader) => [...reader.keys(PaymentMethods)].sort(compareText),
  entries(reader, id) {
    const row = reader.get(PaymentMethods, id);
    const key = row && keyOfPeer(row.merchant);
    if (row === undefined || key === undefined) return [];
    const definition = { ...row, merchant_public_key: publicKeyText(key) };
    return [{ key: utf8(id), value: encodeCompact(PaymentMethodDefine.payload, definition) }];
  },
  accepts(crypto, { key, value }) {
    const definition = decodeCompact(PaymentMethodDefine.payload, value);
    return definition !== undefined && equalBytes(key, utf8(definitionId(crypto.sha256, definition)));
  },
};

const services = recordFamily<ServiceRecord>({
  name: "registry_services",
  record: ServiceRecord,
  keyOf: ({ service_id }) => utf8(service_id),
  names: (reader, { now }) => allServices(reader, now).map(({ service_id }) => service_id),
  read: (reader, id, { now }) => serviceById(reader, id, now),
});

const risks = recordFamily<RiskRecord>({
  name: "risk_records",
  record: RiskRecord,
  keyOf: idKey,
  names: (reader, { now }) =>
    oldestOfEach(reader, RiskRecords, ({ id, published_at, expires_at }) =>
      expires_at === null || now <= later(expires_at, RISK_GRACE_MS) ? { id, at: published_at } : undefined,
    ),
  read: (reader, identity) => reader.get(RiskRecords, identity),
});

const sessions = recordFamily<Session>({
  name: "sessions",
  record: Session,
  keyOf: idKey,
  names: (reader) => idsIn(reader, Sessions, ({ id }) => id),
  read(reader, id, { now, configuration }) {
    const session = sessionById(reader, id, configuration.rules);
    return session !== undefined && isRead(session, now) ? session : undefined;
  },
});

/** Dispatches are each node's own memory, and in no file. Source: protocol 04 §6.12. */
export const families: readonly Family[] = [
  ...tradeFamilies,
  proposals,
  claims,
  emptyFamily("notification_dispatches"),
  receipts,
  subscriptions,
  rates,
  methods,
  content,
  services,
  risks,
  sessions,
].sort((a, b) => compareText(a.name, b.name));

function blocksThatFit(reader: Reader): readonly string[] {
  let bytes = 0;
  const fitting: string[] = [];
  for (const cid of [...reader.keys(Blocks)].sort(compareText)) {
    bytes += reader.get(Blocks, cid)?.bytes.length ?? 0;
    if (bytes > CONTENT_BYTES_MAX) break;
    fitting.push(cid);
  }
  return fitting;
}

function bytesOf(peer: string): Uint8Array {
  return fromBase58(peer) ?? utf8(peer);
}
