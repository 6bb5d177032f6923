/**
 * A read that a proof opens answers only to a nonce that this node issued, in this memory of it, for that wallet or
 * service, not used before and not expired, and to a signature by the key of that wallet or service over the text of
 * that read; and of a wallet's it does not say that it is wrong. Everything is worked out here from what nodes issue
 * and answer, apart from the core.
 * Source: protocol 03 B.3, B.5, W-12, W-13; 05 §2.3; DESIGN section 5 "Checks" (single use of nonces).
 */
import type { Reader } from "../../core/index.ts";
import { fromBase58, fromBase64, peerBytesOfKey, toBase58, toBase64, utf8 } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import type { ProofRow } from "../proof-rows.ts";
import { proofRows } from "../proof-rows.ts";
import { isSigned } from "../runtime.ts";
import type { Exchange } from "./exchanges.ts";
import { exchangesOf } from "./exchanges.ts";

/** A nonce as a node issued it. */
interface Issued {
  readonly subject: string;
  readonly kind: ProofRow["subject"];
  readonly expiresAt: bigint;
  used: boolean;
}

const rows = new Map(proofRows.map((row) => [row.method, row]));
const kinds = new Map(proofRows.map(({ challenge, subject }) => [challenge, subject]));
const ASKED = /"get\w+Challenge"|"signature"/;
/** Refusals before which the nonce was looked up, and so used. Source: protocol 03 B.5. */
const BURNING: readonly unknown[] = [2, 1003];
/** The refusal of a signature. Source: protocol 03 B.5. */
const INVALID_SIGNATURE = 1003;
const KEY_BYTES = 32;
const PEER_BYTES = 38;

/** A proof opens the reads of who signed it, and opens them once. */
export function proofsOpenOnce({ violate, profile, keep }: CheckContext): Checker {
  const issuedBy = keep(() => new Map<number, Map<string, Issued>>());
  const noncesOf = (node: number): Map<string, Issued> => {
    const known = issuedBy.get(node) ?? new Map<string, Issued>();
    issuedBy.set(node, known);
    return known;
  };
  const forget = (node: number) => void issuedBy.delete(node);

  function onIssued(node: number, kind: ProofRow["subject"], { params, result }: Exchange): void {
    const { nonce, expires_at: expiresAt } = result as { readonly nonce: string; readonly expires_at: number };
    const nonces = noncesOf(node);
    if (nonces.has(nonce)) violate(`node ${node} issues the nonce ${nonce} twice`);
    const subject = kind === "service" ? String(params.id) : walletText(params.wallet ?? params.id);
    nonces.set(nonce, { subject, kind, expiresAt: BigInt(expiresAt), used: false });
  }

  function onAnswered(seen: StepSeen, row: ProofRow, { params, result, refusal }: Exchange): void {
    if (typeof params.signature !== "string") return;
    const { node, input, view } = seen;
    const issued = noncesOf(node).get(String(params.nonce));
    const isOpen = result !== undefined;
    // Of a service several may have registered the id, and which of them has it this does not work out.
    if (isOpen || (refusal === INVALID_SIGNATURE && row.subject === "wallet")) {
      const wrong = misused(issued, row, params, input.now) ?? forged(row, params, view);
      if (isOpen && wrong !== undefined) violate(`node ${node}: ${row.method} opens to ${wrong}`);
      if (!isOpen && wrong === undefined) violate(`node ${node}: ${row.method} refuses a signature that is right`);
    }
    if (issued !== undefined && (result !== undefined || BURNING.includes(refusal))) issued.used = true;
  }

  return {
    name: "proofs-open-once",
    onStep(seen) {
      const { node, input, effects } = seen;
      // Under the reference's rules some of these reads show everything to everybody.
      if (profile.parity || input.type !== "rpc.called" || !ASKED.test(input.body)) return;
      const reply = effects.find((effect) => effect.type === "rpc.reply");
      if (reply?.type !== "rpc.reply" || reply.body === null) return;
      for (const exchange of exchangesOf(input.body, reply.body)) {
        const [kind, row] = [kinds.get(exchange.method), rows.get(exchange.method)];
        if (kind !== undefined && exchange.result !== undefined) onIssued(node, kind, exchange);
        else if (row !== undefined) onAnswered(seen, row, exchange);
      }
    },
    // A memory that is built again knows of no nonce that it issued.
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

type Params = Exchange["params"];

function misused(issued: Issued | undefined, row: ProofRow, params: Params, now: bigint): string | undefined {
  if (issued === undefined || issued.kind !== row.subject)
    return "a nonce that this node did not issue for such a read";
  const subject = row.subject === "service" ? String(params.id) : namedIn(row, params);
  if (issued.subject !== subject) return `a nonce that was issued for ${issued.subject}, not for ${subject}`;
  if (issued.used) return "a nonce that was used before";
  return issued.expiresAt < now ? "a nonce that has expired" : undefined;
}

/** What is wrong with whose key it is, or with what it signed. */
function forged(row: ProofRow, params: Params, view: Reader): string | undefined {
  const { domain, subject } = row;
  const { id, nonce } = params;
  const signature = bytesOf(params.signature);
  const signs = (key: Uint8Array | undefined, about: string) =>
    key?.length === KEY_BYTES && verified(key, `${domain}:${about}:${String(nonce)}`, signature);
  if (subject === "service")
    return [...keysOfService(view, String(id))].some((key) => signs(key, String(id)))
      ? undefined
      : `a signature that is none of service ${String(id)}`;
  const key = bytesOf(params.public_key);
  const named = namedIn(row, params);
  if (key?.length !== KEY_BYTES || toBase58(peerBytesOfKey(key)) !== named) return `a key that is not that of ${named}`;
  const spellings = [named, toBase64(fromBase58(named) ?? new Uint8Array(0))];
  return spellings.some((about) => signs(key, about)) ? undefined : `a signature that is none of ${named} for it`;
}

/** Keys under which somebody registered a service of that id. */
function* keysOfService(view: Reader, id: string): Generator<Uint8Array | undefined> {
  for (const key of view.keys(Statements)) {
    const statement = view.get(Statements, key);
    if (statement?.type.name !== "Registration") continue;
    const payload = statement.payload as { readonly service_id: string; readonly provider_public_key: string };
    if (payload.service_id === id) yield fromBase58(payload.provider_public_key);
  }
}

/** Whom a proof names; `id` stands for the wallet where nothing else is called so. Source: protocol 01 §11. */
function namedIn({ needsId }: ProofRow, { wallet, id }: Params): string {
  return walletText(wallet ?? (needsId ? undefined : id));
}

/** A wallet as base58 of its peer id, however the caller spelled it. */
function walletText(spelled: unknown): string {
  const bytes = bytesOf(spelled);
  if (bytes?.length === KEY_BYTES) return toBase58(peerBytesOfKey(bytes));
  return bytes?.length === PEER_BYTES ? toBase58(bytes) : String(spelled);
}

/** Bytes in base58 or base64, told apart by the lengths that a wallet, a key or a signature can have. */
function bytesOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string") return undefined;
  return [fromBase64(text), fromBase58(text)].find((bytes) => [KEY_BYTES, PEER_BYTES, 64].includes(bytes?.length ?? 0));
}

function verified(key: Uint8Array, text: string, signature: Uint8Array | undefined): boolean {
  return signature !== undefined && isSigned(key, utf8(text), signature);
}
