/**
 * A node that is asked again: whether it reads once more, or gives what it kept. How much it keeps is seen only so.
 */
import { marketplace } from "../../core/domains.ts";
import { openKeptAnswers } from "../../core/engine/kept-answers.ts";
import { idParams, query } from "../../core/engine/method.ts";
import { devnetNetwork } from "../../core/index.ts";
import { openStore } from "../../core/kernel/state.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Text } from "../../core/kernel/values.ts";
import { crypto, gossipOnly } from "../rpc/lone-node.ts";

const T = 1_786_000_000_000n as EpochMillis;

/** A call of so many UTF-16 units. */
export function askedIn(length: number): string {
  const brief = bodyOf("");
  return askedAgain([bodyOf("x".repeat(length - brief.length))], "");
}

/** The first of so many calls. */
export function askedAmong(count: number): string {
  return askedAgain(
    Array.from({ length: count }, (_, n) => bodyOf(`${n}`)),
    "",
  );
}

/** One answer that takes so many units with its question. */
export function answeredIn(length: number): string {
  const body = bodyOf("");
  // The gap for the id is as long as the id.
  return askedAgain([body], "x".repeat(length - body.length - ',"result":""}'.length));
}

function bodyOf(id: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getText", params: { id } });
}

/** Asks everything, then the first again. */
function askedAgain(bodies: readonly string[], text: string): string {
  let read = 0;
  const getText = query({
    ...{ params: idParams, result: Text, source: "ours", doc: "Answers a text." },
    read: () => {
      read += 1;
      return text;
    },
  });
  const network = { ...marketplace, methods: { getText } };
  const node = {
    ...{ crypto, network, bootSeed: new Uint8Array(32), configuration: gossipOnly(devnetNetwork) },
    store: openStore(crypto, network.tables),
  };
  const answers = openKeptAnswers();
  for (const body of [...bodies, bodies[0] ?? ""])
    answers.stepOf(node, { type: "rpc.called", replyTo: "1", body, now: T, number: 1 });
  return read === bodies.length ? "kept" : "read again";
}
