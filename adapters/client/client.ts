/**
 * The typed client: every method of the table, with its parameters, its result and its payloads as types.
 * 64-bit integers are `bigint` both ways. It signs with the caller's own key and hands a node nothing but
 * signed statements. Runs in Node.js and in browsers. Source: protocol 01 §10, §11; 03 B.3.
 */

import bs58 from "bs58";
import type { Methods, Result, SignedType, Unbranded } from "../../core/index.ts";
import {
  cidOfBlock,
  commitmentOf,
  compareText,
  earnedId,
  earnedNumber,
  methods,
  peerOfKey,
  publicKeyText,
  tagged,
  toBase64,
  transcript,
  utf8,
} from "../../core/index.ts";
import { openPortableCrypto } from "../crypto/portable.ts";
import { decodeAnswer, isRefusal, NodeRefusal, requestBody } from "./envelope.ts";
import { METHOD_NOT_FOUND, olderNames } from "./older-nodes.ts";
import { misfitOf } from "./payloads.ts";

/** How long a call may take, in milliseconds. Source: protocol 01 §13.3. */
export const CALL_MS_MAX = 30_000;
/** How often a call is made again that the node says may succeed later. Source: ours; protocol 01 §10.3. */
const RETRIES = 3;
/** How long the first repeat waits, in milliseconds; each further one twice as long. Source: protocol 01 §10.4. */
const RETRY_MS = 500;
/** Bytes of an Ed25519 key. Source: RFC 8032 §5.1.5. */
const KEY_BYTES = 32;
/** What an arbitrator may find. Source: protocol 03 A.4.4. */
const VOTES: readonly Vote[] = ["BuyerWins", "MerchantWins", "Invalid"];
/** What keeps a commitment from being guessed. Source: protocol 03 A.4.4. */
const SECRET_BYTES = 32;

type Types<M extends keyof Methods> = NonNullable<Methods[M]["types"]>;
type Proof = "public_key" | "nonce" | "signature" | "wallet";
type ProofMethod = {
  [M in keyof Methods]: Types<M>["params"] extends Readonly<Record<"nonce" | "signature", string>> ? M : never;
}[keyof Methods];
/** What a challenge answers: of a wallet as it was spelled, or of a service. */
interface Challenge {
  readonly subject?: string;
  readonly service_id?: string;
  readonly nonce: string;
}
/** One of the rows that a page holds, from what a method answers. */
type RowOf<R> = R extends { readonly next_cursor: unknown } ? Extract<R[keyof R], readonly unknown[]>[number] : never;
type PagedMethod = {
  [M in keyof Methods]: [RowOf<Types<M>["result"]>] extends [never] ? never : M;
}[keyof Methods];
type SendMethod = { [M in keyof Methods]: [Types<M>["payload"]] extends [never] ? never : M }[keyof Methods];

/** What an arbitrator finds. */
type Vote = PayloadOf<"sendVoteReveal">["vote"];

/** What a method answers in pages: a list, and where the next one begins. */
interface Page {
  readonly [list: string]: unknown;
  readonly next_cursor: string | null;
}

/** A record in which members that may be empty may be left out, in records inside it too. */
type Given<T> = T extends Uint8Array | readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T as null extends T[K] ? never : K]: Given<T[K]> } & {
        readonly [K in keyof T as null extends T[K] ? K : never]?: Given<T[K]>;
      }
    : T;

/** Parameters of a method; members that may be empty may be left out. */
export type ParamsOf<M extends keyof Methods> = Given<Unbranded<Types<M>["params"]>>;
/** What a method answers. */
export type ResultOf<M extends keyof Methods> = Unbranded<Types<M>["result"]>;
/** Parameters as the last argument of a call, which may be left out where none is needed. */
type LastOf<P> = Record<never, never> extends P ? [params?: P] : [params: P];
/** What a send signs, in any order of members. */
export type PayloadOf<M extends SendMethod> = Unbranded<Types<M>["payload"]>;

/** A wallet: a public key, and something that signs with the secret one. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Which node to call, and how. */
export interface ClientOptions {
  /** Where JSON-RPC is answered, e.g. `http://127.0.0.1:7080/rpc`. */
  readonly url: string;
  /** Which form is signed. Source: protocol 01 §15 W9: the tagged form, unless an old node knows only the bare one. */
  readonly signatures?: "tagged" | "bare";
  readonly fetch?: typeof fetch;
  readonly callMsMax?: number;
  /** How often a refusal that the node calls retryable is followed by the same call; 0 for never. */
  readonly retriesMax?: number;
  /** Waits before such a call; the runtime's timer unless given. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** Every method of the table as a call; what needs a proof or a signature says so by its type. */
export interface Client {
  /** Calls a method. Fails with `NodeRefusal` when the node refuses, with what `fetch` throws when not reached. */
  call<M extends keyof Methods>(method: M, ...params: LastOf<ParamsOf<M>>): Promise<ResultOf<M>>;
  /**
   * Every row of a list that a node answers in pages, in its order; the next page is asked for when it is needed. Each
   * page is of its own instant. Fails as `call` does, and with `NodeRefusal` when a node's pages lead nowhere.
   */
  rows<M extends PagedMethod>(
    method: M,
    params?: Omit<ParamsOf<M>, "page"> & { readonly pageRows?: bigint },
  ): AsyncGenerator<RowOf<ResultOf<M>>, void, undefined>;
  /**
   * Asks for a challenge, answers it, and reads what only the wallet, or the service's provider, may read. A node that
   * knows the challenge no more, as after a restart, is asked for one more, once; the wallet then signs again.
   */
  prove<M extends ProofMethod>(
    method: M,
    wallet: Signer,
    ...params: LastOf<Omit<ParamsOf<M>, Proof>>
  ): Promise<ResultOf<M>>;
  /**
   * Signs a payload and sends it. An empty `id` of a record it creates becomes the id that its content earns. What is
   * no such payload is a `TypeError` that names the member, and is not signed. What got lost is not repeated: README,
   * "As a library", says what a repeat is answered.
   */
  send<M extends SendMethod>(method: M, payload: PayloadOf<M>, wallet: Signer): Promise<ResultOf<M>>;
}

/** Opens a client; it holds no connection. */
export function openClient(options: ClientOptions): Client {
  const { url, signatures = "tagged", callMsMax = CALL_MS_MAX, retriesMax = RETRIES } = options;
  const wait = options.wait ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  const ask = options.fetch ?? fetch;
  let calls = 0;

  async function call(method: keyof Methods, params: object = {}): Promise<unknown> {
    const answer = await callAs(method, method, params);
    if (answer.ok) return answer.value;
    const older = answer.error.code === METHOD_NOT_FOUND ? olderNames[method] : undefined;
    const again = older === undefined ? answer : await callAs(older, method, params);
    if (again.ok) return again.value;
    throw again.error;
  }

  /** Repeats what the node says may succeed later, and nothing else: not what failed for good, nor what got lost. */
  async function callAs(name: string, method: keyof Methods, params: object): Promise<Result<unknown, NodeRefusal>> {
    for (let repeats = 0; ; repeats++) {
      const answer = await callOnce(name, method, params);
      if (answer.ok || answer.error.ofs?.retryable !== true || repeats >= retriesMax) return answer;
      await wait(RETRY_MS * 2 ** repeats);
    }
  }

  async function callOnce(name: string, method: keyof Methods, params: object): Promise<Result<unknown, NodeRefusal>> {
    const response = await ask(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: requestBody(++calls, name, method, params),
      signal: AbortSignal.timeout(callMsMax),
    });
    return decodeAnswer(method, await response.text(), response.status);
  }

  async function* rows(method: PagedMethod, params: { readonly pageRows?: bigint } = {}) {
    const { pageRows = null, ...asked } = params;
    for (let after: string | null = null; ; ) {
      const page = (await call(method, { ...asked, page: { after, limit: pageRows } })) as Page | readonly unknown[];
      // An older node knows no pages of most lists, and answers all at once.
      if (isWhole(page)) return yield* page;
      yield* Object.values(page).find((member) => Array.isArray(member)) ?? [];
      const next: string | null = page.next_cursor;
      if (next === null) return;
      if (after !== null && compareText(next, after) <= 0)
        throw new NodeRefusal(0, `${method}: after ${after} comes ${next}`);
      after = next;
    }
  }

  async function prove(method: ProofMethod, wallet: Signer, params?: object): Promise<unknown> {
    try {
      return await proveOnce(method, wallet, params);
    } catch (thrown) {
      if (!isRefusal(thrown, "RESOURCE_NOT_FOUND", "challenge-unknown")) throw thrown;
      return proveOnce(method, wallet, params);
    }
  }

  async function proveOnce(method: ProofMethod, wallet: Signer, params: object = {}): Promise<unknown> {
    const proof = methods[method]?.proof;
    if (proof === undefined) throw new TypeError(`${method} takes no proof`);
    const { id } = params as { readonly id?: string };
    const isWallet = proof.subject !== "service";
    const asked = isWallet ? { wallet: identityOfSigner(wallet).peer } : { id };
    const challenge = (await call(proof.challenge as keyof Methods, asked)) as Challenge;
    const subject = challenge.subject ?? challenge.service_id ?? "";
    const text = utf8(`${proof.domain}:${subject}:${challenge.nonce}`);
    const proved = { nonce: challenge.nonce, signature: toBase64(await wallet.sign(text)) };
    const named = isWallet ? { wallet: subject, public_key: toBase64(wallet.publicKey) } : {};
    return call(method, { ...params, ...named, ...proved });
  }

  async function send(method: SendMethod, payload: object, wallet: Signer): Promise<unknown> {
    const type = methods[method]?.mutation?.signed[0];
    if (type === undefined) throw new TypeError(`${method} takes no signed payload`);
    const misfit = misfitOf(type.payload, payload);
    if (misfit !== undefined) throw new TypeError(`${method}: ${type.outer}: ${misfit}`);
    const named = withEarnedId(type, payload);
    const json = transcript(type, named as never);
    const message = signatures === "tagged" || type.forms === "tagged" ? tagged(type, json) : json;
    const signature = bs58.encode(await wallet.sign(message));
    const text = new TextDecoder().decode(json);
    return call(method, { data: toBase64(utf8(`{"${type.outer}":${text},"signature":"${signature}"}`)) });
  }

  return { call, rows, prove, send } as Client;
}

function isWhole(answer: Page | readonly unknown[]): answer is readonly unknown[] {
  return Array.isArray(answer);
}

/** What a wallet is called in payloads; a `TypeError` where its public key is none. */
export function identityOfSigner({ publicKey }: Pick<Signer, "publicKey">): {
  readonly peer: string;
  readonly key: string;
} {
  if (publicKey.length !== KEY_BYTES)
    throw new TypeError(`a public key has ${KEY_BYTES} bytes, not ${publicKey.length}`);
  return { peer: peerOfKey(publicKey), key: publicKeyText(publicKey) };
}

/**
 * The content id of a block, which `sendContentPut` takes beside it: of bytes as they are (`raw`), or of a DAG-PB node
 * that lists the blocks of a larger file. Source: protocol 02 G.3.
 */
export function contentIdOf(block: Uint8Array, codec: "raw" | "dag-pb" = "raw"): string {
  return cidOfBlock(openPortableCrypto(), codec, block);
}

/**
 * What `sendVoteCommit` takes: SHA-256 of the vote's byte (0, 1, 2 for `BuyerWins`, `MerchantWins`, `Invalid`) and 32
 * fresh random bytes, which are kept as the `secret` of the reveal. What no reveal could open is a `TypeError`. The
 * on-chain program hashes more, and numbers an invalid case 3. Source: protocol 03 A.4.4.
 */
export function voteCommitmentOf(vote: Vote, secret: Uint8Array): Uint8Array {
  if (!VOTES.includes(vote) || secret.length !== SECRET_BYTES)
    throw new TypeError(`a commitment takes one of ${VOTES.join(", ")}, and ${SECRET_BYTES} bytes`);
  return commitmentOf((bytes) => openPortableCrypto().sha256(bytes), vote, secret);
}

function withEarnedId(type: SignedType, payload: object): object {
  if (type.creates === undefined || (payload as { readonly id?: string }).id !== "") return payload;
  const earn = type.creates === "reservation" ? earnedNumber : earnedId;
  return { ...payload, id: earn(openPortableCrypto(), type, payload as never) };
}
