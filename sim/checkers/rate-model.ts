/**
 * What a pair is worth, said once more and apart from the core: a pure function of the statements that a node holds
 * and of an instant. Slow and plain on purpose. Source: protocol 05 §3.5; DESIGN §7 #17.
 */
import type { Reader } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";

export type TaggedRate =
  | { readonly status: "current"; readonly rate: number; readonly expiresAt: bigint }
  | { readonly status: "stale" | "noData" };

interface PublishedStatement {
  readonly signer: string;
  readonly timestamp: bigint;
  readonly identity: string;
  readonly type: { readonly name: string };
  readonly payload: unknown;
}

interface Publication {
  readonly id: string;
  readonly version: bigint;
  readonly expires_at: bigint;
  readonly data: {
    readonly ExchangeRate?: { readonly base: string; readonly quote: string; readonly rate: number };
  };
}

interface Registration {
  readonly service_id: string;
  readonly service_type: Readonly<Record<string, unknown>>;
}

/** How long a record that ran out is remembered, in milliseconds. Source: protocol 05 §3.7. */
const REMEMBERED_MS = 604_800_000n;

/** Every statement that a node holds. */
export function publishedBy(view: Reader): readonly PublishedStatement[] {
  return [...view.keys(Statements)].flatMap((key) => view.get(Statements, key) ?? []);
}

export function rateModel(
  published: readonly PublishedStatement[],
  base: string,
  quote: string,
  now: bigint,
): TaggedRate {
  const registered = registeredProviders(published);
  const rates = lastOf(published, "OraclePublish", (statement) => (statement.payload as Publication).id, byVersion)
    .filter((statement) => registered.has(statement.signer))
    .map((statement) => ({ statement, publication: statement.payload as Publication }))
    .filter(({ publication: { data } }) => data.ExchangeRate?.base === base && data.ExchangeRate.quote === quote)
    .filter(({ publication }) => publication.expires_at >= now - REMEMBERED_MS);
  if (rates.length === 0) return { status: "noData" };
  const current = rates.filter(({ publication }) => publication.expires_at > now);
  if (current.length === 0) return { status: "stale" };
  const voters = new Set(current.map(({ statement }) => statement.signer));
  const votes = [...voters].map((voter) => {
    const own = current.filter(({ statement }) => statement.signer === voter);
    return own.reduce((newest, other) => (isNewer(other, newest) ? other : newest)).publication;
  });
  const sorted = votes.map(({ data }) => data.ExchangeRate?.rate ?? Number.NaN).sort((a, b) => a - b);
  const expiresAt = votes.map((vote) => vote.expires_at).reduce((a, b) => (a < b ? a : b));
  return { status: "current", rate: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, expiresAt };
}

/** Providers that hold a market-data registration which they did not withdraw, lapsed or not. */
function registeredProviders(published: readonly PublishedStatement[]): ReadonlySet<string> {
  const idOf = (statement: PublishedStatement) => (statement.payload as Registration).service_id;
  const withdrawals = lastOf(published, "Withdrawal", idOf, byDate);
  const active = lastOf(published, "Registration", idOf, byDate).filter(
    (registration) =>
      !withdrawals.some(
        (left) =>
          left.signer === registration.signer &&
          idOf(left) === idOf(registration) &&
          left.timestamp >= registration.timestamp,
      ),
  );
  const ofRates = active.filter((statement) => "MarketData" in (statement.payload as Registration).service_type);
  return new Set(ofRates.map((statement) => statement.signer));
}

/** The last statement of one type by each signer under each id. */
function lastOf(
  published: readonly PublishedStatement[],
  type: string,
  idOf: (statement: PublishedStatement) => string,
  isLater: (a: PublishedStatement, b: PublishedStatement) => boolean,
): readonly PublishedStatement[] {
  const last = new Map<string, PublishedStatement>();
  for (const statement of published) {
    if (statement.type.name !== type) continue;
    const key = `${statement.signer} ${idOf(statement)}`;
    const other = last.get(key);
    if (other === undefined || isLater(statement, other)) last.set(key, statement);
  }
  return [...last.values()];
}

function byDate(a: PublishedStatement, b: PublishedStatement): boolean {
  return a.timestamp === b.timestamp ? a.identity > b.identity : a.timestamp > b.timestamp;
}

function byVersion(a: PublishedStatement, b: PublishedStatement): boolean {
  const [first, second] = [(a.payload as Publication).version, (b.payload as Publication).version];
  return first === second ? byDate(a, b) : first > second;
}

interface Vote {
  readonly statement: PublishedStatement;
  readonly publication: Publication;
}

function isNewer(a: Vote, b: Vote): boolean {
  if (a.statement.timestamp !== b.statement.timestamp) return a.statement.timestamp > b.statement.timestamp;
  if (a.publication.version !== b.publication.version) return a.publication.version > b.publication.version;
  return a.statement.identity > b.statement.identity;
}
