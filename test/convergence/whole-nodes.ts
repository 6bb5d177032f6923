/**
 * A story told to whole nodes: really signed, each thing pushed by a relay to one or two nodes of a simulated network
 * that is cut, loses and repeats messages, whose nodes crash and whose clocks are wrong. What a node missed, it gets
 * by comparing sets with its peers. Source: DESIGN section 5; CONVERGENCE "Roots".
 */

import { LateRequests } from "../../core/domains/trade/reservations/tables.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { RequestNumber } from "../../core/inputs.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { ParityTimestamps } from "../../core/parity/parity-timestamps.ts";
import { openBackends } from "../../sim/backends.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import { crash, networkConditions, partition, wrongClock } from "../../sim/fault-plans.ts";
import type { LivenessCheck } from "../../sim/liveness.ts";
import { joinNetwork } from "../../sim/network.ts";
import type { RunReport } from "../../sim/report.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, minutes } from "../../sim/scenario.ts";
import type { Backends } from "../../sim/setup.ts";
import type { World } from "../../sim/world.ts";
import { WORLD_START } from "../../sim/world.ts";
import type { Person } from "../rpc/lone-node.ts";
import { person, pushFrame } from "../rpc/lone-node.ts";
import { at } from "./actors.ts";
import type { Ask } from "./answers.ts";
import { asksAbout, differentAnswerAmong } from "./answers.ts";
import { cameTo } from "./coverage.ts";
import type { Observation } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";
import { everyone } from "./story.ts";

const NODES = 5;
/** How long things are said and broken. */
const SPELL_MS = 40_000;
/** Nodes live three hours after the story began, so that every ingress takes its dates. */
const LIVES_AT = at(180);
/** A node's clock is off by this much at most: two of them are then as far apart as an honest ingress takes. */
const SKEW_MS_MAX = 150_000;

/** How a run went, and what a node held of it in the end. */
export interface Told {
  readonly report: RunReport;
  readonly labels: readonly string[];
}

/** Tells a story to nodes that keep our rules, or that play the reference. */
export async function toldToNodes(
  observations: readonly Observation[],
  seed: number,
  profile: "default" | "parity" = "default",
): Promise<Told> {
  const random = shuffleOf(seed);
  const statements = observations.flatMap((each) => (each.type === "statement" ? [each.statement] : []));
  const held: string[] = [];
  const scenario = defineScenario({
    name: "whole-nodes",
    description: "A story is told to nodes that are cut, crash and disagree about the time.",
    source: "CONVERGENCE",
    nodes: NODES,
    faults: [livingIn(LIVES_AT), relay(random.shuffled(statements), random), ...troubles(random)],
    lasts: SPELL_MS + 5_000,
    safety: [equalSetsEqualStates],
    liveness: { within: minutes(5), checks: [replicasConverge, equalAnswers(observations, random, profile)] },
    ending(world) {
      const view = world.nodes[0]?.driver()?.view;
      if (view !== undefined) held.push(...cameTo(view, observations), ...typesIn(view));
      return { columns: [], rows: [] };
    },
  });
  const { report } = await runScenario(scenario, { seed: BigInt(seed) }, backendsOf(profile));
  const bitten = report.faults.filter(({ effective }) => effective > 0);
  return { report, labels: [...held, ...bitten.map(({ kind }) => kind)] };
}

/** The usual parts of a world, every node under a profile. */
function backendsOf(name: "default" | "parity"): Backends {
  const backends = openBackends();
  if (name === "default") return backends;
  const profile = { ...backends.profile, parity: true };
  return { ...backends, profile, configure: (seat, chain) => ({ ...backends.configure(seat, chain), profile }) };
}

/** The types of which a node holds statements. */
function typesIn(view: Reader): readonly string[] {
  return [...new Set([...view.keys(Statements)].map((key) => `${view.get(Statements, key)?.type.name} held`))];
}

/** Puts every node's clock at an instant. */
function livingIn(instant: EpochMillis): FaultPlan {
  return {
    ...{ kind: "code", text: "nodes live when the story does", from: 0, until: 0, injects: [] },
    install: ({ nodes }) => nodes.forEach((node) => void node.skewClock(Number(instant - WORLD_START))),
  };
}

/** Somebody outside who pushes statements to nodes, each to one or two, some of them twice. */
function relay(statements: readonly Statement[], random: Shuffle): FaultPlan {
  const plans = [...statements, ...random.some(statements)].map((statement) => ({
    statement,
    when: 2_000 + random.below(SPELL_MS - 2_000),
    nodes: random.shuffled(Array.from({ length: NODES }, (_, index) => index)).slice(0, 1 + random.below(2)),
  }));
  return {
    ...{ kind: "code", text: "a relay tells the story", from: 0, until: SPELL_MS, injects: [] },
    install(world) {
      const relay = relayMember(world);
      for (const { statement, when, nodes } of plans) {
        world.loop.at(when, () => {
          const bytes = frameOf(statement, (LIVES_AT + BigInt(world.loop.now())) as EpochMillis);
          for (const node of nodes) relay(node, bytes);
        });
      }
    },
  };
}

/** A member of the network that dials whomever it speaks to, and answers nothing. */
function relayMember(world: World): (node: number, bytes: Uint8Array) => void {
  const { peer } = person(0xee);
  const address = `/ip4/10.9.9.9/tcp/4001/p2p/${peer}`;
  const port = joinNetwork(
    world.network,
    { peer, address, name: "relay" },
    {
      connected: () => undefined,
      disconnected: () => undefined,
      unreachable: () => undefined,
      measured: () => undefined,
      observed: () => undefined,
      received: (_, replyTo) => port.reply(replyTo, new Uint8Array(0)),
      answered: () => undefined,
      failed: () => undefined,
    },
  );
  let sent = 0;
  return (index, bytes) => {
    const node = world.nodes[index];
    if (node === undefined) return;
    port.dial(node.address);
    world.loop.after(500, () => port.send(node.wallet.peer, ++sent as RequestNumber, bytes));
  };
}

/** A push of a statement, signed by the one who says it. */
function frameOf({ type, payload, signer }: Statement, now: EpochMillis): Uint8Array {
  const by = everyone.find(({ peer }) => peer === signer);
  if (by === undefined) throw new Error("bug: nobody in the story signed this");
  return pushFrame(type as SignedType, payload as never, by as Person, now);
}

/** Two to four things that go wrong, each for a while. */
function troubles(random: Shuffle): readonly FaultPlan[] {
  const nodes = Array.from({ length: NODES }, (_, index) => index);
  const kinds = [
    (from: number, until: number) => {
      const cut = random.shuffled(nodes);
      const size = 1 + random.below(NODES - 1);
      return partition([cut.slice(0, size), cut.slice(size)], { from, until });
    },
    (from: number, until: number) => crash(random.below(NODES), { from, until }),
    (from: number, until: number) =>
      wrongClock(random.below(NODES), random.below(2 * SKEW_MS_MAX) - SKEW_MS_MAX, { from, until }),
    (from: number, until: number) => networkConditions({ loss: 200_000, duplication: 100_000 }, { from, until }),
  ];
  const some = random.shuffled(kinds).slice(0, 2 + random.below(3));
  return some.map((kind) => {
    const from = 1_000 + random.below(SPELL_MS - 10_000);
    return kind(from, from + 2_000 + random.below(10_000));
  });
}

/**
 * Nodes that hold the same answer the same, but for what each knows of itself and its peers. Nodes that play the
 * reference answer by its rules, with none of the clocks that each noted. Source: protocol 02 O.10.
 */
function equalAnswers(
  observations: readonly Observation[],
  random: Shuffle,
  profile: "default" | "parity",
): LivenessCheck {
  const asks = asksAbout(observations, random, at(35))
    .filter(({ local }) => !local)
    .map((ask): Ask => ({ ...ask, parity: ask.parity || profile === "parity" }))
    .filter(({ parity, showsWaiting }) => !parity || showsWaiting !== true);
  return {
    name: "equal-answers",
    missing(world) {
      const views = world.nodes.flatMap((node) => withoutClocks(node.driver()?.view) ?? []);
      return views.length < world.nodes.length ? "a node is down" : differentAnswerAmong(views, asks);
    },
  };
}

/** What a node notes by its own clock. */
const CLOCKS: readonly string[] = [ParityTimestamps.name, LateRequests.name];

/** A memory as it would be had this node noted no clock beside what changed or came. */
function withoutClocks(view: Reader | undefined): Reader | undefined {
  if (view === undefined) return undefined;
  const get: Reader["get"] = (table, key) => (CLOCKS.includes(table.name) ? undefined : view.get(table, key));
  return { ...view, get };
}
