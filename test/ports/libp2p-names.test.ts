// Goal: a name is resolved anew for each dial, so that a peer whose address changed is found again; one that leads
// nowhere is one line. Method: real sockets on the loopback, a resolver that a test answers for; then the machine's.
// Source: protocol 01 §5.1.
import type { LookupFunction } from "node:net";
import { afterEach, expect, test } from "vitest";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { Libp2pTransportOptions, OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { closed, openTransport } from "./libp2p-network.ts";
import { Witness } from "./transport-witness.ts";

const transports: OpenedTransport[] = [];
afterEach(async () => {
  await Promise.all(transports.splice(0).map(closed));
});

async function open(options: Partial<Libp2pTransportOptions> = {}): Promise<Witness> {
  const witness = new Witness();
  const transport = await openTransport(witness.events, options);
  transports.push(transport);
  witness.node = { peer: transport.peer, port: transport };
  return witness;
}

/** The same place by a name. */
function named(peer: Witness, name: string): string {
  return peer.address.replace("/ip4/127.0.0.1/", `/dns4/${name}/`);
}

/** Answers as it was told, in turn; a name without an answer is not known. */
function resolver(answers: readonly string[]): { readonly lookup: LookupFunction; readonly asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const address = answers[asked.push(name) - 1];
    const unknown: NodeJS.ErrnoException = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
      code: "ENOTFOUND",
    });
    if (address === undefined) return callback(unknown, []);
    if (options.all === true) return callback(null, [{ address, family: 4 }]);
    callback(null, address, 4);
  };
  return { lookup, asked };
}

test("a name is asked for at each dial, and what it leads to now is dialled", async () => {
  const peer = await open();
  // Nobody listens at the first address; then the owner of the name mends it; later it is gone.
  const { lookup, asked } = resolver(["127.0.0.2", "127.0.0.1"]);
  const node = await open({ lookup, listen: [] });
  const address = named(peer, "moving.test");
  const dial = async () => {
    node.port.dial(address);
    await whenQuiet(transports);
  };
  await dial();
  expect(node.unreachable).toEqual([
    { address, reason: expect.stringMatching(/^[^\n]*ECONNREFUSED 127\.0\.0\.2[^\n]*$/) },
  ]);
  await dial();
  expect(node.facts).toMatchObject([{ type: "connected", peer: peer.peer }]);
  node.port.disconnect(peer.peer);
  await whenQuiet(transports);
  await dial();
  expect(node.unreachable.at(-1)?.reason).toMatch(/^[^\n]*ENOTFOUND moving\.test[^\n]*$/);
  expect(asked).toEqual(["moving.test", "moving.test", "moving.test"]);
});

test("another peer that answers under the name is not taken for the one that was meant", async () => {
  const meant = await open();
  const other = await open();
  const node = await open({ lookup: resolver(["127.0.0.1"]).lookup, listen: [] });
  const address = named(other, "taken.test").replace(other.peer, meant.peer);
  node.port.dial(address);
  await whenQuiet(transports);
  expect(node.unreachable).toEqual([
    { address, reason: expect.stringMatching(/^[^\n]*does not match expected[^\n]*$/) },
  ]);
  expect(node.facts).toEqual([]);
});

test("the machine's own resolver knows its names", async () => {
  const peer = await open();
  const node = await open({ listen: [] });
  node.port.dial(named(peer, "localhost"));
  await whenQuiet(transports);
  expect(node.facts).toMatchObject([{ type: "connected", peer: peer.peer, address: named(peer, "localhost") }]);
});
