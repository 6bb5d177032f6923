// Goal: production nodes join a served network over real TCP and hold what it holds; what they send, every simulated
// node comes to hold; they leave again, nodes crash, states are taken back, and the network stays up.
// Method: startNode in this process, with its own ledger on disk, over the production transport; facts are awaited.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, assert, beforeEach, test } from "vitest";
import { openLibp2pTransport } from "../../../adapters/libp2p/transport.ts";
import type { PeerId } from "../../../core/index.ts";
import { connectedPeers } from "../../../core/network/peers/peers.ts";
import { networkNamed } from "../../../node/production/network.ts";
import type { RunningNode } from "../../../node/production/start-node.ts";
import { startNode } from "../../../node/production/start-node.ts";
import { openNetworkToPeers } from "../../../sim/serve/open-network.ts";
import type { ServedNetwork } from "../../../sim/serve/served-network.ts";
import { until } from "../../until.ts";
import { advertise, advertiseAt, controlOf, openTestServed, posted } from "./test-network.ts";

interface Roots {
  readonly statements: string;
  readonly facts: string;
  readonly state: string;
}

const running: RunningNode[] = [];
const complaints: string[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ofs-open-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((node) => node.close()));
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(complaints.splice(0), []);
});

function opened(): Promise<ServedNetwork> {
  const openNetwork = { port: 0, complain: (line: string) => void complaints.push(line) };
  return openTestServed({ pace: 1, mining: "slot", openNetwork });
}

async function joined(network: ServedNetwork, at = 0, ledger = "ledger"): Promise<RunningNode> {
  const started = await startNode({
    ...{
      network: networkNamed("simulated"),
      ledger: join(folder, ledger),
      entrypoints: [network.ready.nodes[at]!.gossip!],
    },
    admin: { host: "127.0.0.1", port: 0 },
  });
  if (!started.ok) throw new Error(started.error.reason);
  running.push(started.value);
  started.value.changeRate(null);
  return started.value;
}

async function rootsOf({ admin }: RunningNode): Promise<Roots> {
  return (await (await fetch(`${admin!.url}/debug/roots`)).json()) as Roots;
}

/** Waits until all hold the same statements; whoever holds the same, in whatever look, shows the same of it. */
async function converged(network: ServedNetwork, ...nodes: readonly RunningNode[]): Promise<void> {
  const states = new Map<string, string>();
  await until(async () => {
    const inside = (await controlOf(network).call("sim_getNodes")).map(
      ({ statements_root: statements, facts_root: facts, state_root: state }) => ({ statements, facts, state }),
    );
    const all = [...inside, ...(await Promise.all(nodes.map(rootsOf)))];
    for (const { statements, facts, state } of all) {
      const sets = `${statements} ${facts}`;
      assert.equal(state, states.get(sets) ?? state);
      states.set(sets, state);
    }
    return new Set(all.map(({ statements }) => statements)).size === 1;
  }, 20);
}

/** Whether a simulated node is connected to a node outside. */
function isLinked({ host }: ServedNetwork, node: number, peer: PeerId): boolean {
  const view = host.world().nodes[node]?.driver()?.view;
  return view !== undefined && connectedPeers(view).includes(peer);
}

const lawsBroken = ({ host }: ServedNetwork) =>
  host.world().violations.map(({ check, message }) => `${check}: ${message}`);

test("a production node joins, takes what is there, sends what all come to hold, and leaves", async () => {
  const network = await opened();
  await advertise(network, 1, "from-inside");
  const node = await joined(network);
  await until(async () => (await node.client().call("getAdvertisement", { id: "from-inside" })) !== null, 20);
  await converged(network, node);
  await advertiseAt(network, node.client(), "from-outside");
  for (const { rpc } of network.ready.nodes)
    await until(async () => (await posted(rpc, "getAdvertisement", { id: "from-outside" })).includes('"Active"'), 20);
  await converged(network, node);
  running.splice(0);
  await node.close();
  await until(() => !isLinked(network, 0, node.peer));
  await advertise(network, 2, "afterwards");
  await controlOf(network).call("sim_awaitConverged");
  assert.deepEqual(lawsBroken(network), []);
});

test("two of them learn of each other through the simulated nodes, one of which crashes meanwhile", async () => {
  const network = await opened();
  const [one, other] = [await joined(network, 0, "one"), await joined(network, 2, "other")];
  await until(() => isLinked(network, 0, one.peer) && isLinked(network, 2, other.peer));
  await controlOf(network).call("sim_crash", { node: 1 });
  await advertiseAt(network, one.client(), "from-one");
  await until(async () => (await other.client().call("getAdvertisement", { id: "from-one" })) !== null, 20);
  await controlOf(network).call("sim_restart", { node: 1 });
  await advertiseAt(network, other.client(), "from-other");
  await converged(network, one, other);
  // A process that ended takes its links with it, and its address accepts again once it is back.
  await controlOf(network).call("sim_crash", { node: 0, power: true });
  await controlOf(network).call("sim_restart", { node: 0 });
  await until(() => isLinked(network, 0, one.peer), 20);
  assert.deepEqual(lawsBroken(network), []);
});

test("after a revert they join again, and what they took part in is not played again", async () => {
  const network = await opened();
  const control = controlOf(network);
  const { id: before } = await control.call("sim_snapshot");
  const node = await joined(network);
  await advertiseAt(network, node.client(), "kept");
  await converged(network, node);
  await refusedExport(network);
  const { id: during } = await control.call("sim_snapshot");
  await advertiseAt(network, node.client(), "newer");
  await converged(network, node);
  await control.call("sim_revert", { id: during });
  // What the network has forgotten the node outside tells it again.
  await until(() => isLinked(network, 0, node.peer), 20);
  await converged(network, node);
  await control.call("sim_revert", { id: during });
  await converged(network, node);
  await refusedExport(network);
  running.splice(0);
  await node.close();
  // It was there then and is gone now: who goes on from there hears so.
  await control.call("sim_revert", { id: during });
  await until(() => !isLinked(network, 0, node.peer));
  await control.call("sim_revert", { id: before });
  assert.match((await control.call("sim_exportRepro")).text, /"format": "ofs-session\/1"/);
  await control.call("sim_reset");
  const again = await joined(network, 1, "again");
  await until(() => isLinked(network, 1, again.peer), 20);
  await converged(network, again);
  assert.deepEqual(lawsBroken(network), []);
});

async function refusedExport(network: ServedNetwork): Promise<void> {
  const refused = JSON.parse(await posted(network.ready.control.rpc, "sim_exportRepro", {})) as object;
  assert.deepInclude(refused, {
    error: {
      ...{ code: -33_020, data: { name: "NOT_REPLAYABLE" } },
      message: "there is no session to play again: peers from outside took part in it",
    },
  });
}

test("who bears the key of a simulated node is shown out", async () => {
  const network = await opened();
  const events: string[] = [];
  const told = (what: string) => () => void events.push(what);
  const transport = await openLibp2pTransport({
    ...{ secretKey: network.host.world().nodes[1]!.wallet.keypair.secretKey, listen: [] },
    events: {
      ...{ connected: told("connected"), disconnected: told("disconnected"), unreachable: told("unreachable") },
      ...{ measured: told("measured"), observed: told("observed"), received: told("received") },
      ...{ answered: told("answered"), failed: told("failed") },
    },
  });
  assert(transport.ok);
  transport.value.dial(network.ready.nodes[0]!.gossip!);
  await until(() => events.includes("disconnected"));
  await new Promise<void>((done) => transport.value.close(done));
  assert.notInclude(events, "received");
  await controlOf(network).call("sim_awaitConverged");
});

test("an address that is taken is told in one line, and nothing stays open", async () => {
  const network = await opened();
  const taken = Number(/tcp\/(\d+)/.exec(network.ready.nodes[2]!.gossip!)![1]);
  const { nodes } = network.host.world();
  const wallets = nodes.map(({ wallet }) => wallet);
  const refused = await openNetworkToPeers({ wallets, port: taken - 2, complain: () => undefined });
  assert(!refused.ok);
  assert.match(refused.error, /^cannot listen on \/ip4\/127\.0\.0\.1\/tcp\/\d+: .*EADDRINUSE.*$/);
});
