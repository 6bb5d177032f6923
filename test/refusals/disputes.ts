/**
 * How the refusals of disputes come about. Source: protocol 03 A.5, W-5, W-7, W-15.
 */
import { JOINERS_MAX } from "../../core/domains/trade/disputes/tables.ts";
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { observed } from "../rpc/observed.ts";
import { arbitrators, buyer, commitmentTo, merchant, speech, third } from "../rpc/signed-sends.ts";
import type { Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const AHEAD = { timestamp: NOW + 300_001n };
const [first] = arbitrators;

type Said = ReturnType<typeof speech>;

function settling(): Said {
  const said = speech(loneNode(NOW));
  said.create();
  said.reserve();
  said.initiate();
  return said;
}

function opened(): Said {
  const said = settling();
  said.open();
  return said;
}

function seated(): Said {
  const said = opened();
  said.panel(first).join();
  return said;
}

function committed(): Said {
  const said = seated();
  said.panel(first).commit();
  return said;
}

/** The same after this node observed the chain decide the trade. */
function resolved(): Said {
  const live = (node: LoneNode) => {
    const said = speech(node);
    for (const say of [said.create, said.reserve, said.initiate, said.open]) say();
    said.panel(first).join();
    said.panel(first).commit();
  };
  return speech(observed(NOW, "default", live, decided));
}

const decided = {
  kind: "decided",
  reservation: 1n,
  buyer: buyer.key,
  seller: merchant.key,
  mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU",
  amount: 20_000_000n,
  resolution: "BuyerWins",
  terminal_split: null,
  transaction: "signature",
  timestamp: NOW,
} as ChainFact;

const row =
  (method: string) =>
  (code: Refusal["code"], said: () => Said, say: (said: Said) => string): Refusal => ({
    method,
    code,
    provoke: () => say(said()),
  });
const open = row("sendDisputeOpen");
const join = row("sendArbitratorJoin");
const commit = row("sendVoteCommit");
const reveal = row("sendVoteReveal");
const agree = row("sendMutualSettlementAgree");

export const refusals: readonly Refusal[] = [
  open("INVALID_SIGNATURE", settling, (said) => said.open({}, merchant)),
  open("INVALID_IDENTITY_CLAIM", settling, (said) => said.open({ opener_public_key: person(0).key })),
  open("INVALID_PARAMETER", settling, (said) => said.open({ reason: "x".repeat(4_097) })),
  open("DISPUTE_ALREADY_OPEN", opened, (said) => said.open()),
  open("SETTLEMENT_NOT_FOUND", settling, (said) => said.open({ settlement_id: "set-2" })),
  open("INVALID_DISPUTE_STATE", opened, (said) => said.open({ id: "d-2" })),
  join("INVALID_SIGNATURE", opened, (said) => said.panel(first).join({}, third)),
  join("INVALID_IDENTITY_CLAIM", opened, (said) => said.panel(buyer).join()),
  join("DISPUTE_NOT_FOUND", opened, (said) => said.panel(first).join({ dispute_id: "d-2" })),
  join("INVALID_DISPUTE_STATE", opened, (said) => {
    for (let seat = 0; seat < JOINERS_MAX; seat++) said.panel(person(0x80 + seat)).join();
    return said.panel(first).join();
  }),
  join("INVALID_PARAMETER", opened, (said) => said.panel(first).join(AHEAD)),
  commit("DISPUTE_NOT_FOUND", seated, (said) => said.panel(first).commit({ dispute_id: "d-2" })),
  commit("INVALID_DISPUTE_STATE", committed, (said) =>
    said.panel(first).commit({ commitment: commitmentTo("MerchantWins") }),
  ),
  commit("INVALID_IDENTITY_CLAIM", opened, (said) => said.panel(first).commit()),
  commit("INVALID_SIGNATURE", seated, (said) => said.panel(first).commit({}, third)),
  commit("INVALID_PARAMETER", seated, (said) => said.panel(first).commit(AHEAD)),
  reveal("DISPUTE_NOT_FOUND", committed, (said) => said.panel(first).reveal({ dispute_id: "d-2" })),
  reveal("INVALID_DISPUTE_STATE", resolved, (said) => said.panel(first).reveal()),
  reveal("INVALID_IDENTITY_CLAIM", seated, (said) => said.panel(first).reveal()),
  reveal("INVALID_SIGNATURE", committed, (said) => said.panel(first).reveal({}, third)),
  reveal("INVALID_PARAMETER", committed, (said) => said.panel(first).reveal(AHEAD)),
  reveal("INVALID_EVIDENCE", committed, (said) => said.panel(first).reveal({ vote: "MerchantWins" })),
  agree("DISPUTE_NOT_FOUND", opened, (said) => said.agree({ dispute_id: "d-2" })),
  agree("INVALID_DISPUTE_STATE", resolved, (said) => said.agree()),
  agree("INVALID_IDENTITY_CLAIM", opened, (said) => said.agree({ party: third.peer }, third)),
  agree("INVALID_SIGNATURE", opened, (said) => said.agree({}, third)),
  agree("INVALID_PARAMETER", opened, (said) => said.agree(AHEAD)),
];
