/**
 * Unbounded address claims: thousands of peers that do not exist, honest peers at places where they are not, keys that
 * are not in the ids they stand beside. They would fill every peer cache, send everybody's dials to one victim, and cut
 * honest nodes off from each other.
 * Source: protocol 01 §5.5, §13.1, W15; 05 §14.9.
 */
import type { PeerId } from "../../core/index.ts";
import { encodeCompact } from "../../core/index.ts";
import { OFS_PEER_EXCHANGE, PeerExchangeResponse } from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { answerWith } from "./attacker.ts";

const PEERS_IN_ONE = 21;
const ADDRESSES_IN_ONE = 16;

/** Announces made-up peers so many times; `honest` are also said to be at made-up places. */
export function claimAddresses(attacker: Attacker, honest: readonly Wallet[], times: number, overMs: number): void {
  const { made } = attacker;
  const batch = () => {
    const strangers = Array.from({ length: PEERS_IN_ONE - honest.length }, () =>
      attacker.sybil(`peer ${made.things++}`),
    );
    return { peers: [...strangers, ...honest].map((wallet) => advertOf(wallet, attacker.wallet, made.things++)) };
  };
  attacker.answer("PeerExchangeRequest", () => answerWith("PeerExchangeResponse", PeerExchangeResponse, batch()));
  attacker.repeat(times, overMs, () => {
    const payload = encodeCompact(PeerExchangeResponse, batch());
    for (const victim of attacker.victims) attacker.send(victim, OFS_PEER_EXCHANGE, "PeerAnnouncement", payload);
  });
}

/** An advert at addresses that nobody has; now and then the key is somebody else's. */
function advertOf(wallet: Wallet, other: Wallet, made: number) {
  const places = Array.from(
    { length: ADDRESSES_IN_ONE },
    (_, n) => `/ip4/203.0.${made & 255}.${n}/tcp/${1_024 + made}`,
  );
  return {
    peer_id: wallet.peer as PeerId,
    public_key: made % 5 === 0 ? other.publicKey : wallet.publicKey,
    addresses: places,
    roles: ["FullNode" as const],
    node_version: "openfiat/9.9.9",
    supported_ofs: [1_000],
  };
}
