/**
 * A simulated network whose members note what they are told: shared by the tests of the network.
 */
import type { EpochMillis, PeerId } from "../../core/kernel/values.ts";
import type { TransportPort } from "../../core/ports/transport.ts";
import { createLoop } from "../../sim/clock.ts";
import type { FaultKind } from "../../sim/faults.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import type { LinkConditions } from "../../sim/links.ts";
import { healthyLink } from "../../sim/links.ts";
import { createNetwork, joinNetwork } from "../../sim/network.ts";

/** Members 0 to `count` - 1, each noting what it is told and answering every request with `answer`. */
export function createTestNetwork(count: number, conditions: Partial<LinkConditions> = {}, seed = 1n) {
  const loop = createLoop(0n as EpochMillis);
  const faults = createFaultLedger(loop);
  const network = createNetwork({ clock: loop, seed, faults, conditions: { ...healthyLink, ...conditions } });
  const log: string[] = [];
  const bytesSeen: Uint8Array[] = [];
  const ports: TransportPort[] = [];
  const peer = (member: number) => `peer${member}` as PeerId;
  const address = (member: number) => `/ip4/10.0.0.${member}/tcp/4001/p2p/peer${member}`;
  let silent = false;
  const join = (member: number): TransportPort => {
    const port: TransportPort = joinNetwork(
      network,
      { peer: peer(member), address: address(member), name: `node/${member}` },
      {
        connected: (other) => log.push(`${member} connected ${other}`),
        disconnected: (other) => log.push(`${member} disconnected ${other}`),
        unreachable: (dialled, reason) => log.push(`${member} does not reach ${dialled}: ${reason}`),
        measured: (other) => log.push(`${member} measured ${other}`),
        observed: (other) => log.push(`${member} observed by ${other}`),
        received(from, replyTo, bytes) {
          log.push(`${member} received ${bytes[0]} from ${from}`);
          bytesSeen.push(bytes);
          if (!silent) port.reply(replyTo, Uint8Array.of(100 + (bytes[0] ?? 0)));
        },
        answered: (from, request, bytes) => log.push(`${member} answered ${request} by ${from}: ${bytes[0]}`),
        failed: (to, request, reason) => log.push(`${member} failed ${request} to ${to}: ${reason}`),
      },
    );
    ports[member] = port;
    return port;
  };
  for (let member = 0; member < count; member++) join(member);
  const effective = (kind: FaultKind) => faults.counts().find((row) => row.kind === kind);
  const at = (member: number) => ports[member] as TransportPort;
  const hush = (): void => {
    silent = true;
  };
  return { loop, network, faults, log, bytesSeen, at, peer, address, join, effective, hush };
}

/** What it answers. */
export type TestNetwork = ReturnType<typeof createTestNetwork>;

/** Connects two members, and forgets what they noted until then. */
export async function connected(testNetwork: TestNetwork, a = 0, b = 1): Promise<void> {
  testNetwork.at(a).dial(testNetwork.address(b));
  await testNetwork.loop.runUntil(testNetwork.loop.now() + 200);
  testNetwork.log.length = 0;
}
