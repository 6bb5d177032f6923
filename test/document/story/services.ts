/**
 * The part of the story in which services are run, and what stands beside trades: rates, warnings, notifications,
 * sessions, claims, proposals, snapshots, the node and the chain. Source: protocol 04 §10; 05 §15.
 */

import { answerOften, onChain, proposalAddress } from "../../governance/fixtures.ts";
import { ordersOf } from "../../notifications/stage.ts";
import { person } from "../../rpc/lone-node.ts";
import type { Teller } from "./teller.ts";
import { buyer } from "./trades.ts";

const [oracle, gateway, watcher, host] = [person(1), person(8), person(2), person(9)];
const usdc = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";

function register(tell: Teller, service_id: string, by: ReturnType<typeof person>, change: object): void {
  const usual = { endpoints: [], supported_ofs: [1500], region: null, capabilities: [], branding: null };
  const whose = { provider: by.peer, provider_public_key: by.key };
  const free = { pricing: null, payout_wallet: null, timestamp: tell.node.now };
  tell.sign("sendProviderRegister", { service_id, ...whose, ...usual, ...free, ...change }, by);
}

/** A service with a price, one that publishes rates, one that warns, one that delivers. */
export function services(tell: Teller): void {
  const pricing = { token_mint: usdc, amount: { base_units: 1_000n, decimals: 6 }, unit: "Request" };
  const service_type = { MarketData: "FxOracle" };
  register(tell, "svc-1", oracle, { service_type, pricing, payout_wallet: oracle.key });
  const health = { service_id: "svc-1", provider: oracle.peer, state: "Degraded", timestamp: tell.node.now + 1n };
  tell.sign("sendProviderHealthUpdate", health, oracle);
  tell.call("getProvider", { id: "svc-1" });
  tell.call("getProviders");
  tell.call("getProviderFeeQuote", { id: "svc-1", settlement_mint: usdc });
  tell.prove("getProviderEarnings", oracle, { id: "svc-1" });
  tell.send("sendOraclePublish", "05 §15.7");
  tell.call("getOracleRecord", { id: "usdc-kes-1" });
  tell.call("getOracleRecords");
  tell.call("getExchangeRate", { base: "USDC", quote: "KES" });
  tell.call("getMedianExchangeRate", { base: "USDC", quote: "KES" });
  register(tell, "risk-8", gateway, { service_type: { Security: "RiskIntelligenceProvider" } });
  tell.send("sendRiskPublish", "04 §10.8");
  tell.call("getWalletScreening", { wallet: "12D3KooWGjSE7eCu5f1Pa8pGxscmoEcdQ5BRMGqbyMvL2dhrPCS5" });
  tell.call("getRiskRecordsByWallet", { wallet: "12D3KooWGjSE7eCu5f1Pa8pGxscmoEcdQ5BRMGqbyMvL2dhrPCS5" });
  register(tell, "gw-8", gateway, {
    service_type: { Notifications: "Email" },
    endpoints: ["https://gw.example.org/deliver"],
  });
  register(tell, "snapshot-2", watcher, {
    service_type: { Infrastructure: "SnapshotProvider" },
    endpoints: ["http://203.0.113.9:7080"],
  });
  const announced = { producer: watcher.peer, producer_public_key: watcher.key };
  tell.send("sendSnapshotAnnounce", "05 §15.8", announced, watcher);
  tell.call("getSnapshots");
  tell.call("getSnapshot", { id: "snap-412000000-1753800000000" });
  tell.call("getLatestSnapshot");
  tell.call("getCheckpointSlot");
  tell.wait(10);
  const over = { service_id: "snapshot-2", provider: watcher.peer, timestamp: tell.node.now };
  tell.sign("sendProviderWithdraw", over, watcher);
  tell.call("getRewardObservations");
}

/** The buyer asks to be told of the trades before they begin. */
export function subscribes(tell: Teller): void {
  const wallet = { wallet: buyer.peer, wallet_public_key: buyer.key };
  tell.send("sendSubscriptionUpdate", "04 §10.14", wallet, buyer);
  tell.call("getSubscription", { wallet: buyer.peer });
}

/** The gateway took what the node handed over, and says that it was delivered. */
export function isTold(tell: Teller): void {
  const [order] = ordersOf(tell.node);
  const dispatch = order?.dispatch ?? "";
  tell.outside("The gateway at https://gw.example.org/deliver takes what the node posts.", () =>
    tell.node.accept({ type: "notification.delivered", dispatch, delivered: true }),
  );
  const dispatches = tell.prove("getNotificationDispatchesByWallet", buyer) as readonly {
    readonly notification_id: string;
    readonly trigger: string;
  }[];
  const first = dispatches[0];
  const id = first?.notification_id ?? "";
  tell.prove("getNotificationDispatch", buyer, { id });
  const report = { notification_id: id, trigger: first?.trigger, recipient_wallet: buyer.peer };
  tell.send("sendDeliveryReport", "04 §10.15", report, gateway);
  tell.prove("getDeliveryReceipt", buyer, { id });
  tell.prove("getDeliveryReceiptsByWallet", buyer);
}

/** A session, a claim, a proposal: one life each. */
export function publicLife(tell: Teller): void {
  tell.send("sendClaimPublish", "04 §10.1");
  tell.wait(1_000);
  tell.send("sendClaimVerify", "04 §10.2");
  tell.call("getIdentityClaim", { id: "clm-7-1" });
  tell.call("getIdentityClaimsByWallet", { wallet: person(7).peer });
  tell.wait(1_000);
  tell.send("sendClaimRevoke", "04 §10.3");
  tell.send("sendSessionEstablish", "04 §10.9");
  tell.call("getSession", { id: "sess-7-1" });
  tell.call("getSessionsByWallet", { wallet: person(7).peer });
  tell.wait(1_000);
  tell.send("sendSessionRenew", "04 §10.10");
  tell.wait(1_000);
  tell.send("sendSessionMigrate", "04 §10.11", { new_host_node: host.peer });
  tell.wait(1_000);
  tell.send("sendSessionRevoke", "04 §10.12");
  tell.send("sendProposalCreate", "04 §10.4");
  tell.send("sendProposalCreate", "04 §10.4", { id: "ofip-0002", onchain_proposal_id: null });
  tell.wait(1_000);
  tell.send("sendVoteCast", "04 §10.5");
  tell.send("sendProposalWithdraw", "04 §10.6", { proposal_id: "ofip-0002" });
  tell.call("getProposals");
  tell.outside("The chain says that its proposal 7, which is linked with ofip-0001, was accepted.", () => {
    tell.node.accept({ type: "timer.fired", timer: "governance" });
    answerOften(tell.node, proposalAddress, onChain({ state: "Accepted", endsAt: tell.node.now / 1_000n - 1n }));
  });
  tell.call("getProposalChainLink", { id: "ofip-0001" });
  tell.wait(1_000);
  tell.send("sendProposalActivate", "04 §10.7");
  tell.call("getProposal", { id: "ofip-0001" });
}

/** What the node says of itself and of the chain. */
export function aboutTheNode(tell: Teller): void {
  tell.call("getVersion");
  tell.call("getHealth");
  tell.call("getPeers");
  tell.outside("The chain is at slot 412000000.", () => {
    const blockhash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N";
    tell.node.accept({ type: "chain.observed", observation: { type: "slot", slot: 412_000_000n, blockhash } });
  });
  tell.call("getChainStatus");
  tell.call("getLatestBlockhash");
  // The transaction of 03 H.9.
  const data =
    "AbeyKEXgRzhjx0o9Qyj0Gym5L7KfbpqAbKEz6fxR+eGUhoSl8Zp/H+orehmnhcwgmPqhH0gwT/JyufljUcE+HgEBAAABiojj3XQJ8ZX9Uts" +
    "tPLpdcspnCb8dlBIb83SIAbQPb1wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  tell.call("sendTransaction", { data });
}
