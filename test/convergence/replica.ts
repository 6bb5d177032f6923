/**
 * One node's folded set, without ingresses: it hears statements and sees chain facts in any order and any
 * batches, and starts again from what it had stored. Source: CONVERGENCE "Three layers", "Roots".
 */

import { markGovernanceFact } from "../../core/domains/governance/fold.ts";
import type { Resolution, StakeReading } from "../../core/domains/governance/tables.ts";
import { Resolutions, StakeReadings } from "../../core/domains/governance/tables.ts";
import { Ledgers, RegistersInForce } from "../../core/domains/trade/advertisements/tables.ts";
import { sealOld } from "../../core/domains/trade/sealing/sealing.ts";
import { SETTLEMENT_UNIT } from "../../core/domains/trade/settlements/fold.ts";
import { groupOfFact } from "../../core/domains/trade/settlements/reservation-numbers.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { Attaching } from "../../core/engine/statements/attaching.ts";
import { foldInto } from "../../core/engine/statements/fold.ts";
import { dropOvertaken } from "../../core/engine/statements/own-statements.ts";
import { Pending, Seals, Statements } from "../../core/engine/statements/table.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { compactReader, compactWriter } from "../../core/kernel/compact.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { HeldStore, Store } from "../../core/kernel/state.ts";
import { openStore, rootText } from "../../core/kernel/state.ts";
import type { Table } from "../../core/kernel/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { PagesPort } from "../../core/ports/pages.ts";
import { crypto } from "./actors.ts";

/** What can reach a node: a verified statement, a chain fact that it saw, or an account that it read. */
export type Observation =
  | { readonly type: "statement"; readonly statement: Statement }
  | { readonly type: "seen"; readonly id: string; readonly fact: ChainFact }
  | { readonly type: "stake"; readonly id: string; readonly fact: StakeReading }
  | { readonly type: "result"; readonly id: string; readonly fact: Resolution };

export interface Replica {
  readonly store: () => Store;
  /** Folds a batch into one draft and commits it. */
  readonly receive: (batch: readonly Observation[]) => void;
  /** Forgets everything but the stored rows, read back from their bytes, and folds those again. */
  readonly restart: () => void;
  /** Looks at so many of the statements that wait in the queue. */
  readonly attach: (many: number) => void;
  /** Seals what is terminal at an instant. */
  readonly seal: (now: EpochMillis) => void;
}

export function received(...statements: readonly Statement[]): Observation[] {
  return statements.map((statement) => ({ type: "statement", statement }));
}

export function seen(fact: ChainFact): Observation {
  const writer = compactWriter();
  ChainFacts.record.encode(fact, writer);
  const id = toHex(crypto.sha256(writer.finish()));
  return { type: "seen", id, fact };
}

/**
 * A node; a bounded one drops what no record has a use for, as every ingress does. Beyond `most`, what waits and is to
 * be looked at goes into the queue. Sealed rows go into pages, unless it is to keep all as they are.
 */
export function openReplica(
  bounded = false,
  most = Infinity,
  from?: HeldStore,
  isPaged = true,
  pages?: PagesPort,
): Replica {
  const types = isPaged ? marketplace.typesByName : undefined;
  let store = openStore(crypto, tables, { from, types, pages });

  function receive(batch: readonly Observation[], isBounded = bounded, atOnce = most): void {
    const draft = draftOf(store);
    const fold = foldInto(draft, marketplace.units(crypto), isBounded, atOnce);
    for (const observation of batch) {
      if (observation.type === "statement") fold.admit(observation.statement);
      else if (observation.type === "seen") {
        draft.put(ChainFacts, observation.id, observation.fact);
        fold.mark(SETTLEMENT_UNIT, groupOfFact(observation.fact));
      } else {
        const table = observation.type === "stake" ? StakeReadings : Resolutions;
        draft.put(table as Table<unknown>, observation.id, observation.fact);
        markGovernanceFact(draft, table.name, observation.id, fold.mark);
      }
    }
    fold.run();
    store.commit(draft.changes());
  }

  function dropLoaded(): void {
    const draft = draftOf(store);
    const units = marketplace.units(crypto);
    const fold = foldInto(draft, units, true);
    for (const statement of dropOvertaken({ draft }))
      for (const { touches } of units) touches[statement.type.name]?.(draft, statement, fold.mark);
    fold.run();
    store.commit(draft.changes());
  }

  return {
    store: () => store,
    receive: (batch) => receive(batch),
    restart() {
      const facts: Observation[] = [
        ...stored(store, ChainFacts).map(([id, fact]): Observation => ({ type: "seen", id, fact })),
        ...stored(store, StakeReadings).map(([id, fact]): Observation => ({ type: "stake", id, fact })),
        ...stored(store, Resolutions).map(([id, fact]): Observation => ({ type: "result", id, fact })),
      ];
      const statements = [...stored(store, Pending), ...stored(store, Statements)].map(([, statement]) => statement);
      const sealed = stored(store, Seals);
      store = openStore(crypto, tables, { types, pages });
      // Rows come in any order, so nothing is dropped before the last of them.
      receive([...facts, ...received(...statements.reverse())], false, Infinity);
      store.commit(sealed.map(([key, record]) => ({ table: Seals.name, key, record })));
      if (bounded) dropLoaded();
    },
    attach(many) {
      const draft = draftOf(store);
      const fold = foldInto(draft, marketplace.units(crypto), bounded, most);
      for (let left = many; left > 0 && draft.size(Attaching) > 0; )
        left -= fold.attachQueued([...draft.keys(Attaching)][0] ?? "", left);
      fold.run();
      store.commit(draft.changes());
    },
    seal(now) {
      const draft = draftOf(store);
      sealOld(draft, now, marketplace.types);
      store.commit(draft.changes());
    },
  };
}

/** A replica that heard all of it at once. */
export function replicaOf(observations: readonly Observation[]): Replica {
  const replica = openReplica();
  replica.receive(observations);
  return replica;
}

/** The roots, as one text. */
export function rootsOf(replica: Replica): string {
  return `${setsOf(replica)} ${stateOf(replica)}`;
}

/** The roots of both sets, and of what of them is sealed. */
export function setsOf(replica: Replica): string {
  const { statements, facts, archive } = replica.store().roots;
  return `${rootText(statements)} ${rootText(facts)} ${rootText(archive)}`;
}

/** The root of the records. */
export function stateOf(replica: Replica): string {
  return rootText(replica.store().roots.state);
}

/**
 * Everything derived, as one text for a failure's message; what is local beside it. What is computed when it is asked
 * for has the keys that another replica has.
 */
export function recordsText(replica: Replica, keysOf = replica): string {
  const lines: string[] = [];
  for (const table of marketplace.records) {
    if (table.name === Statements.name || table.name === Pending.name || table.name === RegistersInForce.name) continue;
    for (const key of (marketplace.derives.has(table.name) ? keysOf : replica).store().keys(table)) {
      const record = table.name === Ledgers.name ? ledgerText(replica, key) : textOf(replica.store().get(table, key));
      lines.push(`${table.name} ${key} ${record}`);
    }
  }
  return lines.sort((a, b) => (a < b ? -1 : 1)).join("\n");
}

/** A ledger without how its claims happen to lie in blocks. */
function ledgerText(replica: Replica, key: string): string {
  const ledger = replica.store().get(Ledgers, key);
  const claims = ledger?.blocks.flatMap((block) =>
    block.allocations.map((allocation, at) => [allocation, block.verdicts[at]]),
  );
  return textOf([ledger?.supply, ledger?.sums, claims]);
}

/** A statement inside a record stands as its identity, and members by their names, however the record was made. */
function textOf(record: unknown): string {
  return JSON.stringify(record, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    if ("idForm" in value) return (value as Statement).identity;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

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
