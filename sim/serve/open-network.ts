/**
 * Real libp2p listeners on loopback for the nodes of a served network, so that production nodes join it. Each node has
 * the production transport with its own key and the production bounds. What arrives enters the world one after another
 * with everything else that happens there, at the instant that the network's clock shows. It depends on who is out
 * there, so a session in which anything arrived is not played again. Source: DESIGN section 5 "Network backends",
 * section 6 "serve".
 */
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";
import type { PeerId, Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import type { TransportEvents } from "../../core/ports/transport.ts";
import type { Wallet } from "../wallet.ts";
import type { OutsideTransports } from "./outside-links.ts";
import type { Pace } from "./wall-clock.ts";
import { stretchOf } from "./wall-clock.ts";
import type { WorldHost } from "./world-host.ts";

const LOOPBACK = "127.0.0.1";
/** Why a session cannot be played again. */
const CAME_FROM_OUTSIDE = "peers from outside took part in it";

/** The listeners of a network. */
export interface OpenNetwork {
  /** Where peers reach each node, ending in its peer id. */
  readonly addresses: readonly string[];
  /** Lets peers into the network, and into each world that takes the place of the one before. */
  serve(host: WorldHost, pace: Pace): void;
  close(): Promise<void>;
}

export interface OpenNetworkOptions {
  /** The nodes' own keys, in their order. */
  readonly wallets: readonly Pick<Wallet, "peer" | "keypair">[];
  /** The port of node 0; node i has this one plus i. 0 lets the system choose for each. */
  readonly port: number;
  /** Told in one line when a node cannot listen again. */
  readonly complain: (line: string) => void;
}

/** Who hears what a transport says; a new one each time that a process of the node takes it over. */
interface Listener {
  readonly events: TransportEvents;
}

/** The transport of one node, open while the node is up. */
interface Gate {
  readonly secretKey: Uint8Array;
  /** The multiaddr that was bound first, and is bound again. */
  listen: string;
  transport: OpenedTransport | undefined;
  listener: Listener | undefined;
  /** Opening and closing, one after another. */
  work: Promise<void>;
}

interface State {
  readonly gates: ReadonlyMap<PeerId, Gate>;
  readonly complain: (line: string) => void;
  served: { readonly host: WorldHost; readonly pace: Pace } | undefined;
}

/** Binds the address of every node; or says in one line which cannot be bound, with none of them open. */
export async function openNetworkToPeers(options: OpenNetworkOptions): Promise<Result<OpenNetwork, string>> {
  const { wallets, port, complain } = options;
  const gates = wallets.map(({ keypair }, node): Gate => {
    const listen = `/ip4/${LOOPBACK}/tcp/${port === 0 ? 0 : port + node}`;
    return { secretKey: keypair.secretKey, listen, transport: undefined, listener: undefined, work: Promise.resolve() };
  });
  const byPeer = new Map(wallets.flatMap(({ peer }, node) => gates.slice(node, node + 1).map((gate) => [peer, gate])));
  const state: State = { gates: byPeer, complain, served: undefined };
  const reasons = await Promise.all(gates.map((gate) => open(state, gate)));
  const refused = reasons.find((reason) => reason !== undefined);
  if (refused !== undefined) {
    await closeAll(state);
    return err(refused);
  }
  for (const gate of gates) gate.listen = boundOf(gate);
  return ok({
    addresses: wallets.map(({ peer }, node) => `${gates[node]?.listen}/p2p/${peer}`),
    serve(host, pace) {
      state.served = { host, pace };
      const attach = () => host.live().outside?.attach(transportsOf(state));
      host.onReplaced(attach);
      attach();
    },
    close: () => closeAll(state),
  });
}

function transportsOf(state: State): OutsideTransports {
  const transportOf = (node: PeerId) => state.gates.get(node)?.transport;
  return {
    up(node, events) {
      const gate = state.gates.get(node);
      if (gate === undefined) return;
      gate.listener = { events };
      for (const peer of gate.transport?.peers() ?? []) gate.transport?.disconnect(peer);
      later(gate, async () => {
        const reason =
          gate.transport === undefined && gate.listener !== undefined ? await open(state, gate) : undefined;
        if (reason !== undefined) state.complain(reason);
      });
    },
    down(node) {
      const gate = state.gates.get(node);
      if (gate === undefined) return;
      gate.listener = undefined;
      later(gate, () => (gate.listener === undefined ? close(gate) : undefined));
    },
    dial(node, address) {
      const gate = state.gates.get(node);
      const listener = gate?.listener;
      if (gate !== undefined)
        later(gate, () => (gate.listener === listener ? gate.transport?.dial(address) : undefined));
    },
    disconnect: (node, peer) => transportOf(node)?.disconnect(peer),
    send: (node, to, request, bytes) => transportOf(node)?.send(to, request, bytes),
    reply: (node, replyTo, bytes) => transportOf(node)?.reply(replyTo, bytes),
    brought: (node, peer) => transportOf(node)?.brought(peer),
  };
}

function later(gate: Gate, work: () => Promise<void> | void): void {
  gate.work = gate.work.then(work);
}

/** Opens the transport of a node; answers why it cannot. */
async function open(state: State, gate: Gate): Promise<string | undefined> {
  const opened = await openLibp2pTransport({
    secretKey: gate.secretKey,
    listen: [gate.listen],
    events: eventsFor(state, gate),
  });
  if (!opened.ok) return opened.error.reason;
  gate.transport = opened.value;
  return undefined;
}

async function close(gate: Gate): Promise<void> {
  const { transport } = gate;
  gate.transport = undefined;
  if (transport !== undefined) await new Promise<void>((done) => transport.close(done));
}

async function closeAll({ gates }: State): Promise<void> {
  for (const gate of gates.values()) {
    gate.listener = undefined;
    later(gate, () => close(gate));
  }
  await Promise.all([...gates.values()].map(({ work }) => work));
}

/** What is bound, without the peer id. */
function boundOf({ transport, listen }: Gate): string {
  return transport?.addresses()[0]?.replace(/\/p2p\/[^/]+$/, "") ?? listen;
}

/** What a transport says, told to whoever hears it then, when the world's turn has come. */
function eventsFor(state: State, gate: Gate): TransportEvents {
  const tell = (fact: (events: TransportEvents) => void): void => {
    const { listener } = gate;
    const { served } = state;
    if (listener === undefined || served === undefined) return;
    const { host, pace } = served;
    const told = host.exclusive(async () => {
      await host.advance(pace.due(), stretchOf());
      if (gate.listener !== listener) return;
      host.live().session.lose({ name: "NOT_REPLAYABLE", why: CAME_FROM_OUTSIDE });
      fact(listener.events);
    });
    told.catch((error: unknown) => state.complain(`a fact from outside was lost: ${String(error)}`));
  };
  return {
    connected(peer, address) {
      // Nobody is at home yet: the first moments of a network, or of a node that comes up.
      if (gate.listener === undefined) return gate.transport?.disconnect(peer);
      tell((events) => events.connected(peer, address));
    },
    disconnected: (peer) => tell((events) => events.disconnected(peer)),
    unreachable: (address, reason) => tell((events) => events.unreachable(address, reason)),
    measured: (peer, latencyMs) => tell((events) => events.measured(peer, latencyMs)),
    observed: (peer, address) => tell((events) => events.observed(peer, address)),
    received: (from, replyTo, bytes) => tell((events) => events.received(from, replyTo, bytes)),
    answered: (from, request, bytes) => tell((events) => events.answered(from, request, bytes)),
    failed: (to, request, reason) => tell((events) => events.failed(to, request, reason)),
  };
}
