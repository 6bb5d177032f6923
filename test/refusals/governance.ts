/**
 * How the refusals of governance come about. Source: protocol 04 §3.5, §3.11.
 */
import { ProposalActivate, ProposalCreate, ProposalWithdraw, VoteCast } from "../../core/domains/governance/schema.ts";
import { known } from "../../core/kernel/assert.ts";
import { publicKeyText } from "../../core/kernel/values.ts";
import { ballot, proposal, squatter, T, voters } from "../governance/fixtures.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, person, signedData } from "../rpc/lone-node.ts";
import type { Outcome, Refusal } from "./refusal.ts";

const author = person(7);
const voter = voters[1] as Person;
const stale = { timestamp: (T - 86_400_001n) as typeof T };
/** 32 bytes that are no curve point. */
const noPoint = publicKeyText(
  known(
    Array.from({ length: 256 }, (_, byte) => new Uint8Array(32).fill(byte)).find((key) => !crypto.isCurvePoint(key)),
    "32 equal bytes off the curve",
  ),
);

function ask(node: LoneNode, method: string, params: unknown): string | null {
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

function create(node: LoneNode, change: Partial<typeof proposal> = {}, by: Person = author): string | null {
  return ask(node, "sendProposalCreate", { data: signedData(ProposalCreate, { ...proposal, ...change }, by) });
}

function cast(node: LoneNode, change: Partial<VoteCast> = {}, by: Person = voter): string | null {
  return ask(node, "sendVoteCast", { data: signedData(VoteCast, ballot(voter, { timestamp: T, ...change }), by) });
}

function proposed(): LoneNode {
  const node = loneNode(T);
  create(node);
  return node;
}

/** What the two acts of an author refuse alike. */
function byAuthor(
  method: string,
  signed: typeof ProposalWithdraw | typeof ProposalActivate,
  undated: Outcome,
): readonly Refusal[] {
  const act = (node: LoneNode, change: object = {}, by: Person = author) =>
    ask(node, method, {
      data: signedData(
        signed as typeof ProposalWithdraw,
        { proposal_id: proposal.id, author: by.peer, timestamp: T, ...change },
        by,
      ),
    });
  return [
    { method, code: "PROPOSAL_NOT_FOUND", provoke: () => act(loneNode(T)) },
    { method, code: "INVALID_IDENTITY_CLAIM", provoke: () => act(proposed(), {}, squatter) },
    { method, code: "INVALID_SIGNATURE", provoke: () => act(proposed(), { author: author.peer }, squatter) },
    { method, code: "INVALID_PARAMETER", parity: undated, provoke: () => act(proposed(), stale) },
    {
      method,
      code: "INVALID_PARAMETER",
      provoke() {
        const node = proposed();
        node.gossip(ProposalCreate, { ...proposal, title: "Another" }, author);
        return act(node);
      },
    },
    {
      method,
      code: "INVALID_PROPOSAL_STATE",
      provoke() {
        const node = proposed();
        act(node);
        return act(node);
      },
    },
  ];
}

export const refusals: readonly Refusal[] = [
  {
    method: "getProposalChainLink",
    code: "PROPOSAL_NOT_FOUND",
    provoke: () => ask(proposed(), "getProposalChainLink", { id: "ofip-0002" }),
  },
  {
    method: "sendProposalCreate",
    code: "INVALID_SIGNATURE",
    provoke: () => create(loneNode(T), { author_public_key: noPoint }),
  },
  {
    method: "sendProposalCreate",
    code: "INVALID_IDENTITY_CLAIM",
    provoke: () => create(loneNode(T), { author_public_key: squatter.key }),
  },
  { method: "sendProposalCreate", code: "INVALID_SIGNATURE", provoke: () => create(loneNode(T), {}, squatter) },
  {
    method: "sendProposalCreate",
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => create(loneNode(T), stale),
  },
  {
    method: "sendProposalCreate",
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => create(loneNode(T), { title: "é".repeat(129) }),
  },
  {
    method: "sendProposalCreate",
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => create(loneNode(T), { summary: "s".repeat(16_385) }),
  },
  { method: "sendProposalCreate", code: "PROPOSAL_ALREADY_EXISTS", provoke: () => create(proposed()) },
  { method: "sendVoteCast", code: "INVALID_SIGNATURE", provoke: () => cast(proposed(), { voter_public_key: noPoint }) },
  {
    method: "sendVoteCast",
    code: "INVALID_IDENTITY_CLAIM",
    provoke: () => cast(proposed(), { voter_public_key: author.key }),
  },
  { method: "sendVoteCast", code: "INVALID_PARAMETER", parity: "taken", provoke: () => cast(loneNode(T), stale) },
  { method: "sendVoteCast", code: "INVALID_PARAMETER", parity: "taken", provoke: () => cast(proposed(), stale) },
  { method: "sendVoteCast", code: "PROPOSAL_NOT_FOUND", parity: "taken", provoke: () => cast(loneNode(T)) },
  {
    method: "sendVoteCast",
    code: "VOTING_CLOSED",
    parity: "taken",
    provoke() {
      const node = proposed();
      node.now = T + 604_800_000n;
      return cast(node, { timestamp: node.now as typeof T });
    },
  },
  {
    method: "sendVoteCast",
    code: "VOTING_CLOSED",
    parity: "taken",
    provoke() {
      const node = proposed();
      const gone = { proposal_id: proposal.id, author: author.peer, timestamp: T };
      ask(node, "sendProposalWithdraw", { data: signedData(ProposalWithdraw, gone, author) });
      return cast(node);
    },
  },
  {
    method: "sendVoteCast",
    code: "DUPLICATE_VOTE",
    parity: "taken",
    provoke() {
      const node = proposed();
      cast(node);
      return cast(node, { choice: "Reject" });
    },
  },
  ...byAuthor("sendProposalWithdraw", ProposalWithdraw, "taken"),
  ...byAuthor("sendProposalActivate", ProposalActivate, "INVALID_PROPOSAL_STATE"),
];
