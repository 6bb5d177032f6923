/**
 * Nodes that hear the same, each late in its own way, and seal by their own clocks: they end with equal roots, the same
 * is read, and nothing is sealed that is not held. Source: CONVERGENCE B1, B6, B7.
 */
import { reviewsOfParty } from "../../core/domains/reviews/views.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import { entriesOf, grantsOf } from "../../core/domains/trade-channel/views.ts";
import { CLOCK_SKEW_MS_MAX, RECOVERY_AGE_MS_MAX } from "../../core/engine/admission/ingress.ts";
import { isAboutSealed, isSealed, Seals, Statements } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { merchant, rival, stranger, taker } from "./actors.ts";
import { difference } from "./convergence-law.ts";
import type { Replica } from "./replica.ts";
import { openReplica, received, recordsText, rootsOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";

const HOUR_MS = 3_600_000n;
const MINUTE_MS = 60_000;
const DAY_MS = 24n * HOUR_MS;
/** A statement comes this much before every ingress refuses it, whatever the clock. */
const LATE_MINUTES = (RECOVERY_AGE_MS_MAX - 2 * CLOCK_SKEW_MS_MAX) / MINUTE_MS;
/** What waits and is looked at in one step, on the nodes that have a queue. */
const FEW = 3;
const NODES = 3;

/** What is wrong once all heard everything, or labels of what came about. */
export function usedAgainError(statements: readonly Statement[], seed: number): string | readonly string[] {
  const nodes = Array.from({ length: NODES }, (_, n) => living(statements, shuffleOf(seed + n), n === 0));
  const [first, ...others] = nodes as [Life, ...Life[]];
  for (const { node, refused } of nodes) {
    const store = node.store();
    if (refused.length > 0) return `refused as sealed: ${refused.join(", ")}`;
    const lost = [...store.keys(Seals)].filter((key) => store.get(Statements, key) === undefined);
    if (lost.length > 0) return `seals of nothing: ${lost.join(", ")}`;
  }
  for (const { node } of others) {
    if (rootsOf(node) !== rootsOf(first.node)) return difference(recordsText(first.node), recordsText(node)) || "roots";
    if (readOf(node) !== readOf(first.node)) return difference(readOf(first.node), readOf(node));
  }
  return nodes.some(({ isEarly }) => isEarly) ? ["something comes after a seal"] : [];
}

interface Life {
  readonly node: Replica;
  readonly refused: readonly string[];
  /** Whether something was sealed before the last statement came. */
  readonly isEarly: boolean;
}

/** A node's life: it hears everything once, at once or up to two weeks late, and starts again now and then. */
function living(statements: readonly Statement[], { below }: ReturnType<typeof shuffleOf>, isPrompt: boolean): Life {
  const skew = BigInt((below(11) - 5) * MINUTE_MS);
  const node = openReplica(true, below(2) === 0 ? Infinity : FEW);
  const late = isPrompt ? 1 : LATE_MINUTES;
  const arrivals = statements
    .map((statement) => ({ statement, when: statement.timestamp + BigInt(below(late) * MINUTE_MS) }))
    .sort((a, b) => (a.when < b.when ? -1 : a.when > b.when ? 1 : 0));
  const refused: string[] = [];
  let hour = 0n;
  const sealAt = (when: bigint) => {
    node.attach(Infinity);
    node.seal(when as EpochMillis);
  };
  for (const { statement, when } of arrivals) {
    if ((when + skew) / HOUR_MS !== hour) sealAt(when + skew);
    hour = (when + skew) / HOUR_MS;
    if (isAboutSealed(node.store(), statement)) refused.push(`${statement.type.name} ${statement.identity}`);
    else node.receive(received(statement));
    if (below(25) === 0) {
      node.attach(Infinity);
      node.restart();
    }
  }
  const isEarly = arrivals.some(({ statement }) => isSealed(node.store(), statement.identity));
  const end = (arrivals.at(-1)?.when ?? 0n) + 50n * DAY_MS;
  for (const days of [0n, 20n, 60n]) sealAt(end + days * DAY_MS);
  if (below(2) === 0) node.restart();
  return { node, refused, isEarly };
}

/** What is read of channels and reviews: no record holds it. */
function readOf(node: Replica): string {
  const store = node.store();
  const channels = [...store.keys(Settlements)].sort(compareText).flatMap((identity) => {
    const row = store.get(Settlements, identity);
    const followed = row && { identity: identity as never, row };
    return followed === undefined ? [] : [[identity, grantsOf(store, followed), entriesOf(store, followed)]];
  });
  const reviews = [taker, merchant, rival, stranger].map(({ peer }) => reviewsOfParty(store, peer));
  return [...channels, ...reviews].map((each) => JSON.stringify(each, textOf)).join("\n");
}

function textOf(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}
