/**
 * What a story came to, in labels, and which of them stories have to come to: a fold over the schemas of the records,
 * the signed types and the signed payloads, so that a new state, type or flag is demanded without being listed. What no
 * story can come to stands here with its reason, and is an error once one does. Source: DESIGN "Shape of the code".
 */
import { assert } from "vitest";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import { Dispute } from "../../core/domains/trade/disputes/schema.ts";
import type { CaseRow } from "../../core/domains/trade/disputes/tables.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { marketplace } from "../../core/domains.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Reader, Table } from "../../core/kernel/table.ts";
import { alternativesIn, alternativesOf } from "./alternatives.ts";
import { inEffect } from "./in-effect.ts";
import type { Observation } from "./replica.ts";
import { domainName } from "./workload.ts";

/** Whose records each table holds: every table of the folded set that has a schema. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  trade: ["chain_facts", "advertisements", "reservations", "settlements", "disputes", "panels"],
  taxonomy: ["payment_methods"],
  notifications: ["notification_subscriptions", "notification_receipts"],
  content: ["attachments"],
  governance: ["proposals", "cast_votes", "stake_readings", "proposal_resolutions"],
  sessions: ["sessions"],
  registry: ["services"],
  oracles: ["oracle_records"],
  snapshot: ["snapshots"],
  risk: ["risk_records"],
  identity: ["identity_claims"],
};

/** What no record ever shows, and why. */
const NEVER: Readonly<Record<string, string>> = {
  "settlements.signed_state Completed": "what statements alone come to; only the chain completes",
  "panels.acts empty": "who said nothing has no row",
  "advertisements.payment_methods empty": "an advertisement without payment methods is none",
};

/** A case is looked at as it is read: with its panel, which no row holds. */
const schemas: readonly (readonly [string, Table<unknown>, Schema<unknown>])[] = marketplace.records.flatMap((table) =>
  "shape" in table.record
    ? [[table.name, table, (table.name === Disputes.name ? Dispute : table.record) as Schema<unknown>] as const]
    : [],
);

function recordOf(store: Reader, table: Table<unknown>, key: string): unknown {
  const row = store.get(table, key);
  return table.name === Disputes.name ? disputeIn(store, row as CaseRow) : row;
}

/** What is demanded at all has to be in one case at least. */
const SOMEWHERE = 0.001;

/** Every type has to be in effect in stories over every domain, and of one domain its own. */
export function demandedTypes(domain?: string): Readonly<Record<string, number>> {
  const types = marketplace.types.filter((type) => domain === undefined || domainName(type) === domain);
  return somewhere(types.map(({ name }) => `${name} in effect`));
}

/** What stories of a domain have to come to: every state of its records, and every type and word of it. */
export function demanded(domain: string): Readonly<Record<string, number>> {
  const records = schemas.filter(([name]) => TABLES[domain]?.includes(name));
  const types = marketplace.types.filter((type) => domainName(type) === domain);
  return {
    ...demandedTypes(domain),
    ...somewhere(records.flatMap(([name, , schema]) => alternativesOf(schema, name))),
    ...somewhere(types.flatMap(({ name, payload }) => alternativesOf(payload as Schema<unknown>, name))),
  };
}

/** Tables that no domain has; a new one is to be assigned. */
export function unassigned(): readonly string[] {
  const assigned = Object.values(TABLES).flat();
  return schemas.map(([name]) => name).filter((name) => !assigned.includes(name));
}

function somewhere(labels: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(labels.filter((label) => !(label in NEVER)).map((label) => [label, SOMEWHERE]));
}

/** Every state of every record, every type in effect, and what its words said. */
export function cameTo(store: Reader, observations: readonly Observation[]): readonly string[] {
  const labels = new Set<string>();
  for (const [name, table, schema] of schemas) {
    for (const key of store.keys(table)) {
      for (const label of alternativesIn(schema, name, recordOf(store, table, key))) labels.add(label);
    }
  }
  for (const label of labels) assert.notProperty(NEVER, label);
  for (const each of observations) {
    if (each.type !== "statement") continue;
    const { type, payload } = each.statement;
    for (const label of alternativesIn(type.payload as Schema<unknown>, type.name, payload)) labels.add(label);
    if (isInEffect(store, each.statement)) labels.add(`${type.name} in effect`);
  }
  return [...labels];
}

/** Whether an act counts for something. */
export function isInEffect(store: Reader, statement: Statement): boolean {
  return (inEffect[statement.type.name]?.places(store, statement) ?? []).length > 0;
}
