/**
 * Every method of control, by its name: whatever knows them all is a fold over this table.
 * Source: DESIGN section 6 "serve".
 */
import { chainMethods } from "./chain-methods.ts";
import { chainViewMethods } from "./chain-view-methods.ts";
import { explainMethods } from "./explain-methods.ts";
import { faultMethods } from "./fault-methods.ts";
import { marketMethods } from "./market-methods.ts";
import { memberMethods } from "./member-methods.ts";
import type { ControlMethod } from "./method.ts";
import { networkMethods } from "./network-methods.ts";
import { scenarioMethods } from "./scenario-methods.ts";
import { sessionMethods } from "./session-methods.ts";
import { timeMethods } from "./time-methods.ts";
import { watchMethods } from "./watch-methods.ts";
import { worldMethods } from "./world-methods.ts";

export const controlMethods = {
  ...timeMethods,
  ...chainMethods,
  ...chainViewMethods,
  ...networkMethods,
  ...memberMethods,
  ...faultMethods,
  ...worldMethods,
  ...marketMethods,
  ...scenarioMethods,
  ...watchMethods,
  ...explainMethods,
  ...sessionMethods,
};

/** The methods with their types. */
export type ControlMethods = typeof controlMethods;
/** A row whose types are not known. */
// biome-ignore lint/suspicious/noExplicitAny: rows differ in their parameters and results; their schemas check both
export type AnyMethod = ControlMethod<any, any>;

/** The row of a name. */
export function methodOf(name: string): AnyMethod | undefined {
  return Object.hasOwn(controlMethods, name) ? controlMethods[name as keyof ControlMethods] : undefined;
}
