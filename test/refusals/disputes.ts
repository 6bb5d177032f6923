/**
 * How the refusals of disputes come about. Source: protocol 03 A.5, W-5, W-7, W-15.
 */
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person, usualProfile } from "../rpc/lone-node.ts";
import { observed } from "../rpc/observed.ts";
import { arbitrators, buyer, commitmentTo, merchant, signedSends, third } from "../rpc/signed-sends.ts";
import type { Outcome, Refusal } from "./refusal.ts";

const NOW = 1_786_000_000_000n;
const other = { commitment: commitmentTo("MerchantWins") };
const AHEAD = { timestamp: NOW + 300_001n };
const [first, second, sitting, fourth] = arbitrators;
const panel = [first, second, sitting];

type Sends = ReturnType<typeof signedSends>;

function settling(): Sends {
  const sends = signedSends(loneNode(NOW));
  sends.create();
  sends.reserve();
  sends.initiate();
  return sends;
}

function opened(): Sends {
  const sends = settling();
  sends.open();
  return sends;
}

function seated(): Sends {
  const sends = opened();
  for (const each of panel) sends.panel(each).join();
  return sends;
}

function committed(by: readonly Person[] = panel): Sends {
  const sends = seated();
  for (const each of by) sends.panel(each).commit();
  return sends;
}

/** A step of one who has no seat. */
const unseated = (sends: Sends) => sends.panel(fourth);

/** The same after this node observed the chain decide the trade. */
function resolved(): Sends {
  const live = (node: LoneNode) => {
    const sends = signedSends(node);
    for (const send of [sends.create, sends.reserve, sends.initiate, sends.open]) send();
    sends.panel(first).join();
    sends.panel(first).commit();
  };
  return signedSends(observed(NOW, usualProfile().parity ? "parity" : "default", live, decided));
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
  (code: Refusal["code"], sends: () => Sends, send: (sends: Sends) => string, parity?: Outcome): Refusal => ({
    method,
    code,
    parity,
    provoke: () => send(sends()),
  });
const open = row("sendDisputeOpen");
const join = row("sendArbitratorJoin");
const commit = row("sendVoteCommit");
const reveal = row("sendVoteReveal");
const agree = row("sendMutualSettlementAgree");

export const refusals: readonly Refusal[] = [
  open("INVALID_SIGNATURE", settling, (sends) => sends.open({}, merchant)),
  open("INVALID_IDENTITY_CLAIM", settling, (sends) => sends.open({ opener_public_key: person(0).key })),
  open("INVALID_PARAMETER", settling, (sends) => sends.open({ reason: "x".repeat(4_097) }), "taken"),
  open("DISPUTE_ALREADY_OPEN", opened, (sends) => sends.open()),
  open("SETTLEMENT_NOT_FOUND", settling, (sends) => sends.open({ settlement_id: "set-2" })),
  open("INVALID_DISPUTE_STATE", opened, (sends) => sends.open({ id: "d-2" })),
  join("INVALID_SIGNATURE", opened, (sends) => sends.panel(first).join({}, third)),
  join("INVALID_IDENTITY_CLAIM", opened, (sends) => sends.panel(buyer).join(), "taken"),
  join("INVALID_PARAMETER", opened, (sends) => sends.panel(first).join(AHEAD), "taken"),
  join(
    "INVALID_PARAMETER",
    opened,
    (sends) => sends.panel(first).join({ ...AHEAD, dispute_id: "d-2" }),
    "DISPUTE_NOT_FOUND",
  ),
  join("DISPUTE_NOT_FOUND", opened, (sends) => sends.panel(first).join({ dispute_id: "d-2" })),
  join("INVALID_DISPUTE_STATE", resolved, (sends) => sends.panel(first).join()),
  commit("DISPUTE_NOT_FOUND", seated, (sends) => sends.panel(first).commit({ dispute_id: "d-2" })),
  commit("INVALID_DISPUTE_STATE", committed, (sends) => sends.panel(first).commit(other)),
  commit(
    "INVALID_DISPUTE_STATE",
    () => committed([first]),
    (sends) => sends.panel(first).commit(other),
    "taken",
  ),
  commit("INVALID_SIGNATURE", seated, (sends) => sends.panel(first).commit({}, third)),
  commit("INVALID_PARAMETER", seated, (sends) => sends.panel(first).commit(AHEAD), "taken"),
  commit("INVALID_SIGNATURE", seated, (sends) => unseated(sends).commit({}, third), "INVALID_IDENTITY_CLAIM"),
  commit("INVALID_IDENTITY_CLAIM", opened, (sends) => sends.panel(first).commit(), "INVALID_DISPUTE_STATE"),
  commit("INVALID_IDENTITY_CLAIM", seated, (sends) => unseated(sends).commit()),
  reveal("DISPUTE_NOT_FOUND", committed, (sends) => sends.panel(first).reveal({ dispute_id: "d-2" })),
  reveal("INVALID_DISPUTE_STATE", resolved, (sends) => sends.panel(first).reveal()),
  reveal("INVALID_SIGNATURE", committed, (sends) => sends.panel(first).reveal({}, third)),
  reveal("INVALID_PARAMETER", committed, (sends) => sends.panel(first).reveal(AHEAD), "taken"),
  reveal("INVALID_SIGNATURE", committed, (sends) => unseated(sends).reveal({}, third), "INVALID_IDENTITY_CLAIM"),
  reveal("INVALID_IDENTITY_CLAIM", seated, (sends) => sends.panel(first).reveal(), "INVALID_DISPUTE_STATE"),
  reveal("INVALID_IDENTITY_CLAIM", committed, (sends) => unseated(sends).reveal()),
  reveal("INVALID_EVIDENCE", committed, (sends) => sends.panel(first).reveal({ vote: "MerchantWins" })),
  agree("DISPUTE_NOT_FOUND", opened, (sends) => sends.agree({ dispute_id: "d-2" })),
  agree("INVALID_DISPUTE_STATE", resolved, (sends) => sends.agree()),
  agree("INVALID_SIGNATURE", opened, (sends) => sends.agree({}, third)),
  agree("INVALID_PARAMETER", opened, (sends) => sends.agree(AHEAD), "taken"),
  agree("INVALID_SIGNATURE", opened, (sends) => sends.agree({ party: third.peer }, buyer), "INVALID_IDENTITY_CLAIM"),
  agree("INVALID_IDENTITY_CLAIM", opened, (sends) => sends.agree({ party: third.peer }, third)),
];
