/**
 * Every kind of action: its schema, and a row for what it comes to. The compiler demands a row for each.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Infer, Schema } from "../core/index.ts";
import { kinds } from "../core/testing.ts";
import type { ActionRow, ActionRows, CodeAction } from "./actions/action-row.ts";
import { askForms, askRows } from "./actions/ask.ts";
import { chainDisputeForms, chainDisputeRows } from "./actions/chain-dispute.ts";
import { chainTradeForms, chainTradeRows } from "./actions/chain-trade.ts";
import { compareForms, compareRows } from "./actions/compare.ts";
import { contentForms, contentRows } from "./actions/content.ts";
import { disputeForms, disputeRows } from "./actions/dispute.ts";
import { expectForms, expectRows } from "./actions/expect.ts";
import { governanceForms, governanceRows } from "./actions/governance.ts";
import { impersonateForms, impersonateRows } from "./actions/impersonate.ts";
import { oracleForms, oracleRows } from "./actions/oracle.ts";
import { proveAgainForms, proveAgainRows } from "./actions/prove-again.ts";
import { probeForms, probeRows } from "./actions/public-read-probe.ts";
import { publishForms, publishRows } from "./actions/publish.ts";
import { relayForms, relayRows } from "./actions/relays.ts";
import { sessionForms, sessionRows } from "./actions/session.ts";
import { snapshotForms, snapshotRows } from "./actions/snapshot.ts";
import { stakeForms, stakeRows } from "./actions/stake.ts";
import { taggedForms, taggedRows } from "./actions/tagged.ts";
import { tradeForms, tradeRows } from "./actions/trade.ts";
import { tradeEndForms, tradeEndRows } from "./actions/trade-ends.ts";
import { watchForms, watchRows } from "./actions/watch-dispute.ts";
import { checked } from "./data/plain.ts";
import type { Person } from "./person.ts";
import type { Scene } from "./scene.ts";
import type { Script } from "./script.ts";

const forms = {
  ...tradeForms,
  ...chainTradeForms,
  ...tradeEndForms,
  ...disputeForms,
  ...chainDisputeForms,
  ...stakeForms,
  ...relayForms,
  ...taggedForms,
  ...expectForms,
  ...watchForms,
  ...compareForms,
  ...askForms,
  ...contentForms,
  ...impersonateForms,
  ...oracleForms,
  ...probeForms,
  ...publishForms,
  ...snapshotForms,
  ...sessionForms,
  ...governanceForms,
  ...proveAgainForms,
};

type ActionForms = typeof forms;
/** The kinds of action that are data. */
export type ActionDataKind = keyof ActionForms;
/** An action of one kind as data. */
export type ActionOf<K extends ActionDataKind> = Infer<ActionForms[K]>;
/** An action as data. */
export type ActionData = { [K in ActionDataKind]: ActionOf<K> }[ActionDataKind];
export const ActionData: Schema<ActionData> = kinds<ActionData>(forms);

/** What one person does at one time. Written by the functions in sim/actions. */
export type Action = ActionData | CodeAction;

const rows: ActionRows<ActionForms> = {
  ...tradeRows,
  ...chainTradeRows,
  ...tradeEndRows,
  ...disputeRows,
  ...chainDisputeRows,
  ...stakeRows,
  ...relayRows,
  ...taggedRows,
  ...expectRows,
  ...watchRows,
  ...compareRows,
  ...askRows,
  ...contentRows,
  ...impersonateRows,
  ...oracleRows,
  ...probeRows,
  ...publishRows,
  ...snapshotRows,
  ...sessionRows,
  ...governanceRows,
  ...proveAgainRows,
};

/** The row of an action's own kind. */
function rowOf<A extends ActionData>(action: A): ActionRow<A> {
  return rows[action.kind] as unknown as ActionRow<A>;
}

/** What an action is called, for people. */
export function actionTitle(action: Action): string {
  return action.kind === "code" ? action.name : rowOf(action).title(action);
}

/** What the actor does. */
export function actionScript(person: Person, scene: Scene, action: Action): Script {
  return action.kind === "code" ? action.run(person, scene) : rowOf(action).run(person, scene, action);
}

/** Loads what actions need that not everybody has installed. */
export async function prepareActions(actions: readonly Action[]): Promise<void> {
  for (const action of actions) if (action.kind !== "code") await rowOf(action).prepare?.();
}

/** Why an action makes no sense in a network of so many nodes, if so; `path` names the action. */
export function senselessAction(action: Action, path: string, nodes: number): string | undefined {
  const { at, via } = action;
  if (action.kind === "code") {
    if (!Number.isSafeInteger(at) || at < 0) return `${path}.at: ${at} is no whole millisecond`;
  } else {
    const misfits = checked(ActionData, action, path);
    if (!misfits.ok) return misfits.error;
  }
  const isThere = (node: number) => Number.isInteger(node) && node >= 0 && node < nodes;
  if (via !== undefined && !isThere(via)) return `${path}.via: ${noNode(via, nodes)}`;
  if (action.kind === "code") return undefined;
  const row = rowOf(action);
  const missing = row.nodes?.(action).find((node) => !isThere(node));
  const found = missing === undefined ? row.check?.(action) : noNode(missing, nodes);
  return found === undefined ? undefined : `${path}: ${found}`;
}

function noNode(missing: number, nodes: number): string {
  return `there is no node ${missing}; nodes are 0 to ${nodes - 1}`;
}
