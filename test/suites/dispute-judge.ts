/**
 * Plays a story of disputes and judges it by the chain: in the end every node with an endpoint shows of each dispute
 * what the finalized chain says and nothing more, no node without one shows an outcome, and no node that waits for
 * finality ever showed another. Source: protocol 03 A.10.3; DESIGN L2, L3.
 */

import { PendingFacts } from "../../core/domains/chain-bridge/tables.ts";
import { disputeIn } from "../../core/domains/trade/disputes/panels.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { readCase } from "../../core/solana/accounts.ts";
import type { ParsedMessage } from "../../core/testing.ts";
import { chainAddresses, simulatedProfile } from "../../core/testing.ts";
import { openBackends } from "../../sim/backends.ts";
import type { Checker } from "../../sim/checker.ts";
import type { LivenessCheck } from "../../sim/liveness.ts";
import type { RunReport } from "../../sim/report.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { ChainSupply } from "../../sim/setup.ts";
import type { World } from "../../sim/world.ts";
import type { DisputeStory } from "./dispute-stories.ts";
import { CONFIRMED, casesOf, disputesScenario, GOSSIP_ONLY } from "./dispute-stories.ts";

/** What became of a story. */
export interface Judged {
  /** What is wrong, if anything. */
  readonly wrong: string | undefined;
  /** By dispute, what the finalized chain says of it. */
  readonly truths: ReadonlyMap<string, string>;
  /** Facts that nodes took back. */
  readonly undone: number;
  /** Executions that opened another round. */
  readonly reopened: number;
  readonly report: RunReport;
}

type Executor = "bankrun" | "litesvm" | "model";

export const UNDECIDED = "undecided";
/** Between two looks at everything, while something is wrong. */
const LOOK_MS = 5_000;
/** Discriminator of an execution. Source: protocol 03 D.4. */
const EXECUTE = "9e38eebbdbdfd463";

/** How a story is played when the judge is to be seen alone. */
interface JudgeOptions {
  /** Without the checkers that read along. */
  readonly alone: boolean;
  /** How long everything may take to come right, in milliseconds. */
  readonly within: number;
}

/** What a node that waits for finality, or has no endpoint of the chain, once showed of a dispute. */
interface ShownOutcome {
  readonly node: number;
  readonly id: string;
  readonly outcome: string;
}

export async function playDisputes(
  story: DisputeStory,
  seed: bigint,
  chain: Executor,
  options?: JudgeOptions,
): Promise<Judged> {
  const backends = openBackends();
  const scenario = disputesScenario(story, chain);
  const at = chainAddresses(backends.crypto, simulatedProfile);
  let supply: ChainSupply | undefined;
  const truths = new Map<string, string>();
  const shown: ShownOutcome[] = [];
  const counts = { undone: 0, reopened: 0 };

  /** What the finalized chain says of each dispute, and which transactions closed any of their escrows. */
  const readChain = (): ReadonlySet<string> => {
    const closing = new Set<string>();
    counts.reopened = 0;
    for (const { story: told, terms } of casesOf(story)) {
      const { reservation } = terms.trade;
      let truth = UNDECIDED;
      const account = supply?.cluster.account(at.disputeCase(reservation).address);
      const found = account && readCase(simulatedProfile, account);
      const listed = supply?.cluster.signaturesForAddress(at.tradeEscrow(reservation).address) ?? [];
      const executions = listed.filter(({ err, message }) => err === null && executes(message));
      // Logs may be cut: that the case is decided its account says, and of executions only the newest decided it.
      const decided = found?.ok && found.value.resolved ? executions[0] : undefined;
      if (decided !== undefined) closing.add(decided.signature);
      if (decided && found?.ok && !told.squatted) truth = `${found.value.outcome ?? "split"} by ${decided.signature}`;
      counts.reopened += executions.length - (decided === undefined ? 0 : 1);
      truths.set(terms.id, truth);
    }
    return closing;
  };

  let looked: { readonly at: number; readonly lacks: string | undefined } | undefined;
  const asTheChainDecided: LivenessCheck = {
    name: "as-the-chain-decided",
    missing(world) {
      const now = world.loop.now();
      if (looked?.lacks === undefined || now >= looked.at + LOOK_MS)
        looked = { at: now, lacks: wrongIn(world, truths, readChain()) };
      return looked.lacks;
    },
  };
  const watcher = (): Checker => ({
    name: "watcher",
    onAnswer({ node, request, answer }) {
      if (CONFIRMED.includes(node) || !request.includes('"getDisputes"')) return;
      const { result = [] } = JSON.parse(answer) as { readonly result?: readonly Shown[] };
      for (const row of result) shown.push({ node, id: row.id, outcome: outcomeOf(row) });
    },
    onLog({ event }) {
      if (event === "chain fact undone") counts.undone += 1;
    },
  });
  const judged: Scenario = {
    ...scenario,
    safety: options?.alone === true ? [watcher] : [...scenario.safety, watcher],
    liveness: {
      within: options?.within ?? scenario.liveness.within,
      checks: [...scenario.liveness.checks, asTheChainDecided],
    },
  };
  const openChain: typeof backends.openChain = async (setting) => {
    supply = await backends.openChain(setting);
    return supply;
  };
  const { report } = await runScenario(judged, { seed, chain }, { ...backends, openChain });
  const [violation] = report.violations;
  const wrong = violation === undefined ? shownEarly(shown, truths) : `${violation.check}: ${violation.message}`;
  return { wrong, truths, ...counts, report };
}

/** What was shown that the finalized chain does not say; a node without an endpoint has nothing to show. */
function shownEarly(shown: readonly ShownOutcome[], truths: ReadonlyMap<string, string>): string | undefined {
  const early = shown.find(({ node, id, outcome }) => {
    if (outcome === UNDECIDED) return false;
    return GOSSIP_ONLY.includes(node) || !isTrue(outcome, truths.get(id));
  });
  return early && `node ${early.node} once showed ${early.id} ${early.outcome}, the chain says ${truths.get(early.id)}`;
}

/** Whether a message holds an execution. */
function executes(message: ParsedMessage): boolean {
  return message.instructions.some(({ data }) => Buffer.from(data.subarray(0, 8)).toString("hex") === EXECUTE);
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly resolution: string | null;
  readonly terminal_split: string | null;
  readonly onchain_execution_signature: string | null;
}

/** What a case comes to, status and outcome in one: they say the same, or it reads like nothing the chain can say. */
function outcomeOf(row: Shown): string {
  const { status, resolution, terminal_split: split, onchain_execution_signature: signature } = row;
  if (resolution === null && split === null && signature === null)
    return status === "Resolved" ? "Resolved by nobody" : UNDECIDED;
  const outcome = `${resolution ?? (split === null ? "nothing" : "split")} by ${signature}`;
  return status === "Resolved" ? outcome : `${outcome}, yet ${status}`;
}

/** What any node holds otherwise than the chain has it. */
function wrongIn(world: World, truths: ReadonlyMap<string, string>, closing: ReadonlySet<string>): string | undefined {
  const roots = new Set<string>();
  /** Facts, and whether a node knows who brought each about. */
  const facts = new Map<string, boolean>();
  for (const { index, name, driver } of world.nodes) {
    const view = driver()?.view;
    if (view === undefined) return `${name} is down`;
    const blind = GOSSIP_ONLY.includes(index);
    for (const key of view.keys(Disputes)) {
      const held = view.get(Disputes, key);
      const row = held && disputeIn(view, held);
      const truth = blind ? UNDECIDED : truths.get(row?.id ?? "");
      if (row !== undefined && !isTrue(outcomeOf(row), truth))
        return `${name} shows ${row.id} ${outcomeOf(row)}, not ${truth}`;
    }
    if (view.size(PendingFacts) > 0) return `${name} is still unsure of a transaction`;
    for (const key of view.keys(ChainFacts)) {
      const signature = view.get(ChainFacts, key)?.transaction ?? null;
      if (blind || (signature !== null && !closing.has(signature)))
        return `${name} holds a fact of ${signature}, which closed nothing`;
      facts.set(key, facts.get(key) === true || signature !== null);
    }
    if (!blind) roots.add(JSON.stringify(world.rootsOf(index)));
  }
  if ([...facts.values()].includes(false)) return "nobody knows what brought a fact about";
  return roots.size === 1 ? undefined : "nodes with endpoints differ";
}

/** Whoever read the decision from accounts need not know the transaction. */
function isTrue(outcome: string, truth: string | undefined): boolean {
  if (outcome === truth) return true;
  return outcome.endsWith(" by null") && truth?.startsWith(outcome.slice(0, -"null".length)) === true;
}
