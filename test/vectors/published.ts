/**
 * What `ofs-node/vectors` publishes for client authors in any language: test keys, and of every signed type one payload
 * in each rendering that nodes take, with its signatures, identity and the `data` that is sent; texts of proofs.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { FeeSettlement, HealthUpdate, Registration, Withdrawal } from "../../core/domains/providers/schema.ts";
import { methods } from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { parseJson } from "../../core/kernel/json.ts";
import type { JsonStyle } from "../../core/kernel/schema.ts";
import { decodeJson, TRANSCRIPT, TRANSCRIPT_ECMASCRIPT } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { earnedId, earnedNumber, identityOf, tagged } from "../../core/kernel/signed.ts";
import { toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import { person } from "../rpc/lone-node.ts";
import { personOf, secretOf, vectors } from "./fixtures.ts";

const crypto = openNativeCrypto();
const provider = person(0x22);
const TIME = 1_786_000_000_000;

const usdc = { base_units: 1_000_000, decimals: 6 };
const mint = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";
const service = { service_id: "service-1", provider: provider.peer, timestamp: TIME };
/** Payloads of types that no worked example signs. */
const others: readonly (readonly [SignedType, object])[] = [
  [
    Registration as unknown as SignedType,
    {
      ...service,
      ...{ service_type: { Infrastructure: "PublicApiNode" }, provider_public_key: provider.key, endpoints: [] },
      ...{ supported_ofs: [1500], capabilities: ["archive"] },
    },
  ],
  [HealthUpdate as unknown as SignedType, { ...service, state: "Maintenance" }],
  [Withdrawal as unknown as SignedType, service],
  [
    FeeSettlement as unknown as SignedType,
    {
      ...{ service_id: "service-1", payer: provider.peer, payer_public_key: provider.key, fee: usdc, fee_mint: mint },
      ...{ settlement_mint: mint, settlement_amount: usdc, rate: 1, reference: "order 7" },
      ...{ quoted_at: TIME, expires_at: TIME + 60_000 },
    },
  ],
];

/** Payloads of every signed type, as many as its renderings need, and whose secret signs them. */
function statements(): readonly (readonly [SignedType, RecordOf<Fields>, Uint8Array])[] {
  const seen = new Set<string>();
  const worked = vectors
    .filter(({ type, payload }) => {
      const names = Object.keys(renderings(type, payload)).map((name) => `${type.tag} ${name}`);
      const isNew = names.some((name) => !seen.has(name));
      for (const name of names) seen.add(name);
      return isNew;
    })
    .map(({ row, type, payload }) => [type, payload, secretOf(personOf(row.signer).seed)] as const);
  const rest = others.map(([type, payload]) => {
    const parsed = parseJson(JSON.stringify(payload));
    const decoded = parsed.ok ? decodeJson(type.payload, parsed.value) : parsed;
    return [type, known(decoded.ok ? decoded.value.value : undefined, type.name), provider.secret] as const;
  });
  return [...worked, ...rest].sort(([a], [b]) => (a.tag < b.tag ? -1 : 1));
}

/** Each text that a signer may sign, by how it is written. */
function renderings(type: SignedType, payload: RecordOf<Fields>): Readonly<Record<string, string>> {
  const write = (style: JsonStyle) => type.payload.write(payload, style);
  const texts: Record<string, string> = { explicit: write(TRANSCRIPT) };
  if (type.payload.floats) texts["ecmascript-floats"] = write(TRANSCRIPT_ECMASCRIPT);
  texts["nulls-left-out"] = write({ ...TRANSCRIPT, leavesOut: () => true });
  return Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => name === "explicit" || text !== texts["explicit"]),
  );
}

function vectorOf(type: SignedType, payload: RecordOf<Fields>, secret: Uint8Array): object {
  const id = type.idOf(payload);
  const earned = type.naming === "number" ? earnedNumber : earnedId;
  return {
    tag: type.tag,
    member: type.outer,
    signer: type.signerOf(payload),
    prefix: toHex(tagged(type, new Uint8Array(0))),
    identity: identityOf(crypto, type, payload),
    ...(id !== undefined && type.naming !== "id" && { earnedId: earned(crypto, type, payload) }),
    renderings: Object.entries(renderings(type, payload)).map(([name, text]) => {
      const sign = (bytes: Uint8Array) => toBase58(crypto.sign(secret, bytes));
      const signature = sign(tagged(type, utf8(text)));
      const data = toBase64(utf8(`{"${type.outer}":${text},"signature":"${signature}"}`));
      return { name, text, tagged: signature, ...(type.forms === "both" && { bare: sign(utf8(text)) }), data };
    }),
  };
}

/** The text of every proof, for a subject and a nonce. */
function proofs(): readonly object[] {
  const domains = new Set(Object.values(methods).flatMap(({ proof }) => (proof === undefined ? [] : [proof.domain])));
  const nonce = "00".repeat(32);
  return [...domains]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((domain) => {
      const subject = domain === "openfiat-earnings" ? "service-1" : provider.peer;
      const text = `${domain}:${subject}:${nonce}`;
      return { domain, subject, nonce, text, signature: toBase64(crypto.sign(provider.secret, utf8(text))) };
    });
}

/** The file's text. */
export function publishedVectors(): string {
  const all = statements();
  const secrets = new Set(all.map(([, , secret]) => secret[0] ?? 0));
  const keys = [...secrets]
    .sort((a, b) => a - b)
    .map((byte) => {
      const { secret, key, peer } = person(byte);
      return { secret: toHex(secret), publicKey: key, peer };
    });
  const signed = all.map(([type, payload, secret]) => vectorOf(type, payload, secret));
  return `${JSON.stringify({ keys, statements: signed, proofs: proofs() }, null, 2)}\n`;
}
