/**
 * What a method of control is: one row, from which dispatch, document, docs page and typed client derive.
 * Source: DESIGN section 6 "serve".
 */
import type { Fields, Result, Schema } from "../../../core/index.ts";
import { err } from "../../../core/index.ts";
import type { PlainOf } from "../../data/optional.ts";
import { plain } from "../../data/optional.ts";
import type { Scenario } from "../../scenario.ts";
import type { LiveWorldOptions } from "../live-world.ts";
import type { SavedState } from "../network-state.ts";
import type { NodeApis } from "../node-apis.ts";
import type { Pace } from "../wall-clock.ts";
import type { WorldHost } from "../world-host.ts";
import type { ControlErrorName, ControlFailure } from "./errors.ts";
import type { Snapshots } from "./snapshots.ts";

/** The network as methods of control reach it. */
export interface Controlled {
  readonly options: LiveWorldOptions & { readonly pace: number };
  readonly host: WorldHost;
  readonly pace: Pace;
  readonly apis: NodeApis;
  readonly snapshots: Snapshots;
  /** Keeps the whole network where it is kept; or says in one line why it is not. */
  readonly save: () => Promise<Result<SavedState, string>>;
  /** The scenarios that have a name. */
  readonly scenarios: () => Promise<readonly Scenario[]>;
}

/** What a method comes to. */
export type Outcome<R> = Result<R, ControlFailure>;

/** One method of control. */
export interface ControlMethod<P extends object, R> {
  /** What it does, for whoever calls it. */
  readonly doc: string;
  readonly group: string;
  readonly params: Schema<P> & { readonly fields: Fields };
  readonly result: Schema<R>;
  /** What it refuses besides what every method does. */
  readonly errors: readonly ControlErrorName[];
  /** Whether it waits for the network to do something by itself; the others are alone with the world meanwhile. */
  readonly waits: boolean;
  readonly run: (network: Controlled, params: P) => Promise<Outcome<R>> | Outcome<R>;
}

interface Described<F extends Fields, R> {
  readonly doc: string;
  readonly group: string;
  readonly params: F;
  readonly result: Schema<R>;
  readonly errors?: readonly ControlErrorName[];
  readonly run: ControlMethod<PlainOf<F>, R>["run"];
}

/** A method that is alone with the world while it runs. */
export function method<const F extends Fields, R>(row: Described<F, R>): ControlMethod<PlainOf<F>, R> {
  return { ...row, params: plain("params", row.params), errors: row.errors ?? [], waits: false };
}

/** A method that waits while others go on. */
export function waiting<const F extends Fields, R>(row: Described<F, R>): ControlMethod<PlainOf<F>, R> {
  return { ...method(row), waits: true };
}

/** A refusal. */
export function refuse(name: ControlErrorName, message: string): Result<never, ControlFailure> {
  return err({ name, message });
}

/** Why there is no such node, if so. */
export function lacksNode(
  { host }: Controlled,
  ...nodes: readonly number[]
): Result<never, ControlFailure> | undefined {
  const there = host.nodes().map(({ index }) => index);
  const missing = nodes.find((node) => !there.includes(node));
  if (missing === undefined) return undefined;
  const length = host.world().nodes.length;
  const left = length - there.length;
  const named = `nodes are 0 to ${length - 1}${left === 0 ? "" : `, ${left} of which left`}`;
  return refuse(
    "UNKNOWN_NODE",
    missing < length ? `node ${missing} has left` : `there is no node ${missing}; ${named}`,
  );
}

/** Moves the network's time on to an instant, and its pace with it. Only within `exclusive`. */
export async function jumpTo({ host, pace }: Controlled, to: number): Promise<void> {
  await host.advance(to);
  pace.rebase();
}
