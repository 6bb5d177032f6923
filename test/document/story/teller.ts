/**
 * Who tells the story of the document's examples: each call goes to one node in memory and is kept with its answer.
 * Statements are those of the worked examples, signed by the published keys at the story's clock.
 */
import type { StoryCall } from "../../../core/index.ts";
import { methods } from "../../../core/index.ts";
import { known } from "../../../core/kernel/assert.ts";
import type { SignedType } from "../../../core/kernel/signed.ts";
import { tagged, transcript } from "../../../core/kernel/signed.ts";
import { toBase58, toBase64, utf8 } from "../../../core/kernel/text.ts";
import type { StoreRow } from "../../../core/ports/store.ts";
import type { LoneNode, Person } from "../../rpc/lone-node.ts";
import { crypto, loneNode, person } from "../../rpc/lone-node.ts";
import { personOf, vectors } from "../../vectors/fixtures.ts";

type Members = Readonly<Record<string, unknown>>;

/** When the story begins, in milliseconds since 1970. Source: protocol 02 P.1. */
export const BEGIN = 1_786_000_000_000n;

/** Members that date a statement; they keep their distance from the first of them. */
const DATES = ["timestamp", "created_at", "quoted_at", "expires_at", "new_expires_at"];

export interface Teller {
  readonly node: LoneNode;
  readonly calls: readonly StoryCall[];
  /** Lets time pass, in milliseconds. */
  wait(ms: number): void;
  call(method: string, params?: Members): unknown;
  /** Sends the payload of a worked example, dated now, with some members otherwise. */
  send(method: string, source: string, change?: Members, by?: Person): unknown;
  /** Signs any payload of the method's type. */
  sign(method: string, payload: Members, by: Person, type?: number): unknown;
  /** Asks for a challenge, signs it, and reads. */
  prove(method: string, by: Person, more?: Members): unknown;
  /** Something that no call brings about. */
  outside(what: string, act: () => void): void;
}

/** Somebody who is there before each call, with the node that takes it and another one in the same state. */
export type Listener = (method: string, params: Members, node: LoneNode, copy: () => LoneNode) => void;

export function openTeller(listener?: Listener): Teller {
  const rows = new Map<string, StoreRow>();
  const told = { chain: "RpcConnected" } as const;
  const node = loneNode(BEGIN, undefined, rows, told);
  const calls: StoryCall[] = [];
  let before: string | undefined;

  function call(method: string, params: Members = {}): unknown {
    listener?.(method, params, node, () => loneNode(node.now, undefined, new Map(rows), told));
    const body = node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const { result, error } = JSON.parse(body ?? "null") as { readonly result?: unknown; readonly error?: object };
    if (error !== undefined) throw new Error(`${method} is refused: ${body}`);
    calls.push({ at: Number(node.now), method, params, result, ...(before !== undefined && { before }) });
    before = undefined;
    return result;
  }

  function sign(method: string, payload: Members, by: Person, which = 0): unknown {
    const type = known(methods[method]?.mutation?.signed[which], `what ${method} takes`);
    return call(method, { data: dataOf(type, payload, by) });
  }

  return {
    node,
    calls,
    call,
    sign,
    wait(ms) {
      node.now += BigInt(ms);
    },
    send(method, source, change = {}, by) {
      const { row, type, payload } = known(
        vectors.find((vector) => vector.row.source === `protocol ${source}`),
        `the worked example ${source}`,
      );
      const which = known(methods[method]?.mutation, `a send: ${method}`).signed.findIndex(
        ({ tag }) => tag === type.tag,
      );
      const signer = by ?? person(Number.parseInt(personOf(row.signer).seed, 16));
      return sign(method, { ...dated(payload, node.now), ...change }, signer, which);
    },
    prove(method, by, more = {}) {
      const proof = known(methods[method]?.proof, `a proof of ${method}`);
      const isWallet = proof.subject !== "service";
      const asked = call(proof.challenge, isWallet ? { wallet: by.peer } : { id: more["id"] }) as Members;
      const subject = String(asked["subject"] ?? asked["service_id"]);
      const nonce = String(asked["nonce"]);
      const signature = toBase58(crypto.sign(by.secret, utf8(`${proof.domain}:${subject}:${nonce}`)));
      const whose = isWallet ? { wallet: subject, public_key: by.key } : {};
      return call(method, { ...more, ...whose, nonce, signature });
    },
    outside(what, act) {
      before = before === undefined ? what : `${before} ${what}`;
      act();
    },
  };
}

/** The payload as it would be signed now. */
function dated(payload: Members, now: bigint): Members {
  const first = payload[known(DATES.find((name) => name in payload) ?? "id", "a date")];
  const late = typeof first === "bigint" ? now - first : 0n;
  const moved = DATES.filter((name) => typeof payload[name] === "bigint").map(
    (name) => [name, (payload[name] as bigint) + late] as const,
  );
  return { ...payload, ...Object.fromEntries(moved) };
}

/** The `data` of a send, in the tagged form. */
function dataOf(type: SignedType, payload: Members, by: Person): string {
  const json = transcript(type, payload as never);
  const signature = toBase58(crypto.sign(by.secret, tagged(type, json)));
  return toBase64(utf8(`{"${type.outer}":${new TextDecoder().decode(json)},"signature":"${signature}"}`));
}
