/**
 * A network of notes of which some nodes take up a rule at a date and others do not, and what is wrong with how they
 * live through it. Source: CONVERGENCE "Profile".
 */
import type { EpochMillis } from "../../core/index.ts";
import { openDriver } from "../../core/index.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { openBackends } from "../../sim/backends.ts";
import type { Checker } from "../../sim/checker.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import { partition } from "../../sim/fault-plans.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import type { Backends } from "../../sim/setup.ts";
import { WORLD_START } from "../../sim/world.ts";
import { NoteWrite, notesNetwork, SHORT_NOTES } from "./notes-network.ts";

const NODES = 5;
/** The first node that lacks the rule. */
const OLD = 3;
const DATE = seconds(120);
const LONG = "longer than what the rule makes of a note, by far";

export interface Amended {
  readonly wrong: string | undefined;
  /** What nodes wrote into their logs, each line with the node's number before it. */
  readonly logged: readonly string[];
}

/** What is wrong, if anything. `named` gives the old nodes a network of another name. */
export async function amended({ named }: { readonly named?: string } = {}): Promise<Amended> {
  const logged: string[] = [];
  const seen = new Map<string, readonly string[]>();
  const scenario = defineScenario({
    name: "amended-notes",
    description: "Some nodes take up a rule at a date, others do not.",
    source: "CONVERGENCE, in another network",
    nodes: NODES,
    chain: "none",
    actions: [
      // Written on one side of a cut that heals before the date, and on one that heals after it.
      ...[write("ann", "before-new", seconds(10), 0), write("bob", "before-old", seconds(12), 4)],
      ...[write("cat", "after-new", seconds(140), 0), write("dan", "after-old", seconds(142), 4)],
      ...[seconds(110), seconds(230)].flatMap((at) => nodes().map((via) => look(at, via, seen))),
    ],
    faults: [cut(seconds(5), seconds(30)), cut(seconds(130), seconds(150))],
    lasts: seconds(235),
    safety: [],
    liveness: { within: seconds(10), checks: [] },
  });
  const watch = (): Checker => ({
    name: "logs",
    onEffect({ node, effect }) {
      if (effect.type === "log") logged.push(`${node} ${effect.event}`);
    },
  });
  await runScenario(scenario, { seed: 3n, watch: [watch] }, backendsOf(named));
  return { wrong: wrongIn(seen, logged), logged };
}

function wrongIn(seen: ReadonlyMap<string, readonly string[]>, logged: readonly string[]): string | undefined {
  const notesAt = (at: number, node: number) => seen.get(`${at} ${node}`) ?? [];
  const [before, after] = [seconds(110), seconds(230)];
  const all = ["before-new", "before-old"];
  const texts = nodes().map((node) => notesAt(before, node).join());
  if (!nodes().every((node) => all.every((id) => notesAt(before, node).includes(id))))
    return `nodes lack what was written before the date: ${texts.join("; ")}`;
  if (nodes().some((node) => node < OLD && notesAt(after, node).some((id) => id.startsWith("after"))))
    return "the rule is not in force";
  const ours = nodes()
    .slice(0, OLD)
    .map((node) => notesAt(after, node).join());
  if (new Set(ours).size > 1) return `new nodes disagree: ${ours.join("; ")}`;
  for (const node of nodes().slice(OLD)) {
    const warned = logged.filter((line) => line.startsWith(`${node} rules change`)).length;
    const behind = logged.filter((line) => line.startsWith(`${node} left behind`)).length;
    if (warned === 0 || behind === 0) return `an old node warns ${warned} times and ${behind} times is left behind`;
  }
  const alarmed = logged.filter((line) => / (rules change|left behind)/.test(line) && Number(line[0]) < OLD);
  return alarmed.length === 0 ? undefined : `a new node takes itself for an old one: ${alarmed[0]}`;
}

const nodes = () => Array.from({ length: NODES }, (_, node) => node);

function write(actor: string, id: string, at: number, via: number): Action {
  return {
    kind: "code",
    ...{ name: `write ${id}`, actor, at, via },
    *run(person) {
      yield* person.send("sendNote", NoteWrite, {
        id,
        author: person.wallet.peer,
        text: LONG,
        timestamp: person.now(),
      });
    },
  };
}

/** The ids of the notes that a node shows. */
function look(at: number, via: number, seen: Map<string, readonly string[]>): Action {
  return {
    kind: "code",
    ...{ name: "look", actor: "reader", at, via },
    *run(person) {
      const notes = (yield* person.must("getNotes", null)) as unknown as readonly { readonly id: string }[];
      seen.set(`${at} ${via}`, notes.map(({ id }) => id).sort());
    },
  };
}

/** Between the nodes that have the rule and those that have not. */
function cut(from: number, until: number): FaultPlan {
  return partition([nodes().slice(0, OLD), nodes().slice(OLD)], { from, until });
}

function backendsOf(named: string | undefined): Backends {
  const usual = openBackends();
  const amendments = [{ rule: SHORT_NOTES, from: (WORLD_START + BigInt(DATE)) as EpochMillis }];
  return {
    ...usual,
    openDriver: (options) => openDriver({ ...options, network: notesNetwork }),
    tables: notesNetwork.tables,
    configure(seat, chain) {
      const { profile, ...rest } = usual.configure(seat, chain);
      if (seat.index < OLD) return { ...rest, profile: { ...profile, amendments } };
      return { ...rest, profile: { ...profile, ...(named !== undefined && { name: named }) } };
    },
  };
}
