/**
 * A production node's recorded life as the recording of a run: one node, and its peers as lines beside it, of whom
 * nothing is known but what they sent and were sent. Source: DESIGN section 6 (`replay --identity --report`).
 */
import type { ToldConfiguration } from "../../adapters/recording/recorder.ts";
import type { Change, Effect, Input, Reader } from "../../core/index.ts";
import type { ViolationNote } from "../../sim/travel/format.ts";
import { lawTextOf } from "../../sim/travel/laws.ts";
import { createRecorder, messageName } from "../../sim/travel/recorder.ts";
import { createRecordingFile } from "./recording-file.ts";

/** Peers that have a line of their own; what others send shows at the node alone. Source: DESIGN L10. */
const PEERS_MAX = 256;

export interface Life {
  readonly file: string;
  observe(input: Input, changes: readonly Change[], effects: readonly Effect[]): void;
  /** Ends the recording; `differs` says why the core came to something else after the last input. */
  end(title: string, differs: string | undefined): void;
  /** Takes the file away. */
  remove(): void;
}

/** Nobody asks a life for its memory while it is recorded. */
const NO_VIEW: Reader = {
  get: () => undefined,
  find: () => [],
  count: () => 0,
  ordered: () => [],
  keys: () => [],
  size: () => 0,
};
const NO_ROOTS = { statements: "", facts: "", state: "", archive: "" };

/** Begins the recording of a life. */
export function openLife(file: string, configuration: ToldConfiguration): Life {
  const { writer, remove } = createRecordingFile(file);
  const peers = new Map<string, number>();
  const at: { event: number; time: number; first: bigint | undefined; inputs: number } = {
    ...{ event: 0, time: 0, first: undefined, inputs: 0 },
  };
  const nodeOf = (peer: string): number | undefined => {
    if (!peers.has(peer) && peers.size < PEERS_MAX) peers.set(peer, peers.size + 1);
    return peers.get(peer);
  };
  const { checker, noteSent } = createRecorder(writer, { event: () => at.event, time: () => at.time, nodeOf });
  const { onStep } = checker();

  /** An event at a peer. */
  function beside(peer: string, kind: "peer.sent" | "message.received", cause: number, label: string): void {
    const node = nodeOf(peer);
    if (node === undefined) return;
    at.event += 1;
    writer.event({ event: at.event, time: at.time, node, kind, cause, label, changed: 0 });
  }

  return {
    file,
    observe(input, changes, effects) {
      at.first ??= input.now;
      // A clock may have been set back; what came later stands below all the same.
      at.time = Math.max(at.time, Number(input.now - at.first));
      at.inputs += 1;
      if (input.type === "message.received" || input.type === "message.answered") {
        beside(input.from, "peer.sent", 0, `sends ${messageName(input.bytes)}`);
        if (nodeOf(input.from) !== undefined) noteSent(input.bytes, at.event);
      }
      at.event += 1;
      const own = at.event;
      onStep?.({ node: 0, input, changes, effects, view: NO_VIEW, roots: NO_ROOTS, rootsBefore: NO_ROOTS });
      for (const effect of effects) {
        const to = recipientOf(effect, input);
        if (to !== undefined) beside(to.peer, "message.received", own, `${messageName(to.bytes)} from node 0`);
      }
    },
    end(title, differs) {
      const violations: ViolationNote[] = [];
      const check = "replays-the-same";
      if (differs !== undefined)
        violations.push({ check, law: lawTextOf(check), message: differs, time: at.time, event: at.event });
      const nothing = { faults: [], story: [], faultCounts: [], ending: { columns: [], rows: [] } };
      const others = [...peers].map(([peer]) => ({ name: peer, gossipOnly: false }));
      writer.close(
        {
          ...{
            ...nothing,
            violations,
            title: `The life of ${configuration.peerId}`,
            verdict: "It replays to the same.",
          },
          description: `Recorded in ${title}: ${at.inputs} inputs of node 0, its peers as lines beside it.`,
          nodes: [
            { name: `node 0, ${configuration.peerId}`, gossipOnly: configuration.chain === "GossipOnly" },
            ...others,
          ],
          figures: [
            ["Inputs", String(at.inputs)],
            ["Peers", String(peers.size)],
            ["Began", at.first === undefined ? "–" : new Date(Number(at.first)).toISOString()],
            ["Software", configuration.version],
            ["Network", configuration.profile.name],
          ],
        },
        at.event,
      );
    },
    remove,
  };
}

/** To whom an effect sends bytes. */
function recipientOf(effect: Effect, input: Input): { readonly peer: string; readonly bytes: Uint8Array } | undefined {
  if (effect.type === "message.send") return { peer: effect.to, bytes: effect.bytes };
  if (effect.type !== "message.reply" || input.type !== "message.received") return undefined;
  return effect.replyTo === input.replyTo ? { peer: input.from, bytes: effect.bytes } : undefined;
}
