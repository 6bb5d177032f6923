// Goal: real connections from outside are refused before their handshake when too many come from one address, and one
// of a crowd leaves for a stranger.
// Method: strangers on the loopback, where each 127.0.0.x is an address of its own; bounds small enough to reach.
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { TransportLimits } from "../../adapters/libp2p/limits.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { until } from "../until.ts";
import { closed, openTransport } from "./libp2p-network.ts";
import type { Stranger } from "./libp2p-stranger.ts";
import { openStranger } from "./libp2p-stranger.ts";
import { Witness } from "./transport-witness.ts";

const transports: OpenedTransport[] = [];
const strangers: Stranger[] = [];

afterEach(async () => {
  await Promise.all(strangers.splice(0).map(({ node }) => node.stop()));
  await Promise.all(transports.splice(0).map(closed));
});

async function open(limits: Partial<TransportLimits>): Promise<{ witness: Witness; transport: OpenedTransport }> {
  const witness = new Witness();
  const transport = await openTransport(witness.events, { limits });
  transports.push(transport);
  witness.node = { peer: transport.peer, port: transport };
  return { witness, transport };
}

async function strangerFrom(address: string): Promise<Stranger> {
  const stranger = await openStranger(undefined, "Ed25519", address);
  strangers.push(stranger);
  return stranger;
}

/** What comes of a connection that begins a handshake: an answer, or its end without a byte. */
function answerTo(port: number, localAddress: string): Promise<"answered" | "ended"> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress }, () => {
      socket.write("\u0013/multistream/1.0.0\n");
    });
    socket.on("data", () => {
      socket.destroy();
      resolve("answered");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve("ended"));
  });
}

test("of one address so many, the next before a byte is exchanged; other addresses are not concerned", async () => {
  const { witness, transport } = await open({ connectionsPerLocalAddressMax: 2 });
  for (let n = 0; n < 2; n++) await (await strangerFrom("127.0.0.2")).dial(witness.address);
  await until(() => transport.counts().inbound === 2);
  const port = Number(/tcp\/(\d+)/.exec(witness.address)?.[1]);
  expect(await answerTo(port, "127.0.0.3")).toBe("answered");
  expect(await answerTo(port, "127.0.0.2")).toBe("ended");
  expect(transport.counts()).toMatchObject({ inbound: 2, refused: { address: 1, places: 0 }, evicted: 0 });
  const other = await strangerFrom("127.0.0.3");
  await other.dial(witness.address);
  await until(() => witness.connectedTo(other.peer));
  expect(transport.counts()).toMatchObject({ inbound: 3, outbound: 0, refused: { address: 1 } });
});

test("with all places taken the youngest of the crowd leaves for a stranger; those that were dialled stay", async () => {
  const { witness, transport } = await open({ inboundConnectionsMax: 4 });
  const dialled = await strangerFrom("127.0.0.9");
  transport.dial(`${dialled.node.getMultiaddrs()[0]}`);
  await until(() => witness.connectedTo(dialled.peer));
  const crowd: Stranger[] = [];
  for (let n = 0; n < 4; n++) {
    const stranger = await strangerFrom("127.0.0.2");
    crowd.push(stranger);
    await stranger.dial(witness.address);
    await until(() => witness.connectedTo(stranger.peer));
  }
  const newcomer = await strangerFrom("127.0.0.3");
  await newcomer.dial(witness.address);
  await until(() => witness.connectedTo(newcomer.peer) && !witness.connectedTo(crowd[3]!.peer));
  const left = [dialled, ...crowd, newcomer].filter(({ peer }) => !witness.connectedTo(peer));
  expect(left.map(({ peer }) => peer)).toEqual([crowd[3]!.peer]);
  expect(transport.counts()).toMatchObject({ inbound: 4, outbound: 1, evicted: 1, refused: { places: 0 } });
});
