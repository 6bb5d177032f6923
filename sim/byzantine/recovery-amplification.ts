/**
 * Recovery amplification: small requests with large answers (the whole log, digests of a thousand prefixes,
 * thousands of statements), over and over, as a member of this network and as one of another. It would make a node
 * read, encode and send for one stranger until nothing is left for others, or tell a network with other rules what it
 * holds. Source: protocol 01 §7.6; DESIGN L10; CONVERGENCE "Profile".
 */
import type { EpochMillis, NetworkProfile, PeerId } from "../../core/index.ts";
import { encodeCompact, profileText, utf8 } from "../../core/index.ts";
import { FetchRequest, OFS_GOSSIP, SetRequest } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";

const DIGITS = [..."0123456789abcdef"];
const ALL = Uint8Array.of(0);

/** Asks every victim for everything, in all three ways, and once more from another network, so many times. */
export function askForEverything(attacker: Attacker, network: NetworkProfile, times: number, overMs: number): void {
  const profileOf = (of: NetworkProfile) => attacker.world.crypto.sha256(utf8(profileText(of, 0n as EpochMillis)));
  const prefixes = DIGITS.flatMap((a) => DIGITS.flatMap((b) => DIGITS.slice(0, 4).map((c) => a + b + c)));
  const ranges = prefixes.map((prefix) => ({ prefix, digest: new Uint8Array(16).fill(1) }));
  const compared = [network, { ...network, name: `not ${network.name}` }].map((of) =>
    encodeCompact(SetRequest, { profile: profileOf(of), ranges }),
  );
  const statements = encodeCompact(FetchRequest, { identities: [], prefixes: [""] });
  attacker.repeat(times, overMs, () => {
    for (const victim of attacker.victims) askAll(attacker, victim, compared, statements);
  });
}

function askAll(attacker: Attacker, victim: PeerId, compared: readonly Uint8Array[], statements: Uint8Array): void {
  attacker.send(victim, OFS_GOSSIP, "GossipRecoveryRequest", ALL);
  for (const digests of compared) attacker.send(victim, OFS_GOSSIP, "GossipSetRequest", digests);
  attacker.send(victim, OFS_GOSSIP, "GossipFetchRequest", statements);
}
