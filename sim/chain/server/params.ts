/**
 * Reading the parameters of a Solana method: by position, the last one a configuration. Source: Solana's JSON-RPC.
 */
import type { Result } from "../../../core/index.ts";
import { fromBase58, ok } from "../../../core/index.ts";
import type { Commitment } from "../slots.ts";
import { commitments } from "../slots.ts";
import type { RpcError } from "./rpc-errors.ts";
import { invalidParams, minContextSlotNotReached } from "./rpc-errors.ts";
import type { ChainView } from "./view.ts";

export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

/** A 32-byte address in base58. */
export function addressParam(params: Params, place: number): Result<string, RpcError> {
  return base58Param(params, place, 32);
}

/** A 64-byte signature in base58. */
export function signatureParam(params: Params, place: number): Result<string, RpcError> {
  return base58Param(params, place, 64);
}

/** A list of base58 texts of `bytes` bytes, at most so many. */
export function listParam(params: Params, place: number, bytes: number, most: number): Result<string[], RpcError> {
  const given = params[place];
  if (!Array.isArray(given)) return invalidParams("Invalid params: invalid type: expected a sequence.");
  if (given.length > most) return invalidParams(`Too many inputs provided; max ${most}`);
  const read: string[] = [];
  for (const [index] of given.entries()) {
    const one = base58Param(given, index, bytes);
    if (!one.ok) return one;
    read.push(one.value);
  }
  return ok(read);
}

/** The configuration object; a bare text there is the commitment, as older clients send it. */
export function configParam(params: Params, place: number): Config {
  const given = params[place];
  if (typeof given === "string") return { commitment: given };
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as Config) : {};
}

/** The commitment asked for: finalized unless said. */
export function levelOf(config: Config, name = "commitment"): Result<Commitment, RpcError> {
  const asked = config[name] ?? "finalized";
  const level = commitments.find((each) => each === asked);
  return level === undefined ? invalidParams(`Invalid params: unknown variant \`${String(asked)}\``) : ok(level);
}

/** The same for methods that read blocks, which nobody answers below confirmed. */
export function blockLevelOf(config: Config): Result<Exclude<Commitment, "processed">, RpcError> {
  const level = levelOf(config);
  if (!level.ok) return level;
  return level.value === "processed"
    ? invalidParams("Method does not support commitment below `confirmed`")
    : ok(level.value);
}

/** The level of a read, once the view has reached the slot that the caller wants at least. */
export function readLevel(view: ChainView, config: Config, name = "commitment"): Result<Commitment, RpcError> {
  const level = levelOf(config, name);
  if (!level.ok) return level;
  const least = config.minContextSlot;
  if (least === undefined || least === null) return level;
  if (typeof least !== "number" || !Number.isSafeInteger(least) || least < 0)
    return invalidParams("Invalid params: minContextSlot");
  const reached = view.slot(level.value);
  return reached < BigInt(least) ? minContextSlotNotReached(reached) : level;
}

function base58Param(params: Params, place: number, bytes: number): Result<string, RpcError> {
  const given = params[place];
  if (typeof given !== "string") return invalidParams("Invalid params: invalid type: expected a string.");
  const decoded = given.length > 2 * bytes ? undefined : fromBase58(given);
  if (decoded === undefined) return invalidParams("Invalid param: Invalid");
  return decoded.length === bytes ? ok(given) : invalidParams("Invalid param: WrongSize");
}
