/**
 * The published values beside this file, as typed rows. Numbers of payloads stay number tokens, so nothing is lost.
 * Source: protocol 01 §1.2, §4.3, §6.2, §16; 02 P; 03 H.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { marketplace } from "../../core/domains.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromHex } from "../../core/kernel/bytes.ts";
import type { FloatSpelling } from "../../core/kernel/float.ts";
import type { Json } from "../../core/kernel/json.ts";
import { isObject, parseJson } from "../../core/kernel/json.ts";
import { decodeJson } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import type { PeerId, PublicKey, Signature } from "../../core/kernel/values.ts";

export interface PersonRow {
  readonly source: string;
  /** One byte in hexadecimal; the secret is 32 of it. */
  readonly seed: string;
  readonly publicKeyHex?: string;
  readonly publicKey: PublicKey;
  readonly peer: PeerId;
  /** The peer id in base64: the `wallet` parameter. */
  readonly wallet: string;
}

/** Wire bytes in one piece, or in pieces where `peer`, `key` and `signature` stand for those of the signer. */
type Wire = { readonly form: "bare" | "tagged" } & ({ readonly hex: string } | { readonly parts: readonly string[] });

export interface StatementRow {
  readonly source: string;
  readonly tag: string;
  readonly signer: PeerId;
  /** How the signed bytes spell floats. */
  readonly spelling: FloatSpelling;
  readonly transcript: { readonly length: number; readonly sha256?: string };
  readonly preimage?: { readonly length?: number; readonly sha256?: string; readonly hex?: string };
  /** The statement's identity in base58. */
  readonly identity?: string;
  readonly bare?: Signature;
  readonly tagged?: Signature;
  readonly wire?: Wire;
}

/** A row whose payload type exists, decoded. */
export interface Vector {
  readonly row: StatementRow;
  readonly type: SignedType;
  readonly payload: RecordOf<Fields>;
}

export interface TagRow {
  readonly tag: string;
  readonly length: number;
  readonly outer: string;
  readonly bare: boolean;
}

export interface ErrorRow {
  readonly number: number;
  readonly name: string;
  readonly retryable: boolean;
}

export interface CommitmentRow {
  readonly vote: number;
  /** One byte in hexadecimal; the secret is 32 of it. */
  readonly secret: string;
  readonly sha256: string;
}

export const people = read("people.json") as readonly PersonRow[];
export const statementRows = read("statements.json") as readonly StatementRow[];
export const tagRows = read("tags.json") as readonly TagRow[];
export const errorRows = read("errors.json") as readonly ErrorRow[];
export const commitmentRows = read("commitments.json") as readonly CommitmentRow[];

/** Rows of payload types that the core has, with their payloads; members stand in alphabetical order in the file. */
export const vectors: readonly Vector[] = payloads().flatMap((node, index) => {
  const row = known(statementRows[index], "the row of a payload");
  const type = marketplace.typesByName.get(row.tag.split("/")[2] ?? "");
  if (type === undefined) return [];
  const decoded = decodeJson(type.payload, node);
  if (!decoded.ok) throw new Error(`${row.source}: ${decoded.error}`);
  return [{ row, type, payload: decoded.value.value }];
});

/** Rows of payload types that the core does not have. */
export const waitingRows: readonly StatementRow[] = statementRows.filter(
  (row) => !vectors.some((vector) => vector.row === row),
);

/** The published person of a peer id. */
export function personOf(peer: PeerId): PersonRow {
  return known(
    people.find((person) => person.peer === peer),
    `person ${peer}`,
  );
}

/** 32 equal bytes. */
export function secretOf(byte: string): Uint8Array {
  return known(fromHex(byte.repeat(32)), "bytes of a seed");
}

function payloads(): readonly Json[] {
  const parsed = parseJson(text("statements.json"));
  if (!parsed.ok || !Array.isArray(parsed.value)) throw new Error("statements.json is a list");
  return (parsed.value as readonly Json[]).map((row) =>
    known(isObject(row) ? row.members.get("payload") : undefined, "payload of a row"),
  );
}

function read(name: string): unknown {
  return JSON.parse(text(name));
}

function text(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8");
}
