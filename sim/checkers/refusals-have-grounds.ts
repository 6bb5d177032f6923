/**
 * A send about an advertisement or a settlement is refused for what is so, and not taken in spite of it: whether a
 * record of that name is known, whether the signer is one of those who may speak of it, and whether it is deleted, are
 * worked out from the statements that the node holds, apart from the core. Checks that come first decide first; what
 * depends on signatures, dates and sums is judged by other laws.
 * Source: protocol 02 B.6, D.4; CONVERGENCE "Records and ids".
 */
import type { Reader } from "../../core/index.ts";
import { fromBase64, fromHex, toBase58 } from "../../core/index.ts";
import { Seals, Settlements, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import type { Exchange } from "./exchanges.ts";
import { exchangesOf } from "./exchanges.ts";
import type { Held, Signed } from "./papers-model/held.ts";
import { heldBy, heldOnly } from "./papers-model/held.ts";
import { offersIn, statusOf } from "./papers-model/settings.ts";

/** A node with more statements is not looked at: a look goes through all. Source: DESIGN "Simulated world". */
const STATEMENTS_LOOKED_THROUGH = 400;

/** Registered numbers, written down apart from the core. Source: protocol 01 §6.2. */
const RATE_LIMIT_EXCEEDED = 9;
const INVALID_SIGNATURE = 1_003;
const INVALID_IDENTITY_CLAIM = 2_001;
const ADVERTISEMENT_NOT_FOUND = 3_000;
const DUPLICATE_ADVERTISEMENT = 3_004;
const SETTLEMENT_NOT_FOUND = 5_008;
const SETTLEMENT_ALREADY_EXISTS = 5_010;
const DATABASE_ERROR = 9_000;
/** What a node answers before it looks at what is signed. */
const TOO_LARGE = "too-large";
/** Why what disables an advertisement is refused that says something else. Source: protocol 02 B.5. */
const NOT_DISABLED = "not-disabled";
/** What is signed by another than whose it is comes without a reason: wrong bytes have one. Source: protocol 02 B.6. */
const SIGNED_BY_ANOTHER = String(INVALID_SIGNATURE);
/** What is refused before anybody asks whom it names: signature, date, id. Source: protocol 01 §13.1, 02 O.31. */
const BEFORE_A_NAME: readonly string[] = ["other-bytes", "date-ahead", "date-behind", "id-form"];
/** Why an edit is refused where its merchant has two offers of that name. Source: CONVERGENCE "Records and ids". */
const AMBIGUOUS = "ambiguous";

/**
 * What must become of a call: one refusal and no other, unless one comes first for a reason that is named; any refusal;
 * or whatever is not among codes and reasons, where a code as a text is one that comes without a reason.
 */
type Verdict =
  | { readonly only: number; readonly unless?: readonly string[] }
  | { readonly refused: true }
  | { readonly never: readonly (number | string)[] };

/** What is known when a call comes. */
interface Known {
  readonly held: Held;
  readonly view: Reader;
}

type Payload = Readonly<Record<string, unknown>>;
type Judge = (known: Known, payload: Payload) => Verdict;

const JUDGES: Readonly<Record<string, Judge>> = {
  sendAdvertisementCreate: creating("AdvertisementCreate", DUPLICATE_ADVERTISEMENT),
  sendAdvertisementPriceUpdate: editing,
  sendAdvertisementTermsUpdate: editing,
  sendAdvertisementStatusSet: editing,
  sendAdvertisementDisable: disabling,
  sendSettlementInitiate: creating("SettlementInitiate", SETTLEMENT_ALREADY_EXISTS),
  sendPaymentSubmitted: acting("buyer", ["buyer"]),
  sendPaymentReversed: acting("buyer", ["buyer"]),
  sendSettlementApproved: acting("seller", ["seller"]),
  sendSettlementRejected: acting("seller", ["seller"]),
  sendSettlementCancelled: acting("canceller", ["buyer", "seller"]),
};

/** Sends are refused for what is so. */
export function refusalsHaveGrounds({ violate, profile, tables }: CheckContext): Checker {
  if (profile.parity || tables !== undefined) return { name: "refusals-have-grounds" };
  return {
    name: "refusals-have-grounds",
    onStep({ node, input, changes, effects, view }) {
      if (input.type !== "rpc.called" || view.size(Seals) > 0) return;
      if (view.size(Statements) > STATEMENTS_LOOKED_THROUGH) return;
      const reply = effects.find((effect) => effect.type === "rpc.reply");
      if (reply?.type !== "rpc.reply" || reply.body === null) return;
      // What one member of a list brings, the next one finds.
      const [exchange, ...others] = exchangesOf(input.body, reply.body);
      if (exchange === undefined || others.length > 0 || isUnread(exchange)) return;
      const judge = JUDGES[exchange.method];
      // Most calls are reads, and no payload is looked for in one: that was 2 % of a fleet's time.
      const payload = judge && payloadOf(exchange);
      if (judge === undefined || payload === undefined) return;
      const come = new Set(changes.flatMap(({ table, key }) => (table === Statements.name ? [key] : [])));
      const held = heldOnly(heldBy(view), ({ identity }) => !come.has(identity));
      const wrong = wrongIn(judge({ held, view }, payload), exchange);
      if (wrong !== undefined) violate(`node ${node} ${wrong}`);
    },
  };
}

/** Whether a call was answered before anybody looked at what it says, or its parameters fit nothing. */
function isUnread({ refusal, reason, ...told }: Exchange): boolean {
  if (refusal === undefined) return !("result" in told);
  return refusal === RATE_LIMIT_EXCEEDED || refusal === DATABASE_ERROR || reason === TOO_LARGE;
}

function wrongIn(verdict: Verdict, { method, refusal, reason }: Exchange): string | undefined {
  const outcome = refusal === undefined ? `takes ${method}` : `refuses ${method} with ${refusal}`;
  if ("only" in verdict) {
    if (refusal !== undefined && verdict.unless?.includes(reason ?? "")) return undefined;
    return refusal === verdict.only ? undefined : `${outcome}, and the papers with ${verdict.only}`;
  }
  if ("refused" in verdict) return refusal === undefined ? `${outcome}, and the papers refuse it` : undefined;
  const isNever =
    refusal !== undefined && verdict.never.some((one) => one === refusal || one === (reason ?? String(refusal)));
  return isNever ? `${outcome}, and has no ground for it` : undefined;
}

/** What is signed, as the client wrote it. */
function payloadOf({ params: { data } }: Exchange): Payload | undefined {
  const bytes = typeof data === "string" ? fromBase64(data) : undefined;
  try {
    const outer: unknown = JSON.parse(Buffer.from(bytes ?? []).toString());
    const isPayload = (one: unknown): one is Payload => typeof one === "object" && one !== null && !Array.isArray(one);
    return isPayload(outer) ? Object.values(outer).find(isPayload) : undefined;
  } catch {
    return undefined;
  }
}

/** Nobody begins a second record of a name. */
function creating(type: string, taken: number): Judge {
  return ({ held }, { id }) => (named(held, type, id).length > 0 ? { refused: true } : { never: [taken] });
}

/** An advertisement is edited by its merchant until it is deleted. Source: protocol 02 B.6. */
function editing({ held }: Known, { id, merchant }: Payload): Verdict {
  const found = named(held, "AdvertisementCreate", id);
  const mine = found.filter(({ by }) => by === merchant);
  if (found.length === 0) return { only: ADVERTISEMENT_NOT_FOUND };
  if (mine.length === 0) return { only: INVALID_SIGNATURE };
  const isThere = offersIn(held).some((offer) => mine.includes(offer) && statusOf(held, offer) !== "Deleted");
  if (!isThere) return { refused: true };
  const never = [ADVERTISEMENT_NOT_FOUND, SIGNED_BY_ANOTHER];
  return { never: mine.length === 1 ? [...never, AMBIGUOUS] : never };
}

/** What disables an advertisement says Disabled, in either form, and nothing else. Source: protocol 02 B.5. */
function disabling(known: Known, payload: Payload): Verdict {
  const verdict = editing(known, payload);
  if (!("never" in verdict)) return verdict;
  return (payload.status ?? "Disabled") === "Disabled"
    ? { never: [...verdict.never, NOT_DISABLED] }
    : { refused: true };
}

/** Of a settlement its buyer, its seller or either speaks. Source: protocol 02 D.4. */
function acting(signer: string, roles: readonly string[]): Judge {
  return ({ held, view }, payload) => {
    // One that no reservation bears out is no record, and comes to nothing.
    const found = named(held, "SettlementInitiate", payload.settlement_id).filter(
      ({ identity }) => view.get(Settlements, identity) !== undefined,
    );
    if (found.length === 0) return { only: SETTLEMENT_NOT_FOUND };
    const isParty = found.some((initiate) => roles.some((role) => initiate.payload[role] === payload[signer]));
    if (isParty) return { never: [SETTLEMENT_NOT_FOUND, INVALID_IDENTITY_CLAIM] };
    return { only: INVALID_IDENTITY_CLAIM, unless: BEFORE_A_NAME };
  };
}

/** What creates records of a name: an id, or the identity of what bears it. */
function named(held: Held, type: string, name: unknown): readonly Signed[] {
  const isNamed = ({ identity, payload }: Signed) =>
    payload.id === name || toBase58(fromHex(identity) ?? new Uint8Array(0)) === name;
  return (held.ofType.get(type) ?? []).filter((one) => !one.isVoid && isNamed(one));
}
