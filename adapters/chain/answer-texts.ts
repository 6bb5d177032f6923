/**
 * Texts in base58 that an endpoint answers, judged by their length before anybody reads them: the time that reading
 * takes grows with the square of it, web3.js reads whatever there is, and meanwhile nothing else runs.
 * Source: DESIGN L10; protocol 03 C9 (no single one decides).
 */
import { fromBase58 } from "../../core/index.ts";
import { EndpointError } from "./failures.ts";

/** Characters of a key or a blockhash, and of a signature: 32 and 64 bytes in base58. Source: protocol 01 §1.1. */
export const KEY_CHARACTERS_MAX = 44;
export const SIGNATURE_CHARACTERS_MAX = 88;
/**
 * Characters of all texts of one signed transaction together: no byte of its 1,232 takes more than two.
 * Source: Solana's packet size.
 */
export const TRANSACTION_CHARACTERS_MAX = 2_464;
/**
 * Characters of what one program hands to another: 10,240 bytes in base58. Less would be a way to hide a transaction
 * from everybody. Source: Solana's runtime (MAX_INSTRUCTION_DATA_LEN).
 */
export const INVOKED_DATA_CHARACTERS_MAX = 13_985;
/** Characters that are read in one go; longer texts are halved. Source: DESIGN "Work at once". */
const PART_CHARACTERS = 64;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

type Judge = (text: string) => boolean;

const isKeyLong: Judge = (text) => text.length <= KEY_CHARACTERS_MAX;
const isSignatureLong: Judge = (text) => text.length <= SIGNATURE_CHARACTERS_MAX;

/**
 * What texts are under a member of that name, in lists too. What is asked for again, or told as it came, has to be
 * whole: of a signature that is none, honest endpoints say nothing, and it would be waited for.
 */
const judges: ReadonlyMap<string, Judge> = new Map([
  ...["owner", "programId", "accountKey", "accountKeys", "writable", "readonly", "recentBlockhash"].map(
    (name) => [name, isKeyLong] as const,
  ),
  ["signatures", isSignatureLong],
  ["signature", (text) => isSignatureLong(text) && fromBase58(text)?.length === SIGNATURE_BYTES],
  ["blockhash", (text) => isAddress(text)],
  ["data", (text) => text.length <= INVOKED_DATA_CHARACTERS_MAX],
]);

/** Whether a text is 32 bytes in base58. Source: protocol 01 §1.1. */
export function isAddress(text: string): boolean {
  return isKeyLong(text) && fromBase58(text)?.length === KEY_BYTES;
}

interface Part {
  readonly name: string;
  readonly value: unknown;
  /** Within what was signed. */
  readonly isSigned: boolean;
}

/** Whether the texts of an answer may be read. What is no JSON is left to whoever reads it. Source: DESIGN L10. */
export function hasReadableTexts(body: string): boolean {
  const parts: Part[] = [{ name: "result", value: resultOf(body), isSigned: false }];
  let signedLeft = TRANSACTION_CHARACTERS_MAX;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { name, value, isSigned } = part;
    if (typeof value === "string") {
      const judge = judges.get(name);
      if (judge === undefined) continue;
      if (isSigned) signedLeft -= value.length;
      if (!judge(value) || signedLeft < 0) return false;
    } else {
      for (const inner of partsIn(part)) parts.push(inner);
    }
  }
  return true;
}

function resultOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly result?: unknown } | null)?.result;
  } catch {
    return undefined;
  }
}

/** Texts and what may hold some. An account's data is a list, of base64. */
function partsIn({ name, value, isSigned }: Part): readonly Part[] {
  if (typeof value !== "object" || value === null || (name === "data" && Array.isArray(value))) return [];
  const inner = Array.isArray(value)
    ? value.map((each: unknown): Part => ({ name, value: each, isSigned }))
    : Object.entries(value).map(
        ([key, each]): Part => ({ name: key, value: each, isSigned: isSigned || key === "transaction" }),
      );
  return inner.filter(({ value }) => typeof value === "string" || typeof value === "object");
}

/**
 * The bytes of a text in base58, in little time however long it is; throws what is none, for the endpoint to be judged
 * by. Source: DESIGN L10; protocol 01 §1.1.
 */
export function readBase58(text: string, charactersMax: number): Uint8Array {
  if (text.length > charactersMax) throw new EndpointError({ type: "nonsense" });
  const zeros = text.length - text.replace(/^1+/, "").length;
  const value = zeros === text.length ? 0n : numberIn(text.slice(zeros));
  const hex = value === 0n ? "" : value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Uint8Array.from([...new Uint8Array(zeros), ...bytes]);
}

/** Halves, so that few products are of long numbers. */
function numberIn(text: string): bigint {
  if (text.length > PART_CHARACTERS) {
    const half = text.length >> 1;
    return numberIn(text.slice(0, half)) * 58n ** BigInt(text.length - half) + numberIn(text.slice(half));
  }
  const bytes = fromBase58(text);
  if (bytes === undefined) throw new EndpointError({ type: "nonsense" });
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}
