/**
 * What a pair is worth, said once more and apart from the core: a pure function of the statements that a node holds
 * and of an instant. Slow and plain on purpose. Source: protocol 05 §3.5; DESIGN §7 #17.
 */
import type { Reader } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";

export type TaggedRate =
  | { readonly status: "current"; readonly rate: number; readonly expiresAt: bigint }
  | { readonly status: "stale" | "noData" };

interface Said {
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
export function heardBy(view: Reader): readonly Said[] {
  return [...view.keys(Statements)].flatMap((key) => view.get(Statements, key) ?? []);
}

export function rateModel(heard: readonly Said[], base: string, quote: string, now: bigint): TaggedRate {
  const registered = registeredProviders(heard);
  const rates = lastOf(heard, "OraclePublish", (said) => (said.payload as Publication).id, byVersion)
    .filter((said) => registered.has(said.signer))
    .map((said) => ({ said, published: said.payload as Publication }))
    .filter(({ published: { data } }) => data.ExchangeRate?.base === base && data.ExchangeRate.quote === quote)
    .filter(({ published }) => published.expires_at >= now - REMEMBERED_MS);
  if (rates.length === 0) return { status: "noData" };
  const current = rates.filter(({ published }) => published.expires_at > now);
  if (current.length === 0) return { status: "stale" };
  const voters = new Set(current.map(({ said }) => said.signer));
  const votes = [...voters].map((voter) => {
    const own = current.filter(({ said }) => said.signer === voter);
    return own.reduce((newest, other) => (isNewer(other, newest) ? other : newest)).published;
  });
  const sorted = votes.map(({ data }) => data.ExchangeRate?.rate ?? Number.NaN).sort((a, b) => a - b);
  const expiresAt = votes.map((vote) => vote.expires_at).reduce((a, b) => (a < b ? a : b));
  return { status: "current", rate: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, expiresAt };
}

/** Providers that hold a market-data registration which they did not withdraw, lapsed or not. */
function registeredProviders(heard: readonly Said[]): ReadonlySet<string> {
  const idOf = (said: Said) => (said.payload as Registration).service_id;
  const withdrawals = lastOf(heard, "Withdrawal", idOf, byDate);
  const standing = lastOf(heard, "Registration", idOf, byDate).filter(
    (registration) =>
      !withdrawals.some(
        (left) =>
          left.signer === registration.signer &&
          idOf(left) === idOf(registration) &&
          left.timestamp >= registration.timestamp,
      ),
  );
  const ofRates = standing.filter((said) => "MarketData" in (said.payload as Registration).service_type);
  return new Set(ofRates.map((said) => said.signer));
}

/** The last statement of one type by each signer under each id. */
function lastOf(
  heard: readonly Said[],
  type: string,
  idOf: (said: Said) => string,
  isLater: (a: Said, b: Said) => boolean,
): readonly Said[] {
  const last = new Map<string, Said>();
  for (const said of heard) {
    if (said.type.name !== type) continue;
    const key = `${said.signer} ${idOf(said)}`;
    const other = last.get(key);
    if (other === undefined || isLater(said, other)) last.set(key, said);
  }
  return [...last.values()];
}

function byDate(a: Said, b: Said): boolean {
  return a.timestamp === b.timestamp ? a.identity > b.identity : a.timestamp > b.timestamp;
}

function byVersion(a: Said, b: Said): boolean {
  const [first, second] = [(a.payload as Publication).version, (b.payload as Publication).version];
  return first === second ? byDate(a, b) : first > second;
}

interface Vote {
  readonly said: Said;
  readonly published: Publication;
}

function isNewer(a: Vote, b: Vote): boolean {
  if (a.said.timestamp !== b.said.timestamp) return a.said.timestamp > b.said.timestamp;
  if (a.published.version !== b.published.version) return a.published.version > b.published.version;
  return a.said.identity > b.said.identity;
}
