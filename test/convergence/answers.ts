/**
 * What a node answers: every read of the method table, public ones and those that prove a wallet, asked about what a
 * story names. Source: CONVERGENCE "Records and ids"; DESIGN "Laws", L2.
 */

import { CHALLENGE_LIFETIME_MS, issueNonce } from "../../core/domains/wallet-proofs/nonce.ts";
import { marketplace, methods } from "../../core/domains.ts";
import type { MethodRow, Proof } from "../../core/engine/method.ts";
import { answerBody, BATCH_MEMBERS_MAX, subjectOf } from "../../core/engine/rpc.ts";
import { isAnswerable, lastSliceFor } from "../../core/engine/statements/held-calls.ts";
import { attachSlice } from "../../core/engine/statements/slices.ts";
import { nameOfIdentity } from "../../core/engine/statements/table.ts";
import { stepContextOf } from "../../core/engine/step-context.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { createIdentityTree } from "../../core/kernel/identity-tree.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import type { Reader } from "../../core/kernel/table.ts";
import { fromBase58, toBase58, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { later } from "../../core/kernel/values.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { devnetNetwork } from "../../core/profile.ts";
import { gossipOnly } from "../rpc/lone-node.ts";
import { crypto } from "./actors.ts";
import type { Observation } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { everyone } from "./story.ts";

/** One question: the body of a call, and when it is asked. */
export interface Ask {
  readonly body: string;
  readonly now: EpochMillis;
  readonly parity: boolean;
  /** Whether the answer tells what one node knows of itself. */
  readonly local: boolean;
  /** Whether it shows, under the reference's rules, what waits at a node for a reservation. */
  readonly showsWaiting?: boolean;
}

/** Reads whose answers belong to a node and not to its sets, and why. */
const NODE_LOCAL: Readonly<Record<string, string>> = {
  getPeers: "whom it is connected to",
  getRewardObservations: "what it observed of its peers",
  getNotificationDispatch: "what it handed to gateways",
  getNotificationDispatchesByWallet: "what it handed to gateways",
  getDeliveryReceipt: "receipts of what it handed to gateways",
  getDeliveryReceiptsByWallet: "receipts of what it handed to gateways",
};

/**
 * Reads that show under the reference's rules what waits for a reservation. What waits is a node's own: it is not
 * compared between peers. Source: protocol 02 D.4; DESIGN §7 #21.
 */
const SHOW_WAITING: readonly string[] = ["getSettlement", "getSettlements", "getMySettlements"];

/** Reads that anybody may make, and reads that prove a wallet. */
const reads: readonly (readonly [string, MethodRow])[] = Object.entries(methods).filter(
  ([, { kind, access, params }]) => kind === "query" && (access === "public" || "wallet" in params.fields),
);

/** No read compares sets. */
const noIdentities = createIdentityTree(crypto);
const BOOT_SEED = new Uint8Array(32);
/** How many names of a story a read is asked about. */
const NAMES_ASKED = 3;
const usual = gossipOnly(devnetNetwork);
const likeReference = gossipOnly({ ...devnetNetwork, parity: true });
const wallets: readonly string[] = everyone.map(({ peer }) => peer);
/** What a parameter may be, by its name; an `id` is anything that a story names. */
const values: Readonly<Record<string, readonly string[]>> = {
  wallet: wallets,
  base: ["USDC", "one"],
  quote: ["KES", "NGN"],
  country: ["KE", "NG"],
  settlement_mint: ["SOL", "one"],
  cid: [`bafkrei${"a".repeat(51)}q`],
};

/** Every public read, those with parameters about a few of what a story names. */
export function asksAbout(observations: readonly Observation[], random: Shuffle, now: EpochMillis): readonly Ask[] {
  const ids = [...new Set(observations.flatMap(namesIn))];
  return reads.flatMap(([method, { params, need, proof }]) => {
    const members = Object.keys(params.fields).filter((name) => isText(params.fields[name]));
    const times = need === "required" ? NAMES_ASKED : 1;
    return Array.from({ length: times }, (): Ask => {
      const given = members.map((name) => [name, chosen(values[name] ?? ids, random)]);
      const proven = proof === undefined ? {} : proofOf(proof, random.below(everyone.length), now);
      const silent = need === "none" || (need === "optional" && random.below(2) === 0);
      const told = silent ? {} : { params: { ...Object.fromEntries(given), ...proven } };
      return {
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, ...told }),
        now,
        parity: random.below(4) === 0,
        local: method in NODE_LOCAL,
        showsWaiting: SHOW_WAITING.includes(method),
      };
    });
  });
}

/** What a node with this memory answers, after the slices for which the call waits. */
export function answer(reader: Reader, { body, now, parity }: Ask): string | null {
  const configuration = parity ? likeReference : usual;
  const told = {
    ...{ now, number: 1, bootSeed: BOOT_SEED, identities: noIdentities },
    ...{ crypto: remembering, configuration, registry: marketplace },
  };
  const context = stepContextOf(reader, told);
  const call = { about: subjectOf(context, methods, body), last: lastSliceFor(reader) };
  while (!isAnswerable(context.draft, call)) attachSlice(context);
  return answerBody(context, methods, body);
}

/** The first question that two memories answer differently, in words. */
export function differentAnswer(one: Reader, other: Reader, asks: readonly Ask[]): string | undefined {
  return differentAnswerAmong([one, other], asks);
}

/** The same for any number of memories, each asked once: all are held against the first. */
export function differentAnswerAmong([first, ...others]: readonly Reader[], asks: readonly Ask[]): string | undefined {
  if (first === undefined) return undefined;
  for (const ask of asks) {
    const left = answer(first, ask);
    for (const other of others) {
      const right = answer(other, ask);
      if (left !== right) return `${ask.parity ? "under parity " : ""}${ask.body}\n- ${left}\n+ ${right}`;
    }
  }
  return undefined;
}

/** Verdicts reached so far: the same few proofs are looked at by every node of every story. */
const verdicts = new Map<string, boolean>();
const remembering: CryptoPort = {
  ...crypto,
  verify: (...given) => remembered(given, () => crypto.verify(...given)),
  isCurvePoint: (bytes) => remembered([bytes], () => crypto.isCurvePoint(bytes)),
};

function remembered(given: readonly Uint8Array[], judge: () => boolean): boolean {
  const key = given.map(toHex).join();
  const held = verdicts.get(key) ?? judge();
  verdicts.set(key, held);
  return held;
}

/** Proofs made so far: a node's challenges are a function of its boot seed, the input and the instant. */
const proofs = new Map<string, object>();

/** The proof of somebody's wallet, as a node of this file asks for it. */
function proofOf({ domain }: Proof, who: number, now: EpochMillis): object {
  const key = `${domain} ${who} ${now}`;
  const held = proofs.get(key);
  const by = everyone[who];
  if (held !== undefined || by === undefined) return held ?? {};
  const number = BATCH_MEMBERS_MAX;
  const subject = { ledger: "wallet", subject: fromBase58(by.peer) ?? new Uint8Array(0) } as const;
  const nonce = issueNonce(crypto, BOOT_SEED, number, subject, later(now, CHALLENGE_LIFETIME_MS));
  const signature = toBase58(crypto.sign(by.secret, utf8(`${domain}:${by.peer}:${nonce}`)));
  const proof = { wallet: by.peer, public_key: by.key, nonce, signature };
  proofs.set(key, proof);
  return proof;
}

/** Whether a parameter is a text, which may be left out. */
function isText(schema: Schema<unknown> | undefined): boolean {
  const shape = schema?.shape;
  return shape?.type === "text" || (shape?.type === "option" && isText(shape.of));
}

function namesIn(each: Observation): readonly string[] {
  if (each.type !== "statement" || each.statement.type.creates === undefined) return [];
  const { type, payload, identity } = each.statement;
  const id = type.idOf(payload as never);
  return id === undefined ? [] : [id, nameOfIdentity(identity)];
}

function chosen(list: readonly string[], random: Shuffle): string {
  return list[random.below(Math.max(1, list.length))] ?? "nothing";
}
