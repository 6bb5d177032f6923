// Goal: production nodes meet over QUIC alone, bind it beside TCP where it loads, and say in one line when it does not.
// Method: real nodes in this process; a module that does not load as a value.
import { createSocket } from "node:dgram";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { loadQuic } from "../../adapters/libp2p/quic.ts";
import { gossipOf, quicProblem } from "../../node/production/quic.ts";
import type { RunningNode, StartOptions } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-quic-"));
const open: RunningNode[] = [];
afterAll(async () => {
  for (const node of open) await node.close();
  rmSync(folder, { recursive: true, force: true });
});

async function started(name: string, options: Omit<StartOptions, "ledger">): Promise<RunningNode> {
  const node = await startNode({ ...options, ledger: join(folder, name) });
  if (!node.ok) assert.fail(node.error.reason);
  open.push(node.value);
  return node.value;
}

const QUIC = "/ip4/127.0.0.1/udp/0/quic-v1";
const TCP = "/ip4/127.0.0.1/tcp/0";
const missing = { ok: false, error: "Cannot find package" } as const;

test("two nodes meet over QUIC alone, and each hears what the other is told", async () => {
  const first = await started("first", { gossip: [QUIC] });
  expect(first.gossip).toHaveLength(1);
  const second = await started("second", { gossip: [TCP], gossipWithQuic: [QUIC], entrypoints: first.gossip });
  expect(second.gossip.map((each) => /quic-v1/.test(each))).toEqual([false, true]);
  await until(
    async () => (await first.client().call("getPeers")).peers.some((peer) => peer.peer_id === second.peer),
    20,
  );
  await until(
    async () => (await second.client().call("getPeers")).peers.some((peer) => peer.peer_id === first.peer),
    20,
  );
});

test("a UDP port that is taken is one line, before anything is written", async () => {
  const socket = createSocket("udp4");
  await new Promise<void>((bound) => socket.bind({ address: "127.0.0.1", port: 0 }, bound));
  const { port } = socket.address();
  const ledger = join(folder, "taken");
  const refused = await startNode({ ledger, gossip: [`/ip4/127.0.0.1/udp/${port}/quic-v1`] });
  await new Promise<void>((done) => socket.close(done));
  assert.isFalse(refused.ok);
  if (!refused.ok) expect(refused.error).toMatchObject({ code: "usage", reason: expect.stringContaining("in use") });
  assert.isFalse(existsSync(ledger));
});

test("without the module a node binds TCP alone", async () => {
  const asked = { gossip: [TCP], gossipWithQuic: [QUIC] };
  expect(gossipOf(asked, missing)).toEqual([TCP]);
  expect(gossipOf(asked, await loadQuic())).toEqual([TCP, QUIC]);
  expect(gossipOf({}, missing)).toEqual([TCP]);
});

test.each([
  [{ gossip: [QUIC] }, `--gossip-bind-address ${QUIC}`],
  [{ entrypoints: [`${TCP}/p2p/a`, `${QUIC}/p2p/a`] }, `--entrypoint ${QUIC}/p2p/a`],
  [{ externalAddresses: [QUIC] }, `--external-addr ${QUIC}`],
])("without the module %j is refused in one line", async (asked, named) => {
  expect(quicProblem(missing, asked)).toBe(
    `${named}: QUIC does not load (Cannot find package); npm i @chainsafe/libp2p-quic@2, or name a TCP address.`,
  );
  expect(quicProblem(await loadQuic(), asked)).toBeUndefined();
  expect(quicProblem(missing, { gossip: [TCP], gossipWithQuic: [QUIC] })).toBeUndefined();
});
