/**
 * Smaller scenarios than one: without some of its nodes, without a person, without a part of what actions and faults
 * say. Each is made of the scenario alone; whether it still breaks the law is asked in shrink.ts.
 * Source: DESIGN section 5 "Failure".
 */
import type { Result } from "../core/index.ts";
import type { Action } from "./action-kinds.ts";
import { ActionData, senselessAction } from "./action-kinds.ts";
import { checked } from "./data/plain.ts";
import { renumbered } from "./data/renumber.ts";
import { senselessFault } from "./fault-kinds.ts";
import type { FaultPlan } from "./fault-plans.ts";
import { FaultData } from "./fault-plans.ts";
import type { Scenario } from "./scenario.ts";

/** Without so many nodes from one on: later ones move up, and who talked to one that is gone talks to the first. */
export function withoutNodes(scenario: Scenario, from: number, count: number): Scenario {
  const nodes = scenario.nodes - count;
  const to = (node: number) => (node < from ? node : node < from + count ? undefined : node - count);
  const left = (members: readonly number[]) => members.flatMap((node) => to(node) ?? []);
  const { gossipOnly, confirmed, older, fileMakers } = scenario;
  return {
    ...scenario,
    ...{ nodes, nodesMin: Math.min(scenario.nodesMin, nodes) },
    ...{ gossipOnly: left(gossipOnly), confirmed: left(confirmed) },
    ...{ older: left(older), fileMakers: left(fileMakers) },
    actions: scenario.actions
      .flatMap((action) => movedAction(action, to) ?? [])
      .filter((action) => senselessAction(action, "", nodes) === undefined),
    faults: scenario.faults
      .flatMap((fault) => (fault.kind === "code" ? fault : (renumbered(FaultData, fault, to) ?? [])))
      .filter((fault) => senselessFault(fault, nodes) === undefined),
  };
}

function movedAction(action: Action, to: (node: number) => number | undefined): Action | undefined {
  const moved = action.via === undefined ? action : { ...action, via: to(action.via) ?? 0 };
  if (moved.kind === "code") return moved;
  const { via, ...rest } = moved;
  const other = renumbered(ActionData, rest, to);
  return other && (via === undefined ? other : { ...other, via });
}

/** Everyone who acts or has an account, in the order in which they are named. */
export function peopleOf({ actions, participants }: Scenario): readonly string[] {
  return [...new Set([...participants.map(({ name }) => name), ...actions.map(({ actor }) => actor)])];
}

/** Without some people, and all that they do. */
export function withoutPeople(scenario: Scenario, gone: readonly string[]): Scenario {
  const stays = (name: string) => !gone.includes(name);
  return {
    ...scenario,
    participants: scenario.participants.filter(({ name }) => stays(name)),
    actions: scenario.actions.filter(({ actor }) => stays(actor)),
  };
}

/** What actions and faults say, each part once though several may say it: objects and lists, the large ones first. */
export function contentsOf({ actions, faults }: Scenario): readonly object[] {
  const found = new Map<string, object>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    found.set(textOf(value), value);
    for (const member of Object.values(value)) collect(member);
  };
  for (const item of [...actions, ...faults]) if (item.kind !== "code") collect(item);
  return [...found].sort(([a], [b]) => b.length - a.length).map(([, value]) => value);
}

/** A value with one part less, for each part that it may do without; pieces of a list by ever smaller pieces. */
export function lesserOf(value: object): readonly object[] {
  if (Array.isArray(value)) return withoutPieces(value);
  return Object.keys(value).flatMap((name) => {
    const { [name]: _, ...rest } = value as Readonly<Record<string, unknown>>;
    // Which node somebody talks to is said to the last: without it the seed would say.
    return name === "via" ? [] : [rest];
  });
}

function withoutPieces(list: readonly unknown[]): readonly object[] {
  const smaller: object[] = [];
  for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < list.length; from += size) smaller.push(list.toSpliced(from, size));
  }
  return smaller;
}

/** The scenario in which everybody who said the one says the other; what that leaves out has its usual value. */
export function withContent(scenario: Scenario, one: object, another: object): Scenario {
  const before = textOf(one);
  const changed = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (textOf(value) === before) return another;
    if (Array.isArray(value)) return value.map(changed);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changed(member)]));
  };
  const each = <T extends Action | FaultPlan>(item: T, whole: (given: unknown) => Result<unknown, string>): T => {
    if (item.kind === "code") return item;
    const other = changed(item);
    const completed = whole(other);
    // What no longer fits its schema makes no sense, and the scenario is not tried.
    return (completed.ok ? completed.value : other) as T;
  };
  return {
    ...scenario,
    actions: scenario.actions.map((action) => each(action, (given) => checked(ActionData, given, ""))),
    faults: scenario.faults.map((fault) => each(fault, (given) => checked(FaultData, given, ""))),
  };
}

/** Equal for equal values. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}` : inner)) ?? "";
}
