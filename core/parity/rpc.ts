/**
 * The envelope, parameters and bounds of the reference's JSON-RPC, and the dates that it asks for nowhere.
 * Source: protocol 01 §2.5, §10.2, §14.1.
 */

import { isInTime, STATEMENT_BYTES_MAX } from "../engine/admission/ingress.ts";
import { asDeparted, bytesTaken, takesBrief } from "../engine/admission/rpc.ts";
import { firstOf, idsAndDate, signedThenNamed } from "../engine/admission/validation-order.ts";
import { override } from "../engine/overrides.ts";
import {
  asksForPage,
  idOfInvalid,
  idText,
  mayLack,
  refusalShown,
  takesBatches,
  toldOnce,
  versionError,
} from "../engine/rpc.ts";
import type { Refusal } from "../errors.ts";
import { floatText, parseFloatToken } from "../kernel/float.ts";
import type { Json, JsonNumber } from "../kernel/json.ts";
import { isList, isNumber, isObject } from "../kernel/json.ts";
import { isTerminal } from "../network/gossip/reconcile.ts";
import { remembersRefusals } from "../network/gossip/refused.ts";

export const rpcOverrides = [
  /** It reads one request. Source: protocol 01 §10.2. */
  override(takesBatches, () => false),
  /** It reads numbers beyond 64 bits and fractions as doubles. Source: protocol 01 §10.2. */
  override(idText, idAsRead),
  /** It reads the whole envelope before it knows an id. Source: protocol 01 §14.1 #11. */
  override(idOfInvalid, () => "null"),
  /** The version is a text, whatever it says. Source: protocol 01 §10.2. */
  override(versionError, (version) => (typeof version === "string" ? undefined : "jsonrpc must be a string")),
  /** Optional parameters are an object all the same. Source: protocol 01 §11. */
  override(mayLack, () => false),
  /** Lists are whole. Source: protocol 02 O.29. */
  override(asksForPage, () => false),
  /** A refusal has no reason, and is retryable by its code. Source: protocol 01 §6.1. */
  override(refusalShown, ({ code }) => ({ code }) as Refusal),
  /** Of two equal members the last one counts. Source: protocol 01 §2.5. */
  override(toldOnce, lastWins),
  /** What only we read it refuses. Source: protocol 02 B.8, I.1. */
  override(asDeparted, (departure) => departure),
  /** Empty members are written `null`, and signed so. Source: protocol 01 §2.2. */
  override(takesBrief, () => false),
  /** No method has a bound of its own. Source: protocol 01 §10.4. */
  override(bytesTaken, () => STATEMENT_BYTES_MAX),
  /** Whether somebody is a party is said before the signature is judged. Source: protocol 02 O.31. */
  override(signedThenNamed, (signature, named) => firstOf(named, signature)),
  /** No form of ids and no date is asked for. Source: protocol 01 §13.1, §15 W12. */
  override(idsAndDate, () => undefined),
  /** Nor at any other ingress: what one node takes, every peer takes. Source: protocol 01 §13.1; DESIGN L6. */
  override(isInTime, () => true),
  override(isTerminal, () => false),
  /** What it refuses depends on what came before, so it may take it later. Source: DESIGN L6. */
  override(remembersRefusals, () => false),
];

function idAsRead(id: Json | undefined): string {
  if (!isNumber(id ?? null)) return idText(id);
  const { text } = id as JsonNumber;
  if (/^(?:-?[1-9][0-9]{0,18}|0|1[0-9]{19})$/.test(text)) {
    const value = BigInt(text);
    if (value >= -(1n << 63n) && value < 1n << 64n) return text;
  }
  const double = parseFloatToken(text);
  return double === undefined ? "null" : floatText(double, "protocol");
}

function lastWins(value: Json): Json {
  if (isList(value)) return value.map(lastWins);
  if (!isObject(value)) return value;
  const members = new Map([...value.members].map(([name, member]) => [name, lastWins(member)]));
  return { type: "object", members, duplicate: undefined };
}
