/**
 * Every message that a node sends is one that the papers know, no larger than a frame may be; and every request of a
 * peer is answered at once, once, with an answer that this request may have. Whoever sends anything under another name
 * is acknowledged and not heard, so nothing else sees it.
 * Source: protocol 01 §5.3, §5.5, §7.2, §15 W3; 02 G.7; DESIGN "Gossip and sync"; CONVERGENCE "Profile".
 */
import type { Effect } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";
import type { FrameHead } from "./frames.ts";
import { headOf } from "./frames.ts";

/** Source: protocol 01 §9.3. */
const FRAME_BYTES_MOST = 1_048_576;
const EXCHANGE = 1100;
const CONTENT = 5000;
const ACKNOWLEDGED = "1200 GossipPushAck";
const CONTENT_ANSWER = "5000 ContentResponse";
/** Every request by the document that it names, and what it may be answered with. Written down apart from the core. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  "1100 PeerExchangeRequest": ["1100 PeerExchangeResponse"],
  "1200 GossipPush": [ACKNOWLEDGED, "1200 GossipPrune"],
  "1200 GossipRecoveryRequest": ["1200 GossipRecoveryResponse"],
  "1200 GossipSetRequest": ["1200 GossipSetResponse"],
  "1200 GossipFetchRequest": ["1200 GossipFetchResponse"],
  "1200 GossipHave": [ACKNOWLEDGED],
  "1200 GossipAnnounce": [ACKNOWLEDGED, "1200 GossipWant"],
  "1200 GossipGraft": [ACKNOWLEDGED],
  "1200 GossipRuleChange": [ACKNOWLEDGED],
  "5000 ContentRequest": [CONTENT_ANSWER],
};
/** Says nothing but its name. */
const EMPTY: readonly string[] = [ACKNOWLEDGED, "1200 GossipPrune", "1200 GossipGraft"];

/** Nodes say nothing that nobody knows, and leave nobody without an answer. */
export function messagesAreKnown({ violate }: CheckContext): Checker {
  return {
    name: "messages-are-known",
    onStep({ node, input, effects }) {
      for (const effect of effects) {
        if (effect.type !== "message.send" && effect.type !== "message.reply") continue;
        const wrong = wrongWith(effect);
        if (wrong !== undefined) violate(`node ${node} sends ${wrong}`);
      }
      if (input.type !== "message.received") return;
      const asked = headOf(input.bytes);
      let [answer, answers]: [FrameHead | undefined, number] = [undefined, 0];
      for (const effect of effects) {
        if (effect.type !== "message.reply" || effect.replyTo !== input.replyTo) continue;
        answer = headOf(effect.bytes);
        answers += 1;
      }
      if (answers !== 1) violate(`node ${node} gives ${answers} answers to ${nameOf(asked)} of ${input.from}`);
      else if (!isAnswer(answer, asked))
        violate(`node ${node} answers ${nameOf(asked)} of ${input.from} with "${nameOf(answer)}"`);
    },
  };
}

/** What is wrong with a message, whatever it answers. */
function wrongWith({ type, bytes }: Extract<Effect, { readonly type: "message.send" | "message.reply" }>) {
  const head = headOf(bytes);
  const name = nameOf(head);
  if (type === "message.send" && !Object.hasOwn(ANSWERS, name)) return `"${name}", which nobody knows`;
  if (bytes.length > FRAME_BYTES_MOST) return `${name} of ${bytes.length} bytes`;
  return EMPTY.includes(name) && head?.carried !== 0 ? `${name} with ${head?.carried} bytes` : undefined;
}

/** A peer that is cut off is acknowledged, whatever it asks, and so is what nobody knows. */
function isAnswer(answer: FrameHead | undefined, asked: FrameHead | undefined): boolean {
  const told = nameOf(answer);
  if (told === ACKNOWLEDGED) return true;
  if (asked?.spec === CONTENT) return told === CONTENT_ANSWER;
  if (ANSWERS[nameOf(asked)]?.includes(told)) return true;
  // What else peer exchange is asked is answered under its own name, with nothing.
  const isEchoed = asked?.spec === EXCHANGE && answer?.spec === EXCHANGE && answer.carried === 0;
  return isEchoed && asked.type.startsWith(answer.type);
}

function nameOf(head: FrameHead | undefined): string {
  return head === undefined ? "what is no message" : head.name;
}
