// Goal: the production transport keeps the contract over QUIC; bounds by address hold there; a node over TCP and QUIC
// is reached over both; a machine without the module says why.
// Method: the shared suite on UDP over the loopback; transports whose bounds are small; modules that do not load.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, assert, describe, expect, test } from "vitest";
import { loadQuic } from "../../adapters/libp2p/quic.ts";
import type { Libp2pTransportOptions, OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { TYPESCRIPT } from "../typescript.ts";
import { until } from "../until.ts";
import { closed, openTransport, quicNetwork } from "./libp2p-network.ts";
import { describeTransport } from "./transport.contract.ts";
import { Witness } from "./transport-witness.ts";

const TCP = "/ip4/127.0.0.1/tcp/0";
const QUIC = "/ip4/127.0.0.1/udp/0/quic-v1";

describeTransport("libp2p over QUIC", quicNetwork);

describe("over QUIC", () => {
  const transports: OpenedTransport[] = [];
  afterEach(async () => {
    await Promise.all(transports.splice(0).map(closed));
  });

  async function open(options: Partial<Libp2pTransportOptions>): Promise<Witness & { counts: () => unknown }> {
    const loaded = await loadQuic();
    assert.ok(loaded.ok, "QUIC loads");
    const witness = new Witness();
    const transport = await openTransport(witness.events, { quic: loaded.value, ...options });
    transports.push(transport);
    witness.node = { peer: transport.peer, port: transport };
    return Object.assign(witness, { counts: () => transport.counts() });
  }

  test("of one address so many; the next is refused and counted", async () => {
    const host = await open({ listen: [QUIC], limits: { connectionsPerLocalAddressMax: 1 } });
    const [first, second] = [await open({ listen: [] }), await open({ listen: [] })];
    first.port.dial(host.address);
    await until(() => host.connectedTo(first.peer));
    second.port.dial(host.address);
    await until(() => (host.counts() as { refused: { address: number } }).refused.address === 1);
    expect(host.counts()).toMatchObject({ inbound: 1, outbound: 0, refused: { address: 1 } });
    assert.isFalse(host.connectedTo(second.peer));
  });

  test("beside TCP: both addresses are announced, and either leads to the node", async () => {
    const host = await open({ listen: [TCP, QUIC] });
    const addresses = host.port.addresses();
    expect(addresses.map((each) => each.replace(/\d{4,5}/, "N").split("/p2p/")[0])).toEqual([
      "/ip4/127.0.0.1/tcp/N",
      "/ip4/127.0.0.1/udp/N/quic-v1",
    ]);
    for (const address of addresses) {
      const guest = await open({ listen: [] });
      guest.port.dial(address);
      await until(() => guest.connectedTo(host.peer) && host.connectedTo(guest.peer));
    }
  });

  test("whoever answers must be whom the address names", async () => {
    const [host, guest] = [await open({ listen: [QUIC] }), await open({ listen: [] })];
    const other = await open({ listen: [] });
    guest.port.dial(host.address.replace(host.peer, other.peer));
    await until(() => guest.unreachable.length === 1);
    assert.isFalse(guest.connectedTo(host.peer));
  });

  test("a process that closed its transports ends by itself", async () => {
    const program = fileURLToPath(new URL("./libp2p-exit.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [...TYPESCRIPT, program, QUIC]);
    expect(stdout).toBe("closed\n");
  });
});

test.each<[string, () => Promise<unknown>, string]>([
  ["is not there", () => import("no-such-package" as string), "no-such-package"],
  ["has no binary for this machine", () => Promise.reject(new Error("no binding\nmore")), "no binding"],
  ["is another", async () => ({ quic: "text" }), "no transport"],
])("a module that %s is one line", async (_name, load, wrong) => {
  const loaded = await loadQuic(load);
  assert.isFalse(loaded.ok);
  if (!loaded.ok) expect(loaded.error).toContain(wrong);
  if (!loaded.ok) expect(loaded.error).not.toContain("\n");
});
