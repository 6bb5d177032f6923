/**
 * What a node shows is what the papers make of the statements and facts that it holds: settlements,
 * disputes, reservations, grants, and what is left of an offer, computed by a model that shares no code with the core
 * (papers-model). Records are looked at whenever a set or a state is met for the first time, answers whenever somebody
 * asks. Source: CONVERGENCE; DESIGN section 5 "Checks".
 */
import type { Reader, RootTexts } from "../../core/index.ts";
import { Disputes, disputeIn, Seals, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { isSame } from "../runtime.ts";
import type { Exchange } from "./exchanges.ts";
import { exchangesOf } from "./exchanges.ts";
import type { Signed } from "./papers-model/held.ts";
import { datesOf, heldBy, rowsOf } from "./papers-model/held.ts";
import type { TradeModel } from "./papers-model/model.ts";
import { heldOfTrades, tradeModel } from "./papers-model/model.ts";
import type { ModelReservation } from "./papers-model/offers.ts";
import { availableAt, stateAt } from "./papers-model/offers.ts";
import { publishedIn } from "./papers-model/people.ts";
import { reputationIn, reputationShown } from "./papers-model/reputation.ts";
import { statusOf } from "./papers-model/settings.ts";
import { endOf } from "./papers-model/trades.ts";
import { recentlyMade } from "./recently-made.ts";

/** A node with more statements is not looked at: a look goes through all. Source: DESIGN "Simulated world". */
const STATEMENTS_LOOKED_THROUGH = 400;
/** Sets whose model is remembered: most nodes hold the same one at most times. Source: DESIGN "Simulated world". */
const MODELS_REMEMBERED = 16;
const ASKED = /"get(?:(?:Advertisement|Reservation)s?|SettledVolume|Reputation)"/;

type Shown = Readonly<Record<string, unknown>>;

/** Nodes show of trades what the papers say. */
export function recordsFollowThePapers({ violate, profile, tables }: CheckContext): Checker {
  // The reference has tables of its own, and so has a network of other domains.
  if (profile.parity || tables !== undefined) return { name: "records-follow-the-papers" };
  /** Models by what they are made of; nodes that hold the same are compared with the same one. */
  const papers = recentlyMade<Papers | undefined>(MODELS_REMEMBERED);
  const trades = recentlyMade<Trades>(MODELS_REMEMBERED);
  const papersOf = (view: Reader, { statements, facts, archive }: RootTexts): Papers | undefined =>
    papers.of(`${statements} ${facts} ${archive} ${datesOf(view)}`, () => {
      // Records that are sealed rest on statements that are gone: the model cannot tell.
      if (view.size(Seals) > 0 || view.size(Statements) > STATEMENTS_LOOKED_THROUGH) return undefined;
      const held = heldBy(view);
      const about = heldOfTrades(held);
      const key = about.signed.map(({ identity }) => identity).join("");
      const made = trades.of(`${facts} ${datesOf(view)} ${key}`, () => tradesFor(tradeModel(about)));
      return { published: publishedIn(held), agreed: new Set(), ...made };
    });
  const look = (node: number, view: Reader, roots: RootTexts) => {
    const right = papersOf(view, roots);
    if (right === undefined || right.agreed.has(roots.state)) return;
    right.agreed.add(roots.state);
    for (const problem of problemsOf(right, view)) {
      right.agreed.delete(roots.state);
      violate(`node ${node}: ${problem}`);
    }
  };
  return {
    name: "records-follow-the-papers",
    onStep({ node, input, effects, roots, rootsBefore, view }) {
      if (input.type === "rpc.called" && ASKED.test(input.body)) {
        const reply = effects.find((effect) => effect.type === "rpc.reply");
        const model = papersOf(view, roots)?.model;
        if (model === undefined || reply?.type !== "rpc.reply" || reply.body === null) return;
        for (const exchange of exchangesOf(input.body, reply.body))
          for (const problem of answerProblems(model, exchange, input.now)) violate(`node ${node}: ${problem}`);
      }
      if (roots !== rootsBefore) look(node, view, roots);
    },
    onEnd({ nodes }) {
      for (const { node, view, roots } of nodes) look(node, view, roots);
    },
  };
}

/** What the papers make of trades: the model, and each record that follows from it by its table and key. */
interface Trades {
  readonly model: TradeModel;
  readonly expected: ReadonlyMap<string, Shown>;
}

/** What they make of a set. */
interface Papers extends Trades {
  readonly published: ReturnType<typeof publishedIn>;
  /** Roots of states that have it so: the same root over the same set is the same records, whoever holds them. */
  readonly agreed: Set<string>;
}

function tradesFor(model: TradeModel): Trades {
  const expected = new Map<string, Shown>();
  for (const is of model.settlements) {
    const { initiate, pair } = is;
    expected.set(`settlement ${initiate.identity}`, {
      state: is.state,
      signed_state: is.signed,
      ever_paid: is.everPaid,
      approved: is.approved,
      rejected: is.rejected,
      reject_signed: is.rejectSigned,
      decided: is.decided !== undefined,
      cancelled_by_buyer: is.cancelledByBuyer,
      cancelled_by_seller: is.cancelledBySeller,
      released: is.released,
      resolution: is.decided?.resolution ?? null,
      advertisement: pair.offer.identity,
      request: pair.request.identity,
      payment_reference: is.payment?.payload.payment_reference ?? null,
      payment_submitted_at: is.payment?.at ?? null,
      merchant_responded_at: is.response?.at ?? null,
      payment_discrepancy: is.response?.payload.discrepancy ?? null,
      created_at: initiate.at,
      disputed_at: is.opens[0]?.at ?? null,
      ends_at: endOf({ initiate, opens: is.opens }),
    });
  }
  for (const { open, settlement, status, joined, committed, revealed, agreed } of model.disputes) {
    const resolution = settlement.decided?.resolution ?? null;
    const [buyer, seller] = agreed;
    expected.set(`dispute ${settlement.initiate.identity}:${open.identity}`, {
      status,
      resolution,
      joined: joined.join(),
      committed,
      revealed: revealed.join(),
      buyer_agreed_mutual_settlement: buyer,
      seller_agreed_mutual_settlement: seller,
    });
  }
  for (const [offer, reservations] of model.offers)
    for (const [key, row] of offerRows(model, offer, reservations)) expected.set(key, row);
  return { model, expected };
}

/** What the records of a memory have otherwise than the papers. */
function* problemsOf({ expected, published }: Papers, view: Reader): Generator<string> {
  yield* differences(expected, shownIn(view));
  yield* peopleProblems(published, view);
}

/** What people published of themselves, where their node shows it; what a domain's own checks refuse is not shown. */
function* peopleProblems(published: Papers["published"], view: Reader): Generator<string> {
  const rows = new Map(
    [...new Set(published.map(({ table }) => table))].map((table) => [
      table,
      new Map(rowsOf(view, table).map(({ key, row }) => [key, row])),
    ]),
  );
  for (const { table, key, is, always } of published) {
    const row = rows.get(table)?.get(key);
    if (row === undefined && always === true) yield `${table} ${key} is missing`;
    if (row !== undefined) yield* differences(new Map([[`${table} ${key}`, is]]), new Map([[`${table} ${key}`, row]]));
  }
}

function* offerRows(
  { held }: TradeModel,
  offer: Signed,
  reservations: readonly ModelReservation[],
): Generator<readonly [string, Shown]> {
  for (const { pair, followed, sold, acknowledged, touched, settling, abandoned, cancelledAt } of reservations) {
    const settlement = followed?.initiate.identity ?? null;
    const shown = { settlement, sold, acknowledged, touched, settling, abandoned, cancelled_at: cancelledAt };
    yield [`reservation ${offer.identity}:${pair.request.identity}`, shown];
  }
  const granted = reservations.filter((one) => one.granted);
  const sum = granted.reduce((total, { pair }) => total + BigInt(`0x${pair.request.identity}`), 0n);
  const granted_digest = (sum & ((1n << 256n) - 1n)).toString(16).padStart(64, "0");
  const acknowledged = granted.reduce((units, one) => units + (one.acknowledged ? unitsOf(one.pair.request) : 0n), 0n);
  yield [
    `advertisement ${offer.identity}`,
    { status: statusOf(held, offer), granted: BigInt(granted.length), granted_digest, acknowledged },
  ];
}

/** What a statement asks for, in base units. */
function unitsOf({ payload }: Signed): bigint {
  return (payload.amount as { readonly base_units: bigint }).base_units;
}

/** Units of each asset that settled, by what was released. Source: protocol 02 F. */
function volumeIn({ settlements }: TradeModel): string {
  const sums = new Map<string, bigint>();
  for (const { initiate, pair, decided, released, fact } of settlements) {
    if (!released) continue;
    const mint = (decided ?? fact)?.mint ?? String(pair.offer.payload.asset_mint);
    sums.set(mint, (sums.get(mint) ?? 0n) + unitsOf(initiate));
  }
  return [...sums]
    .map(([mint, sum]) => `${mint} ${sum}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join();
}

/** What an answer says otherwise than the papers of records whose ids nobody contests. */
function* answerProblems(model: TradeModel, { method, result }: Exchange, now: bigint): Generator<string> {
  if (/^getAdvertisements?$/.test(method)) {
    for (const shown of recordsIn(result, "advertisements")) {
      const [offer, rival] = [...model.offers.keys()].filter(({ payload }) => payload.id === shown.id);
      if (offer === undefined || rival !== undefined) continue;
      const left = availableAt(offer, model.offers.get(offer) ?? [], now);
      const signed = statusOf(model.held, offer);
      const status = signed === "Active" && left === 0n ? "Disabled" : signed;
      const { base_units } = shown.available_liquidity as { readonly base_units: number };
      if (BigInt(base_units) !== left || shown.status !== status)
        yield `${method} shows ${shown.id} ${shown.status} with ${base_units}, the papers say ${status} with ${left}`;
    }
  }
  if (method === "getSettledVolume") {
    const assets = recordsIn(result, "assets").map(({ asset_mint, base_units }) => `${asset_mint} ${base_units}`);
    const [shown, right] = [assets.sort((a, b) => (a < b ? -1 : 1)).join(), volumeIn(model)];
    if (shown !== right) yield `${method} shows "${shown}", the papers say "${right}"`;
  }
  if (method === "getReputation") {
    for (const answer of recordsIn(result, "profiles")) {
      const shown = reputationShown(answer);
      for (const [member, right] of Object.entries(reputationIn(model, String(answer.wallet), now)))
        if (!isSame(shown[member], right))
          yield `${method} of ${answer.wallet} has ${member} ${shown[member]}, the papers say ${right}`;
    }
  }
  if (!/^getReservations?$/.test(method)) return;
  for (const shown of recordsIn(result, "reservations")) {
    const [one, rival] = [...model.offers.values()].flat().filter(({ pair }) => pair.request.payload.id === shown.id);
    if (one === undefined || rival !== undefined) continue;
    const state = stateAt(one, now);
    if (shown.state !== state) yield `${method} shows ${shown.id} ${shown.state}, the papers say ${state}`;
  }
}

/** The records of an answer: one, a list, or a page of them. */
function recordsIn(result: unknown, member: string): readonly Shown[] {
  if (result === null || typeof result !== "object") return [];
  if (Array.isArray(result)) return result as readonly Shown[];
  const page = (result as Shown)[member];
  return Array.isArray(page) ? (page as readonly Shown[]) : [result as Shown];
}

/** The records of trades as a node has them, with what the model speaks about. */
function shownIn(view: Reader): ReadonlyMap<string, Shown> {
  const shown = new Map<string, Shown>();
  const take = (name: string, table: string, told: (row: Shown) => Shown = (row) => row) => {
    for (const { key, row } of rowsOf(view, table)) shown.set(`${name} ${key}`, told(row));
  };
  take("settlement", "settlements");
  for (const key of view.keys(Disputes)) {
    const row = view.get(Disputes, key);
    if (row === undefined) continue;
    const read = disputeIn(view, row);
    const { arbitrators, commitments, reveals } = read;
    const revealed = reveals.map(({ vote }) => vote).join();
    shown.set(`dispute ${key}`, { joined: arbitrators.join(), committed: commitments.length, revealed, ...read });
  }
  take("reservation", "reservations");
  take("advertisement", "advertisements");
  return shown;
}

/** Records that were found as the papers have them, each with what that was: neither of the two ever changes. */
const asTold = new WeakMap<Shown, Shown>();

function* differences(expected: ReadonlyMap<string, Shown>, shown: ReadonlyMap<string, Shown>): Generator<string> {
  for (const name of shown.keys()) if (!expected.has(name)) yield `${name} is there, and the papers know none`;
  for (const [name, is] of expected) {
    const row = shown.get(name);
    if (row === undefined) yield `${name} is missing`;
    if (row === undefined || asTold.get(row) === is) continue;
    const wrong = Object.entries(is).filter(([member, value]) => !isSame(row[member], value));
    for (const [member, value] of wrong) yield `${name} has ${member} ${row[member]}, and the papers say ${value}`;
    if (wrong.length === 0) asTold.set(row, is);
  }
}
