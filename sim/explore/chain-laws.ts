/**
 * What must hold between nodes and the chain: a node holds a fact for good only when the chain has it for final, and
 * for a while only what its own endpoint showed; when nothing is left to happen, it holds what the chain finally did.
 * Read from accounts by their offsets, apart from the core. Source: protocol 03 A.10.3 R1b, R3, R4, R6; DESIGN L3.
 */
import type { Commitment } from "../../core/index.ts";
import { ChainFacts, PendingFacts } from "../../core/testing.ts";
import { closingOfAccount } from "../checkers/closings.ts";
import type { ChainTale } from "./chain-tale.ts";
import type { Broken } from "./laws.ts";
import type { WorldState } from "./moves.ts";
import type { Machine, NodeValue } from "./node-machine.ts";
import type { SmallWorld } from "./small-world.ts";

export interface ChainLaws {
  /** Asked of every state. */
  always(state: WorldState): Broken | undefined;
  /** Asked where nothing but faults can happen. */
  atEnd(state: WorldState): Broken | undefined;
}

const NOTHING: ChainLaws = { always: () => undefined, atEnd: () => undefined };
/** Values and stages are told apart by one number: there are fewer stages than this. */
const STAGES = 1_024;

/** The laws of a chain; none where there is no chain. */
export function chainLaws(tale: ChainTale | undefined, machines: readonly Machine[], world: SmallWorld): ChainLaws {
  if (tale === undefined) return NOTHING;
  const closings = closingsOf(tale, machines[0]?.configuration.profile.escrowProgram ?? "");
  const judged = new Set<number>();
  const connected = machines.flatMap(({ configuration }, node) =>
    configuration.chain === "RpcConnected" ? [node] : [],
  );

  function always(state: WorldState): Broken | undefined {
    const { chain } = world.environmentAt(state.environment);
    for (const node of connected) {
      const value = state.nodes[node] as number;
      const key = (value * STAGES + chain) * machines.length + node;
      if (judged.has(key)) continue;
      judged.add(key);
      const early = held(world.nodeAt(value)).find(({ reservation, isFinal }) => {
        const mayBeUndone = !isFinal && machines[node]?.configuration.chainCommitment === "confirmed";
        return !(mayBeUndone ? closings.ever(chain, reservation) : closings.at(chain, "finalized", reservation));
      });
      if (early !== undefined)
        return broken("facts-are-final", `node ${node} holds that ${early.reservation} is closed`);
    }
    return undefined;
  }

  function atEnd(state: WorldState): Broken | undefined {
    const { chain } = world.environmentAt(state.environment);
    for (const node of connected) {
      const facts = held(world.nodeAt(state.nodes[node] as number));
      const done = closings.all(chain);
      const missing = done.find(
        (reservation) => !facts.some((fact) => fact.isFinal && fact.reservation === reservation),
      );
      if (missing !== undefined)
        return broken("decisions-are-seen", `node ${node} does not hold that ${missing} is closed`);
    }
    return undefined;
  }

  return { always, atEnd };
}

function broken(check: string, message: string): Broken {
  return { check, message };
}

/** The facts of a node, and whether it still waits for what may undo them. */
function held({ driver }: NodeValue): readonly { readonly reservation: string; readonly isFinal: boolean }[] {
  const tables = driver?.memory.tables;
  const pending = tables?.get(PendingFacts.name)?.rows;
  return [...(tables?.get(ChainFacts.name)?.rows ?? [])].map(([key, { record }]) => ({
    reservation: String((record as { readonly reservation: bigint }).reservation),
    isFinal: pending?.has(key) !== true,
  }));
}

/** Which escrows are closed at which stage. */
function closingsOf(tale: ChainTale, program: string) {
  const of = (level: Commitment) =>
    tale.map(({ accounts }) =>
      [...accounts[level].values()].flatMap((account) => closingOfAccount(account, program)?.reservation ?? []),
    );
  const closed: Readonly<Record<Commitment, readonly (readonly string[])[]>> = {
    confirmed: of("confirmed"),
    finalized: of("finalized"),
  };
  const at = (stage: number, level: Commitment, reservation: string) =>
    closed[level][stage]?.includes(reservation) === true;
  return {
    at,
    all: (stage: number) => closed.finalized[stage] ?? [],
    /** Whether it was closed at this stage or at one before it. */
    ever(stage: number, reservation: string): boolean {
      for (let here: number | undefined = stage; here !== undefined; here = tale[here]?.after)
        if (at(here, "confirmed", reservation)) return true;
      return false;
    },
  };
}
