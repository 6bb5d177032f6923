/**
 * A world that is served: who lives in it, and how one is opened, from nothing at an instant or from what another held.
 * Its laws are watched as in any run. Source: DESIGN section 6 "serve".
 */
import { openBackends } from "../backends.ts";
import { ARBITRATOR_STAKE_MIN } from "../chain/genesis.ts";
import type { HeldRecords, Recorder } from "../chain/server/recorder.ts";
import { openRecorder } from "../chain/server/recorder.ts";
import { openChainSupply } from "../chain-supply.ts";
import type { HeldLoop } from "../clock.ts";
import { emptyUntil } from "../clock.ts";
import { MILLISECONDS_MAX } from "../data/values.ts";
import { holdRun } from "../held-run.ts";
import type { Run } from "../run.ts";
import { openRun } from "../run.ts";
import type { Participant, Scenario } from "../scenario.ts";
import { defineScenario } from "../scenario.ts";
import type { Backends, ChainSupply } from "../setup.ts";
import type { Wallet } from "../wallet.ts";
import type { ClientFaults } from "./client-faults.ts";
import { openClientFaults } from "./client-faults.ts";
import type { EventLog } from "./event-log.ts";
import { openEventLog } from "./event-log.ts";
import type { Member } from "./members.ts";
import { firstMembers } from "./members.ts";
import type { OutsideLinks } from "./outside-links.ts";
import { openOutsideLinks } from "./outside-links.ts";
import type { HeldSession, Session } from "./session.ts";
import { freshSession, openSession } from "./session.ts";
import type { TracedStep, TraceTail } from "./trace-tail.ts";
import { openTraceTail } from "./trace-tail.ts";

/** What executes the chain of a served world: both can be copied and forked. */
export type ServedChoice = "litesvm" | "model";

/** What a served world is a function of, besides what it is asked. */
export interface LiveWorldOptions {
  readonly seed: bigint;
  readonly nodes: number;
  /** The last so many nodes have no endpoint of the chain. */
  readonly gossipOnly: number;
  readonly chain: ServedChoice;
  /** Where peers from outside reach each node; they reach none where nothing is said. */
  readonly addresses?: readonly string[] | undefined;
}

/** A world with what is needed to drive it. */
export interface LiveWorld {
  readonly run: Run;
  readonly supply: ChainSupply;
  readonly recorder: Recorder;
  readonly events: EventLog;
  /** What goes wrong between clients and nodes. */
  readonly clientFaults: ClientFaults;
  /** Its nodes, also those that left. */
  members: readonly Member[];
  /** What was asked of it since it began. */
  readonly session: Session;
  /** The last steps of its trace. */
  readonly tail: TraceTail;
  /** Links to peers from outside, where any may come. */
  readonly outside: OutsideLinks | undefined;
  /** The blockhash of its first block. */
  readonly genesisHash: string;
}

/** Everything that a world holds at one instant; one world may go on from it. */
export interface HeldWorld {
  readonly loop: HeldLoop;
  readonly records: HeldRecords;
  readonly members: readonly Member[];
  readonly session: HeldSession;
  readonly tail: readonly TracedStep[];
  readonly genesisHash: string;
  readonly walletOf: (name: string) => Wallet;
}

/** Who hears what comes back of calls from outside, by the name in their tickets. */
export const CLIENTS = "served clients";
/** Whose account pays airdrops. */
export const FAUCET = "faucet";
/** Arbitrators with a stake, so that a panel of three can be staffed twice. Source: DESIGN "Simulated world". */
const ARBITRATORS = 6;
const arbitrators = Array.from({ length: ARBITRATORS }, (_, n) => `arbitrator-${n + 1}`);

/** Who has a funded wallet from the first day. */
export const servedPeople: readonly Participant[] = [
  { name: "merchant", merchant: true },
  { name: "merchant-2", merchant: true },
  ...["buyer", "buyer-2", "alice", "bob", "oracle"].map((name) => ({ name })),
  ...arbitrators.map((name) => ({ name, arbitratorStake: ARBITRATOR_STAKE_MIN })),
  { name: FAUCET },
];

/** A world in which nothing has happened before an instant, in milliseconds since the first day of worlds. */
export function openLiveWorld(options: LiveWorldOptions, begins: number): Promise<LiveWorld> {
  return openFrom(options, emptyUntil(begins), freshSession(begins));
}

/** A world that goes on from what another held. */
export function resumeLiveWorld(options: LiveWorldOptions, held: HeldWorld): Promise<LiveWorld> {
  return openFrom(options, held.loop, held.session, held);
}

/** What a world holds now. */
export function holdLiveWorld({ run, recorder, members, session, tail, genesisHash }: LiveWorld): HeldWorld {
  const loop = holdRun(run);
  if (!loop.ok) throw new Error(`bug: ${loop.error}`);
  return {
    ...{ loop: loop.value, records: recorder.held(), session: session.held(), tail: tail.held() },
    ...{ members, genesisHash, walletOf: run.world.walletOf },
  };
}

async function openFrom(
  options: LiveWorldOptions,
  from: HeldLoop,
  asked: HeldSession,
  held?: HeldWorld,
): Promise<LiveWorld> {
  const usual = openBackends();
  const opened: { supply?: ChainSupply; recorder?: Recorder } = {};
  const outside = options.addresses === undefined ? undefined : openOutsideLinks();
  const backends: Backends = {
    ...usual,
    ...(outside && { openCarrier: async () => outside.openCarrier }),
    openChain: async (setting) => {
      opened.supply = await openChainSupply(usual.crypto, {
        ...setting,
        through(open) {
          opened.recorder = openRecorder(open, held?.records);
          return opened.recorder.open;
        },
      });
      return opened.supply;
    },
  };
  const { seed, chain, addresses } = options;
  const members = held?.members ?? firstMembers(options);
  const walletOf = held === undefined ? {} : { walletOf: held.walletOf };
  const nodeOf = new Map<string, number>();
  const events = openEventLog((peer) => nodeOf.get(peer));
  const tail = openTraceTail(held?.tail);
  const watch = [events.watch, tail.watch, ...(outside === undefined ? [] : [outside.watch])];
  const run = await openRun(
    servedScenario(members, chain),
    {
      ...{ seed, nodes: members.length, chain, addresses, from, ...walletOf, watch },
      entrypoints: (node) => members[node]?.entrypoints ?? undefined,
    },
    backends,
  );
  for (const { index, wallet } of run.world.nodes) nodeOf.set(wallet.peer, index);
  const { supply, recorder } = opened;
  if (supply === undefined || recorder === undefined) throw new Error("bug: a served world has a chain");
  // A chain that has just been opened has one block.
  const genesisHash = held?.genesisHash ?? supply.cluster.latestBlockhash("processed").blockhash;
  const clientFaults = openClientFaults(run.world.loop, ({ node, body, number }) => {
    run.world.nodes[node]?.call(body, { to: CLIENTS, number });
  });
  return {
    run,
    supply,
    recorder,
    events,
    clientFaults,
    members,
    session: openSession(asked),
    tail,
    outside,
    genesisHash,
  };
}

function servedScenario(members: readonly Member[], chain: ServedChoice): Scenario {
  return defineScenario({
    name: "served-network",
    description: "A network that clients are written against.",
    source: "DESIGN section 6",
    ...{ nodes: members.length, nodesMin: 1, chain, participants: servedPeople, fileMakers: [0] },
    gossipOnly: members.flatMap(({ gossipOnly }, node) => (gossipOnly ? [node] : [])),
    lasts: MILLISECONDS_MAX,
    provesFaults: false,
    provesActions: false,
  });
}
