/**
 * One disputed trade on a node, brought by its own RPC ingress to every stage that a case can come to.
 * Source: protocol 03 A.6.
 */
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { observed } from "../rpc/observed.ts";
import { arbitrators, buyer, merchant, signedSends } from "../rpc/signed-sends.ts";
import type { Profile, Sends } from "../rpc/step-table.ts";
import { decision } from "../settlements/decision.ts";

export const NOW = 1_786_000_000_000n;
export const DECIDED_AT = NOW + 60_000n;
export const [ada, bob, cyd, dan] = arbitrators;
/** What is said from one stage to the next, every word a second after the one before. */
const acts = {
  open: [(sends: Sends) => sends.open()],
  seated: [(sends: Sends) => sends.panel(ada).join()],
  locked: [bob, cyd].map((each) => (sends: Sends) => sends.panel(each).join()),
  committed: [(sends: Sends) => sends.panel(ada).commit()],
  reveal: [bob, cyd].map((each) => (sends: Sends) => sends.panel(each).commit()),
  revealed: [(sends: Sends) => sends.panel(ada).reveal()],
  shown: [bob, cyd].map((each) => (sends: Sends) => sends.panel(each).reveal()),
};

const settling = [
  (sends: Sends) => sends.create(),
  (sends: Sends) => sends.reserve(),
  (sends: Sends) => sends.initiate(),
];

const until = (last: keyof typeof acts) => {
  const names = Object.keys(acts) as (keyof typeof acts)[];
  return names.slice(0, names.indexOf(last) + 1).flatMap((name) => acts[name]);
};
const agreed = [
  ...until("open"),
  (sends: Sends) => sends.agree(),
  (sends: Sends) => sends.agree({ party: merchant.peer }, merchant),
];

/** Everything said so far at each stage, from the open on; what is resolved, the chain decided after three votes. */
const scripts = {
  open: until("open"),
  seated: until("seated"),
  locked: until("locked"),
  committed: until("committed"),
  reveal: until("reveal"),
  revealed: until("revealed"),
  shown: until("shown"),
  agreed,
  resolved: until("shown"),
} as const satisfies Record<string, readonly ((sends: Sends) => string)[]>;
export type Stage = keyof typeof scripts;
export const stages = Object.keys(scripts) as readonly Stage[];

const decided = decision(buyer.key, merchant.key, DECIDED_AT);

/** A node whose trade has come to a stage. Its clock stands after everything said, and after the chain's decision. */
export function staged(stage: Stage | "settling", profile: Profile, fact: Partial<ChainFact> = {}): LoneNode {
  const live = (node: LoneNode) => {
    for (const act of [...settling, ...(stage === "settling" ? [] : scripts[stage])]) {
      node.now += 1_000n;
      act(signedSends(node));
    }
    node.now = NOW + 120_000n;
  };
  const told = { ...decided, ...fact } as ChainFact;
  return observed(NOW, profile, live, stage === "resolved" ? told : { ...told, reservation: 999n });
}
