/**
 * Control of the whole network: its states to come back to, what it holds, what is awaited, and who signs in it.
 */
import { bool, fromBase64, list, ok, struct, toBase58, toBase64, u64 } from "../../../core/index.ts";
import { plainText, small, text } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { Milliseconds, Name, NodeIndex } from "../../data/values.ts";
import { holdLiveWorld, openLiveWorld, resumeLiveWorld } from "../live-world.ts";
import { fundedWallets, WalletData, walletData } from "../people.ts";
import { wallSleep } from "../wall-clock.ts";
import { beginsAt, warm } from "../warm.ts";
import { unequal } from "./equality.ts";
import type { Controlled } from "./method.ts";
import { lacksNode, method, refuse, waiting } from "./method.ts";
import { alignServers } from "./network-methods.ts";
import { SNAPSHOTS_MAX } from "./snapshots.ts";
import { Violation, violationData } from "./violations.ts";

/** How long something is awaited unless said, in milliseconds of the network's. Source: DESIGN "Simulated world". */
const AWAITED_MS = 60_000;
/** Between two looks of our clock at something awaited, in milliseconds. */
const LOOK_MS = 20;
/** How far a standing network runs before others are let in, in its own milliseconds. */
const STEP_MS = 400;

const Id = struct("SnapshotId", { id: plainText });
const StatusData = struct("Status", {
  seed: plainText,
  now: u64,
  nodes: small(32),
  events: u64,
  snapshots: small(32),
  converged: bool,
  violations: list(Violation),
});
const Message = struct("StreamMessage", { node: NodeIndex, source: plainText, message: plainText });
const Signature = struct("Signature", { wallet: plainText, base58: plainText, base64: plainText });
const Bytes = text("plain", "bytes in base64", (given) => (fromBase64(given) === undefined ? undefined : given));
const group = "Network";

/** Time goes on from where another world stands, and servers stand before the nodes that are up in it. */
async function settled(network: Controlled): Promise<void> {
  network.pace.rebase();
  await alignServers(network);
}

export const worldMethods = {
  sim_getStatus: method({
    ...{ group, params: {}, result: StatusData },
    doc: "The network as a whole: its time, how much happened, whether all nodes hold the same, and laws that broke.",
    run({ host, options, snapshots }) {
      const world = host.world();
      return ok({
        ...{ seed: options.seed.toString(), now: world.loop.epoch() as bigint, nodes: host.nodes().length },
        ...{ events: BigInt(world.trace.events()), snapshots: snapshots.size() },
        ...{ converged: unequal(host) === undefined, violations: world.violations.map(violationData) },
      });
    },
  }),
  sim_snapshot: method({
    ...{ group, params: {}, result: Id, errors: ["TOO_MANY"] },
    doc: "Keeps the state of the whole network, chain, disks and links included, under an id.",
    run({ host, snapshots }) {
      const id = snapshots.keep(holdLiveWorld(host.live()));
      return id === undefined ? refuse("TOO_MANY", `${SNAPSHOTS_MAX} snapshots are kept at most`) : ok({ id });
    },
  }),
  sim_revert: method({
    ...{ group, params: { id: Name }, result: Id, errors: ["UNKNOWN_SNAPSHOT"] },
    doc:
      "Goes back to a state that was kept, as often as wanted; others stay, later ones too. Calls that wait at a node " +
      "are answered as by one that stops. Where time follows the wall clock, it goes on from the state's own.",
    async run(network, { id }) {
      const state = network.snapshots.take(id);
      if (state === undefined) return refuse("UNKNOWN_SNAPSHOT", `there is no snapshot ${id}`);
      const next = await resumeLiveWorld(network.options, state);
      network.snapshots.put(id, holdLiveWorld(next));
      await network.host.replace(next);
      await settled(network);
      return ok({ id });
    },
  }),
  sim_dropSnapshot: method({
    ...{ group, params: { id: Name }, result: bool, errors: ["UNKNOWN_SNAPSHOT"] },
    doc: "Forgets a state that was kept.",
    run: ({ snapshots }, { id }) =>
      snapshots.drop(id) ? ok(true) : refuse("UNKNOWN_SNAPSHOT", `there is no snapshot ${id}`),
  }),
  sim_reset: method({
    ...{ group, params: {}, result: bool },
    doc: "Begins anew, as the network was when it was ready, with the same seed; snapshots are forgotten.",
    async run(network) {
      const begins = beginsAt(network.options.pace);
      await network.host.replace(await openLiveWorld(network.options, begins));
      network.snapshots.clear();
      await warm(network.host, begins);
      await settled(network);
      return ok(true);
    },
  }),
  sim_getWallets: method({
    ...{ group, params: {}, result: list(WalletData) },
    doc: "The wallets that were funded on the first day, with their keys.",
    run: ({ host }) => ok(fundedWallets(host.world())),
  }),
  sim_getWallet: method({
    ...{ group, params: { name: Name }, result: WalletData },
    doc: "The wallet of any name, the same for the same name and seed; without funds unless it is one of the funded.",
    run: ({ host }, { name }) => ok(walletData(host.world().walletOf(name))),
  }),
  sim_signAs: method({
    ...{ group, params: { wallet: Name, message: Bytes }, result: Signature },
    doc: "Signs bytes, given in base64, with the wallet of a name.",
    run({ host }, { wallet, message }) {
      const signer = host.world().walletOf(wallet);
      const signature = signer.sign(fromBase64(message) ?? new Uint8Array(0));
      return ok({ wallet: signer.address, base58: toBase58(signature), base64: toBase64(signature) });
    },
  }),
  sim_awaitConverged: waiting({
    ...{ group, params: { within: may(Milliseconds) }, result: bool, errors: ["NOT_IN_TIME"] },
    doc:
      "Waits until every node is up and all hold the same, a minute of the network's at most unless said. Where time " +
      "stands still the network runs so far; else it goes on as it does.",
    async run(network, { within = AWAITED_MS }) {
      const why = await awaited(network, within, () => unequal(network.host));
      return why === undefined ? ok(true) : refuse("NOT_IN_TIME", why);
    },
  }),
  sim_awaitEvent: waiting({
    ...{ group, params: { node: may(NodeIndex), method: may(Name), within: may(Milliseconds) }, result: Message },
    errors: ["UNKNOWN_NODE", "NOT_IN_TIME"],
    doc:
      "Waits for a message of a node's stream from now on: of any node unless said, and of any method, such as " +
      "AdvertisementCreated. A minute of the network's at most unless said.",
    async run(network, { node, method: named, within = AWAITED_MS }) {
      const lacks = node === undefined ? undefined : lacksNode(network, node);
      if (lacks !== undefined) return lacks;
      const found: { message?: { node: number; source: string; message: string } } = {};
      const stop = network.host.onPublished((at, source, message) => {
        const fits = (node ?? at) === at && (named === undefined || methodOf(message) === named);
        if (fits) found.message ??= { node: at, source, message };
      });
      const why = await awaited(network, within, () => (found.message === undefined ? "nothing came" : undefined));
      stop();
      return found.message === undefined ? refuse("NOT_IN_TIME", why ?? "nothing came") : ok(found.message);
    },
  }),
};

function methodOf(message: string): string | undefined {
  return (JSON.parse(message) as { readonly method?: string }).method;
}

/** Waits until nothing is missing: by running the network where its time stands still, else by looking again. */
async function awaited(
  network: Controlled,
  within: number,
  missing: () => string | undefined,
): Promise<string | undefined> {
  const { host, pace } = network;
  const until = host.world().loop.now() + within;
  for (;;) {
    const why = await host.exclusive(async () => {
      const now = host.world().loop.now();
      const lacking = missing();
      if (lacking === undefined || pace.factor() > 0 || now >= until) return lacking;
      await host.advance(Math.min(until, now + STEP_MS), () => missing() === undefined);
      return missing();
    });
    if (why === undefined || host.world().loop.now() >= until) return why;
    if (pace.factor() > 0) await wallSleep(LOOK_MS);
  }
}
