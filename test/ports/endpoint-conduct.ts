/**
 * What an endpoint may leave untold of a chain without a lie, and what it may do against a decision: conditions of a
 * served chain, by name. Source: protocol 03 A.10.3 R3, R4.
 */
import type { ServerConditions } from "../../sim/chain/server/conditions.ts";
import type { JsonValue } from "../../sim/chain/server/json-text.ts";
import type { Members } from "./rpc-chain-world.ts";

export type Conditions = Partial<ServerConditions>;
type Lie = NonNullable<ServerConditions["lie"]>;

const ofTransaction =
  (change: (meta: Members, told: Members) => JsonValue): Lie =>
  (method, _, result) => {
    if (method !== "getTransaction" || result === null) return result;
    const whole = result as Members;
    return change(whole.meta as Members, whole);
  };
const withMeta = (change: (meta: Members) => Members): Lie =>
  ofTransaction((meta, whole) => ({ ...whole, meta: change(meta) }));

const deniesTransactions = ofTransaction(() => null);
const cutsLogs = withMeta((meta) => ({ ...meta, logMessages: (meta.logMessages as JsonValue[]).slice(0, 1) }));
const callsItFailed = withMeta((meta) => ({ ...meta, err: "AccountInUse" }));
const listsNothing: Lie = (method, _, result) => (method === "getSignaturesForAddress" ? [] : result);
const showsNoAccounts: Lie = (method, [asked], result) => {
  if (method !== "getMultipleAccounts" && method !== "getAccountInfo") return result;
  const value = method === "getAccountInfo" ? null : (asked as readonly string[]).map(() => null);
  return { ...(result as Members), value };
};
const all =
  (...lies: readonly Lie[]): Lie =>
  (method, params, result) =>
    lies.reduce((told, lie) => lie(method, params, told), result);

/** What an endpoint may leave untold without a lie. */
export const partial: Readonly<Record<string, Conditions>> = {
  everything: {},
  "no metadata": {
    lie: withMeta((meta) => ({ ...meta, innerInstructions: null, loadedAddresses: null, logMessages: null })),
  },
  "no loaded addresses": { lie: withMeta((meta) => ({ ...meta, loadedAddresses: null })) },
  "no inner instructions": { lie: withMeta((meta) => ({ ...meta, innerInstructions: null })) },
  "no lists": { conduct: "fails", methods: ["getSignaturesForAddress"] },
};

/** What an endpoint may do against a decision. */
export const hostile: Readonly<Record<string, Conditions>> = {
  fails: { conduct: "fails" },
  "denies transactions": { lie: deniesTransactions },
  "cuts logs": { lie: cutsLogs },
  "calls it failed": { lie: callsItFailed },
  "lists nothing": { lie: listsNothing },
  "shows no accounts": { lie: showsNoAccounts },
};

/** What keeps a decision from a node that has no honest majority: accounts are not shown, and one thing besides. */
export const hiding: Readonly<Record<string, Conditions>> = {
  "denies transactions": { lie: all(deniesTransactions, showsNoAccounts) },
  "cuts logs": { lie: all(cutsLogs, showsNoAccounts) },
  "calls it failed": { lie: all(callsItFailed, showsNoAccounts) },
  "knows of nothing": { lie: all(listsNothing, deniesTransactions, showsNoAccounts) },
};
