/**
 * What is sealed is sealed late enough, and stays as it is. Dates are added up here apart from the core.
 * Source: CONVERGENCE B6, B7.
 */
import type { Change, EpochMillis, Reader } from "../../core/index.ts";
import { DisputeOpen, ReservationRequest, Seals, SettlementInitiate, Statements } from "../../core/testing.ts";
import { canonicalText } from "./canonical.ts";
import type { NodeValue } from "./node-machine.ts";

type Statement = NonNullable<ReturnType<typeof statementOf>>;

const MINUTE_MS = 60_000n;
const DAY_MS = 24n * 60n * MINUTE_MS;
/** How long something may be said of a settlement after its initiate, and after each open of a case. */
const LIFE_MS = 30n * DAY_MS;
/** After the last date that could count: 2H, and half an hour. */
const AGE_MS = 14n * DAY_MS + 30n * MINUTE_MS;
/** What must not change once what made it is sealed, by that one's identity. */
const KEPT: readonly string[] = [Statements.name, "settlements"];

/** What changes did to seals that they may not do. */
export function sealProblem(
  { driver }: NodeValue,
  changes: readonly Change[],
  view: Reader,
  now: EpochMillis,
): string | undefined {
  const tables = driver?.memory.tables;
  const sealed = tables?.get(Seals.name)?.rows;
  for (const { table, key, record } of changes) {
    const wasSealed = sealed?.has(key) === true;
    if (table === Seals.name && wasSealed && record === undefined) return `${key} is sealed no more`;
    if (table === Seals.name && !wasSealed && record !== undefined) {
      const over = lastDate(view, key) + AGE_MS;
      if (now < over) return `${key} is sealed ${over - now} ms too early`;
    }
    if (!wasSealed || !KEPT.includes(table)) continue;
    const held = tables?.get(table)?.rows.get(key)?.record;
    if (canonicalText(held) !== canonicalText(record)) return `${key} is sealed, and its row in ${table} changes`;
  }
  return undefined;
}

/** The last date that could count for what a statement made; its own date where it made nothing. */
function lastDate(view: Reader, key: string): bigint {
  const statement = statementOf(view, key);
  if (statement === undefined) return 0n;
  const all = [...view.keys(Statements)].flatMap((other) => statementOf(view, other) ?? []);
  const { id } = statement.payload as { readonly id?: string };
  const about = (name: string, member: string) =>
    all.filter(({ type, payload }) => type.name === name && (payload as Record<string, unknown>)[member] === id);
  const endOfSettlement = (initiate: Statement): bigint => {
    const named = (initiate.payload as { readonly id: string }).id;
    const opens = all.filter(({ type, payload }) => type.name === DisputeOpen.name && settled(payload) === named);
    return latestOf([initiate, ...opens].map(({ timestamp }) => timestamp + LIFE_MS));
  };
  switch (statement.type.name) {
    case SettlementInitiate.name:
      return endOfSettlement(statement);
    case ReservationRequest.name:
      return latestOf([statement.timestamp, ...about(SettlementInitiate.name, "reservation_id").map(endOfSettlement)]);
    case DisputeOpen.name:
      return statement.timestamp + LIFE_MS;
    default:
      return statement.timestamp;
  }
}

function settled(payload: unknown): string | undefined {
  return (payload as { readonly settlement_id?: string }).settlement_id;
}

function statementOf(view: Reader, key: string) {
  return view.get(Statements, key);
}

function latestOf(dates: readonly bigint[]): bigint {
  return dates.reduce((a, b) => (a > b ? a : b));
}
