// Goal: what a node acknowledges over RPC, the same node takes from a peer, under our rules and under the reference's.
// Method: payloads that keep or break a size which only our rules know, over RPC at one node and by gossip at another.
import { expect, test } from "vitest";
import { ProposalCreate } from "../../core/domains/governance/schema.ts";
import { ClaimPublish } from "../../core/domains/identity/schema.ts";
import { SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { devnetNetwork } from "../../core/index.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { author, proposal, T } from "../governance/fixtures.ts";
import { claimed } from "../identity/fixtures.ts";
import { registration } from "../providers/fixtures.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";

interface Case {
  readonly method: string;
  readonly type: SignedType;
  readonly payload: object;
}

function caseOf<F extends Fields>(method: string, type: SignedType<F>, payload: RecordOf<F>): Case {
  return { method, type: type as unknown as SignedType, payload };
}

const claim = claimed(author, T);
const wallet = { wallet: author.peer, wallet_public_key: author.key, timestamp: T, destinations: [] };
const categories = Array.from({ length: 6 }, () => "Trading" as const);

const cases: readonly (readonly [string, Case, within: boolean])[] = [
  [
    "a title of 300 bytes",
    caseOf("sendProposalCreate", ProposalCreate, { ...proposal, title: "t".repeat(300) }),
    false,
  ],
  ["a title of ten bytes", caseOf("sendProposalCreate", ProposalCreate, { ...proposal, title: "t".repeat(10) }), true],
  [
    "a region of 65 bytes",
    caseOf("sendProviderRegister", Registration, registration(author, T, { region: "r".repeat(65) })),
    false,
  ],
  [
    "six categories",
    caseOf("sendSubscriptionUpdate", SubscriptionUpdate, { ...wallet, enabled_categories: categories }),
    false,
  ],
  [
    "a claim dated ten minutes ahead",
    caseOf("sendClaimPublish", ClaimPublish, { ...claim, timestamp: (T + 600_000n) as typeof T }),
    false,
  ],
  [
    "a claim dated eight days ago",
    caseOf("sendClaimPublish", ClaimPublish, { ...claim, timestamp: (T - 691_200_000n) as typeof T }),
    false,
  ],
  [
    "a superseded id of 1,025 bytes",
    caseOf("sendClaimPublish", ClaimPublish, { ...claim, supersedes: "s".repeat(1_025) }),
    false,
  ],
];

const profiles = [
  ["our rules", false],
  ["the reference's", true],
] as const;

test.each(
  profiles.flatMap(([rules, parity]) =>
    cases.map(([name, statement, within]) => ({ name, rules, parity, statement, within })),
  ),
)("$name, under $rules: RPC and a peer agree", ({ parity, statement, within }) => {
  const node = () => loneNode(T, undefined, undefined, { profile: { ...devnetNetwork, parity } });
  const [asked, gossiped] = [node(), node()];
  const answer = send(asked, statement, author);
  gossiped.gossip(statement.type, statement.payload as never, author);
  expect(JSON.stringify(answer), "RPC").toMatch(within || parity ? /^(?!3$)/ : /^3$/);
  expect(gossiped.roots().statements === asked.roots().statements, `RPC answered ${JSON.stringify(answer)}`).toBe(true);
  expect(asked.roots().statements === node().roots().statements).toBe(!(within || parity));
});

function send(node: LoneNode, { method, type, payload }: Case, by: Person): unknown {
  return node.call(method, { data: signedData(type, payload as never, by) });
}
