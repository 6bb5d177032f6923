/**
 * What the clients of one server are told without asking: slots, logs, the fate of a signature, changes of an account.
 * Told when the chain moved, each at the level its client asked for. Source: Solana's RPC PubSub.
 */
import type { Result } from "../../../core/index.ts";
import { equalBytes, err, ok } from "../../../core/index.ts";
import type { ChainAccount } from "../executor.ts";
import { keysOf, mayWrite } from "../lookup-tables.ts";
import type { Commitment } from "../slots.ts";
import { commitments } from "../slots.ts";
import { accountJson, formOf } from "./account-json.ts";
import { filtersOf } from "./account-methods.ts";
import { notificationText } from "./json-rpc.ts";
import type { JsonValue } from "./json-text.ts";
import type { Params } from "./params.ts";
import { addressParam, configParam, levelOf, signatureParam } from "./params.ts";
import type { RpcError } from "./rpc-errors.ts";
import { errorJson, invalidParams, methodNotFound } from "./rpc-errors.ts";
import type { ChainView } from "./view.ts";

/** Subscriptions of one client. Source: DESIGN L10. */
export const SUBSCRIPTIONS_MAX = 1_000;
/** Executed transactions that have not reached a level yet, and how long one may take. Source: DESIGN L10. */
const UNSETTLED_MAX = 65_536;

/** What one subscription tells after the chain moved; `over` ends it. */
type Watcher = (view: ChainView, executed: ExecutedByLevel) => { readonly told: readonly JsonValue[]; over?: true };
export type ExecutedByLevel = Readonly<Record<Commitment, readonly string[]>>;

interface Subscription {
  readonly notification: string;
  readonly watcher: Watcher;
}

/** Transactions as they reach a level, for all clients of a server. */
export interface ExecutedFeed {
  /** Those that reached each level of the view since the last call. */
  next(view: ChainView): ExecutedByLevel;
}

export function openExecutedFeed(view: ChainView): ExecutedFeed {
  let seen = view.chain.recorder.since(0).count;
  const waiting: Record<Commitment, string[]> = { processed: [], confirmed: [], finalized: [] };
  return {
    next(now) {
      const { signatures, count } = now.chain.recorder.since(seen);
      seen = count;
      const reached: Record<Commitment, string[]> = { processed: [], confirmed: [], finalized: [] };
      for (const level of commitments) {
        const there = (signature: string) => now.transaction(signature, level) !== undefined;
        const line = [...new Set([...waiting[level], ...signatures])];
        reached[level] = line.filter(there);
        waiting[level] = line.filter((signature) => !there(signature)).slice(-UNSETTLED_MAX);
      }
      return reached;
    },
  };
}

/** The subscriptions of one client. */
export interface Subscriptions {
  /** Handles a method of the PubSub; the answer is its result. */
  call(view: ChainView, method: string, params: Params): Result<JsonValue, RpcError>;
  /** Subscriptions that stand. */
  count(): number;
  /** Texts to send after the chain moved. */
  moved(view: ChainView, executed: ExecutedByLevel): readonly string[];
}

export function openSubscriptions(): Subscriptions {
  const held = new Map<number, Subscription>();
  let next = 0;
  return {
    call(view, method, params) {
      if (method.endsWith("Unsubscribe")) {
        const known = typeof params[0] === "number" && held.delete(params[0]);
        return known ? ok(true) : invalidParams("Invalid subscription id.");
      }
      const open = openers.get(method);
      if (open === undefined) return err(methodNotFound);
      if (held.size >= SUBSCRIPTIONS_MAX) return invalidParams("Too many subscriptions.");
      const watcher = open(view, params);
      if (!watcher.ok) return watcher;
      const id = next++;
      held.set(id, { notification: method.replace("Subscribe", "Notification"), watcher: watcher.value });
      return ok(id);
    },
    count: () => held.size,
    moved(view, executed) {
      const texts: string[] = [];
      for (const [id, { notification, watcher }] of held) {
        const { told, over } = watcher(view, executed);
        for (const result of told) texts.push(notificationText(notification, id, result));
        if (over === true) held.delete(id);
      }
      return texts;
    },
  };
}

type Opener = (view: ChainView, params: Params) => Result<Watcher, RpcError>;

const openers: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ["slotSubscribe", (view) => ok(slotWatcher(view))],
  ["rootSubscribe", (view) => ok(rootWatcher(view))],
  ["logsSubscribe", logsWatcher],
  ["signatureSubscribe", signatureWatcher],
  ["accountSubscribe", accountWatcher],
  ["programSubscribe", programWatcher],
]);

/** What a client may subscribe to. */
export const subscriptionMethods: readonly string[] = [...openers.keys()];

function slotWatcher(view: ChainView): Watcher {
  let parent = view.slot("processed");
  return (now) => {
    const slot = now.slot("processed");
    if (slot === parent) return { told: [] };
    const told = [{ parent, root: now.slot("finalized"), slot }];
    parent = slot;
    return { told };
  };
}

function rootWatcher(view: ChainView): Watcher {
  let root = view.slot("finalized");
  return (now) => {
    const before = root;
    root = now.slot("finalized");
    return { told: root === before ? [] : [root] };
  };
}

function logsWatcher(_: ChainView, params: Params): Result<Watcher, RpcError> {
  const [filter] = params;
  const level = levelOf(configParam(params, 1));
  if (!level.ok) return level;
  let mentioned: string | undefined;
  if (filter !== "all" && filter !== "allWithVotes") {
    const { mentions } = (filter ?? {}) as { readonly mentions?: unknown };
    if (!Array.isArray(mentions) || mentions.length !== 1)
      return invalidParams("Invalid Request: Only 1 address supported");
    const address = addressParam(mentions, 0);
    if (!address.ok) return address;
    mentioned = address.value;
  }
  return ok((now, executed) => ({
    told: executed[level.value].flatMap((signature) => {
      const found = now.transaction(signature, level.value);
      if (found === undefined) return [];
      if (mentioned !== undefined && !keysOf(found.message, found.loaded).includes(mentioned)) return [];
      const value = { err: errorJson(found.err), logs: found.logs, signature };
      return [{ context: { slot: found.slot }, value }];
    }),
  }));
}

function signatureWatcher(_: ChainView, params: Params): Result<Watcher, RpcError> {
  const signature = signatureParam(params, 0);
  if (!signature.ok) return signature;
  const level = levelOf(configParam(params, 1));
  if (!level.ok) return level;
  return ok((now) => {
    const found = now.transaction(signature.value, level.value);
    if (found === undefined) return { told: [] };
    return { told: [{ context: { slot: now.slot(level.value) }, value: { err: errorJson(found.err) } }], over: true };
  });
}

function accountWatcher(view: ChainView, params: Params): Result<Watcher, RpcError> {
  const address = addressParam(params, 0);
  if (!address.ok) return address;
  const config = configParam(params, 1);
  const level = levelOf(config);
  if (!level.ok) return level;
  const form = formOf(config);
  if (!form.ok) return form;
  let shown = view.account(address.value, level.value);
  return ok((now) => {
    const before = shown;
    shown = now.account(address.value, level.value);
    const json = accountJson(shown ?? gone, form.value);
    if (sameAccount(before, shown) || json === undefined) return { told: [] };
    return { told: [{ context: { slot: now.slot(level.value) }, value: json }] };
  });
}

/** Accounts of a program that an executed transaction wrote, as they are at the level it reached. */
function programWatcher(_: ChainView, params: Params): Result<Watcher, RpcError> {
  const program = addressParam(params, 0);
  if (!program.ok) return program;
  const config = configParam(params, 1);
  const level = levelOf(config);
  if (!level.ok) return level;
  const form = formOf(config);
  if (!form.ok) return form;
  const filters = filtersOf(config);
  if (!filters.ok) return filters;
  return ok((now, executed) => {
    const written = executed[level.value].flatMap((signature) => {
      const found = now.transaction(signature, level.value);
      if (found?.err !== null) return [];
      return keysOf(found.message, found.loaded).filter((__, index) => mayWrite(found.message, found.loaded, index));
    });
    const told = [...new Set(written)].flatMap((pubkey) => {
      const account = now.account(pubkey, level.value);
      if (account?.owner !== program.value || !filters.value(account)) return [];
      const json = accountJson(account, form.value);
      if (json === undefined) return [];
      return [{ context: { slot: now.slot(level.value) }, value: { account: json, pubkey } }];
    });
    return { told };
  });
}

/** How an account that does not exist is shown to who watches it. */
const gone: ChainAccount = {
  lamports: 0n,
  owner: "11111111111111111111111111111111",
  data: new Uint8Array(0),
  executable: false,
};

function sameAccount(a: ChainAccount | undefined, b: ChainAccount | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return a.lamports === b.lamports && a.owner === b.owner && equalBytes(a.data, b.data);
}
