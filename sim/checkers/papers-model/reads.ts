/**
 * What public and own reads say of people, written from the papers: who is flagged, which record an id shows, what was
 * said of whom, what stands in a channel, with whom somebody traded, and what a merchant calls his ways to be paid.
 * Source: protocol 02 H, I.2, J.3, J.4; 03 B.2; 04 §4.6, §4.11; 05 §3.6, §14.11.
 */
import type { Reader } from "../../../core/index.ts";
import { fromBase58, fromBase64, toBase58 } from "../../../core/index.ts";
import type { Exchange } from "../exchanges.ts";
import type { Held, Signed } from "./held.ts";
import { about, inOrder, rowsOf } from "./held.ts";
import { methodId } from "./people.ts";

type Shown = Readonly<Record<string, unknown>>;

/** What a node is asked from. */
export interface Asked {
  readonly held: Held;
  readonly view: Reader;
  readonly now: bigint;
}

/** What an answer says and what the papers say, as texts; nothing where the papers leave it open. */
type Compare = (asked: Asked, exchange: Exchange) => readonly [shown: string, right: string] | undefined;

const DAY_MS = 86_400_000n;
const WEEK_MS = 7n * DAY_MS;
const SEVERITIES: readonly unknown[] = ["Informational", "Low", "Medium", "High", "Critical"];
/** Longest comment, in code points, and what none has. Source: protocol 02 H row 4. */
const COMMENT_POINTS_MOST = 500;
const UNSHOWABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
/** Largest entry of a channel, in bytes. Source: protocol 02 J.3. */
const ENTRY_BYTES_MOST = 4_368;
/** Bytes of a peer id, and of the key in it with what stands before that. Source: protocol 01 §1.2. */
const PEER_BYTES = 38;
const KEY_BYTES = 32;
const BEFORE_KEY = [0x00, 0x24, 0x08, 0x01, 0x12, 0x20];
const OVER: readonly unknown[] = ["Approved", "Completed"];
const GIVEN_UP: readonly unknown[] = ["Rejected", "Cancelled"];

/** Reads by their methods. */
export const readModels: Readonly<Record<string, Compare>> = {
  getWalletScreening({ held, view, now }, { result }) {
    const { wallet, highest_severity, active_flags } = result as Shown;
    const counted = ofType(held, "RiskPublish").filter(({ by, payload: { wallet: of, expires_at } }) => {
      const isCurrent = expires_at === null || now < (expires_at as bigint);
      return of === wallet && isCurrent && isRegistered(held, view, by, ["RiskIntelligenceProvider"], now - WEEK_MS);
    });
    const isCleared = (flag: Signed) =>
      counted.some(({ by, at, payload: { outcome } }) => by === flag.by && at >= flag.at && outcome === "Cleared");
    const flags = counted.filter((one) => one.payload.outcome === "Flagged" && !isCleared(one));
    const worst = Math.max(-1, ...flags.map(({ payload }) => SEVERITIES.indexOf(payload.severity)));
    const shown = (active_flags as readonly Shown[]).map(({ id, provider }) => `${provider} ${id}`);
    const right = flags.map(({ by, payload }) => `${by} ${payload.id}`);
    return [`${highest_severity} ${listed(shown)}`, `${SEVERITIES[worst] ?? null} ${listed(right)}`];
  },
  getOracleRecord({ held, view, now }, { params, result }) {
    const publications = new Set(rowsOf(view, "oracle_records").map(({ row }) => row.publication));
    const isCurrent = ({ payload }: Signed) => now < (payload.expires_at as bigint);
    const [best] = ofType(held, "OraclePublish")
      .filter(({ identity, by, payload: { id, expires_at } }) => {
        if (id !== params.id || !publications.has(identity)) return false;
        return (expires_at as bigint) + WEEK_MS >= now && isRegistered(held, view, by, ["PriceOracle", "FxOracle"]);
      })
      .sort((a, b) => {
        if (isCurrent(a) !== isCurrent(b)) return isCurrent(a) ? -1 : 1;
        const [one, other] = [a.payload.version as bigint, b.payload.version as bigint];
        return one === other ? inOrder(a, b) : one > other ? -1 : 1;
      });
    const { provider, version } = (result ?? {}) as Shown;
    return [`${provider} ${version}`, `${best?.by} ${best?.payload.version}`];
  },
  getReviews(asked, { params, result }) {
    const wallet = peerNamed(params.wallet ?? params.id);
    const right = reviewsIn(asked, wallet)
      .filter((review) => review.about === wallet)
      .map(({ of: { at, payload } }) => `${payload.rating} ${payload.comment} ${at - (at % DAY_MS)}`);
    const shown = (result as readonly Shown[]).map((one) => `${one.rating} ${one.comment} ${one.created_on}`);
    return [listed(shown), listed(right)];
  },
  getMyReviews(asked, { params, result }) {
    const right = reviewsIn(asked, peerNamed(params.wallet)).map(
      ({ of: { by, at }, about: of }) => `${by} ${of} ${at}`,
    );
    const shown = (result as readonly Shown[]).map((one) => `${one.author} ${one.about} ${one.created_at}`);
    return [listed(shown), listed(right)];
  },
  getMyTradeChannel({ held, view }, { params, result }) {
    const { settlement_id, grants, entries } = result as Readonly<Record<string, readonly Shown[]>>;
    const [row, rival] = rowsOf(view, "settlements").filter((each) => each.row.id === settlement_id);
    const initiate = ofType(held, "SettlementInitiate").find(({ identity }) => identity === row?.key);
    if (row === undefined || rival !== undefined || initiate === undefined) return undefined;
    const parties: readonly unknown[] = [row.row.buyer, row.row.seller];
    const ofParties = (type: string) =>
      about(held, initiate, type, "settlement_id").filter(({ by }) => parties.includes(by));
    const posts = ofParties("TradeChannelEntryPost").filter(({ payload: { payload } }) => {
      return (payload as { readonly ciphertext: Uint8Array }).ciphertext.length <= ENTRY_BYTES_MOST;
    });
    const first = posts.filter((post, place) => !posts.slice(0, place).some((each) => sameEntry(each, post)));
    const right = first.map(({ by, at, payload }) => `${by} ${payload.sequence} ${at}`);
    const shown = (entries ?? []).map((one) => `${one.author} ${one.sequence} ${one.posted_at}`);
    // To whom an arbitrator's case gives a part in it this model does not follow.
    if (!parties.includes(peerNamed(params.wallet))) return [listed(shown), listed(right)];
    const given = ofParties("TradeChannelKeyGrant").filter(({ payload }) => parties.includes(payload.recipient));
    const newest = new Map(given.map(({ by, at, payload }) => [`${by} ${payload.recipient}`, at]));
    const told = (grants ?? []).filter(({ role }) => role === "Party");
    return [
      listed([...shown, ...told.map((one) => `${one.granter} ${one.recipient} ${one.granted_at}`)]),
      listed([...right, ...[...newest].map(([who, at]) => `${who} ${at}`)]),
    ];
  },
  getCounterparties({ view }, { params, result }) {
    const wallet = peerNamed(params.wallet);
    const sums = new Map<unknown, [number, number, number, number]>();
    for (const { row } of rowsOf(view, "settlements")) {
      const { buyer, seller, state, disputed_at } = row;
      if (buyer === seller || (buyer !== wallet && seller !== wallet)) continue;
      const other = buyer === wallet ? seller : buyer;
      const sum = sums.get(other) ?? [0, 0, 0, 0];
      sum[OVER.includes(state) ? 0 : GIVEN_UP.includes(state) ? 2 : 1] += 1;
      if (disputed_at !== null) sum[3] += 1;
      sums.set(other, sum);
    }
    const shown = (result as readonly Shown[]).map(
      (one) => `${one.counterparty} ${one.trades} ${one.in_progress} ${one.abandoned} ${one.disputed}`,
    );
    return [listed(shown), listed([...sums].map(([other, sum]) => `${other} ${sum.join(" ")}`))];
  },
  getPaymentMethods({ held }, { result }) {
    const right = new Set(
      ofType(held, "PaymentMethodDefine").map((one) => `${methodId(one)} ${one.payload.name} ${one.payload.category}`),
    );
    const { merchant } = result as { readonly merchant: readonly Shown[] };
    const shown = merchant.map(({ id, name, category }) => `${id} ${name} ${category}`);
    return [listed(shown), listed(shown.filter((each) => right.has(each)))];
  },
};

/** What the parties of a wallet's settled trades said last of each other, once each. */
function reviewsIn({ held, view }: Asked, wallet: string): readonly { readonly of: Signed; readonly about: string }[] {
  const found = new Map<string, { readonly of: Signed; readonly about: string }>();
  for (const { key, row } of rowsOf(view, "settlements")) {
    const [buyer, seller] = [String(row.buyer), String(row.seller)];
    const initiate = ofType(held, "SettlementInitiate").find(({ identity }) => identity === key);
    if (![buyer, seller].includes(wallet) || buyer === seller || !OVER.includes(row.state)) continue;
    const reviews = initiate === undefined ? [] : about(held, initiate, "ReviewPublish", "settlement");
    for (const [author, of] of [
      [buyer, seller],
      [seller, buyer],
    ] as const) {
      const last = reviews.filter(({ by, payload }) => by === author && isComment(String(payload.comment))).at(-1);
      if (last !== undefined) found.set(`${last.identity} ${of}`, { of: last, about: of });
    }
  }
  return [...found.values()];
}

function isComment(comment: string): boolean {
  return [...comment].length <= COMMENT_POINTS_MOST && !UNSHOWABLE.test(comment.replaceAll("\n", ""));
}

/** Whether somebody offers a service of these kinds that he did not withdraw, registered no longer ago than `since`. */
function isRegistered(held: Held, view: Reader, by: string, kinds: readonly string[], since = 0n): boolean {
  const listedOf = new Set(rowsOf(view, "services").map(({ row }) => row.registration));
  return ofType(held, "Registration").some(({ by: provider, at, identity, payload }) => {
    if (provider !== by || at < since || !listedOf.has(identity)) return false;
    const left = ofType(held, "Withdrawal").some(
      (each) => each.by === by && each.payload.service_id === payload.service_id && each.at >= at,
    );
    return !left && kinds.includes(String(Object.values(payload.service_type as object)[0]));
  });
}

function sameEntry(a: Signed, b: Signed): boolean {
  return a.by === b.by && a.payload.sequence === b.payload.sequence;
}

/** A peer id, which may be written in base64, or as its key alone. Source: protocol 01 §15 W11. */
function peerNamed(text: unknown): string {
  for (const bytes of [fromBase64(String(text)), fromBase58(String(text))]) {
    if (bytes?.length === PEER_BYTES) return toBase58(bytes);
    if (bytes?.length === KEY_BYTES) return toBase58(Uint8Array.of(...BEFORE_KEY, ...bytes));
  }
  return String(text);
}

function ofType(held: Held, type: string): readonly Signed[] {
  return held.ofType.get(type) ?? [];
}

function listed(texts: readonly string[]): string {
  return [...texts].sort((a, b) => (a < b ? -1 : 1)).join(", ");
}
