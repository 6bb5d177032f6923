/**
 * Law L4: no public read ties a party to a trade. Every answer, stream message, metrics page and log line at default
 * level is searched for everyone who ever sent or was named in a statement, in every spelling. Allowed is what someone
 * published about themselves, member by member, what the caller asked about, and ids that their authors made up; a
 * proven reader also sees with whom he trades. Source: DESIGN L4; protocol 02 K, 03 A.2.2, 04 §6.7.
 */
import type { CallCounts, Counted } from "../../adapters/http/metrics.ts";
import { openCallCounts } from "../../adapters/http/metrics.ts";
import type { Reader, SignedType, Statement } from "../../core/index.ts";
import { gaugesOf, methods, transcript } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import type { Spotter } from "../spellings.ts";
import { createSpotter } from "../spellings.ts";
import type { Wallet } from "../wallet.ts";
import { FREE_TEXT_IDS, mayShow, TRADE_TRIGGERS } from "./published.ts";
import type { HeldCircles, SentStatement } from "./trade-circles.ts";
import { createTradeCircles, noCircles } from "./trade-circles.ts";

/** How often a node's metrics are read, in its steps. Source: DESIGN "Simulated world". */
const METRICS_EVERY = 64;

/** One call of a body. */
interface Called {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The call as it was written. */
  readonly text: string;
  /** Whether it is answered where others stand beside it. */
  readonly notification: boolean;
}

/** Where something was said, and on what grounds it may name people. */
interface Place {
  readonly node: number;
  readonly where: string;
  readonly method: string;
  /** What the caller said. */
  readonly answer: string;
  /** Whose wallet was proved, if any. */
  readonly proved?: Wallet | undefined;
}

/** A node's metrics page, as it is read now and then. */
interface Page {
  readonly counted: Counted;
  steps: number;
}

/** What was sent so far: who was named, who sent what, and the ids that people chose. */
interface Sent {
  readonly named: Set<Wallet>;
  readonly circles: HeldCircles;
  readonly sent: Map<Wallet, Set<string>>;
  readonly ids: Set<unknown>;
  /** Identities of statements that a node holds. */
  readonly observed: Set<string>;
  readonly pages: Map<number, Page>;
}

function nothingSent(): Sent {
  return {
    named: new Set(),
    circles: noCircles(),
    sent: new Map(),
    ids: new Set(),
    observed: new Set(),
    pages: new Map(),
  };
}

/** No public answer ties a person to a trade. Law L4. */
export function noPartyLeaks({ violate, people, keep }: CheckContext): Checker {
  const held = keep(nothingSent);
  const { sent, ids } = held;
  const known = createSpotter();
  for (const wallet of held.named) known.add(wallet);
  const circles = createTradeCircles(held.circles);
  const counts = new Map<number, CallCounts>();

  function search(place: Place, value: unknown): void {
    const { node, where, method, answer, proved } = place;
    for (const { wallet, path, text } of namesIn(known, value, [])) {
      const member = path.at(-1) ?? "";
      if (ids.has(text) && (FREE_TEXT_IDS.test(member) || (member === "result" && answersId(method)))) continue;
      const asked = spelledBy(answer, wallet);
      // An envelope gives the caller's own id and words back.
      if (asked && (path[0] === "id" || path[0] === "error")) continue;
      if (mayShow(method, member, (send) => [...(sent.get(wallet) ?? [])].some((one) => send.test(one)), asked))
        continue;
      if (proved !== undefined && (proved === wallet || circles.together(proved, wallet))) continue;
      const reader = proved === undefined ? "" : ` to ${proved.name}`;
      violate(`node ${node}: ${where} names ${wallet.name}${reader}, at ${path.join(".") || "its top"}`);
    }
  }

  function searchMetrics(node: number, view: Reader): void {
    const page = countsOf(node).page(gaugesOf(view));
    search({ node, where: "the metrics page", method: "", answer: "" }, page);
  }

  function pageOf(node: number): Page {
    const page = held.pages.get(node) ?? { counted: { requests: 0, errors: 0 }, steps: 0 };
    held.pages.set(node, page);
    return page;
  }

  function countsOf(node: number): CallCounts {
    const open = counts.get(node) ?? openCallCounts(pageOf(node).counted);
    counts.set(node, open);
    return open;
  }

  function remember(by: Wallet | undefined, { method, params }: Called): void {
    const { data } = params;
    const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!method.startsWith("send") || typeof data !== "string") return;
    const text = Buffer.from(data, "base64").toString("utf8");
    const named = nameAll(by, text);
    if (by === undefined) return;
    sent.set(by, (sent.get(by) ?? new Set()).add(method));
    const outer = parsed(text) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    const type = row?.mutation?.signed.find((one) => typeof outer?.[one.outer] === "object");
    const payload = type && outer[type.outer];
    if (type === undefined || !payload) return;
    share(type, payload, JSON.stringify(payload), named);
  }

  /** What a node holds, which may have come by gossip from somebody who called no node. */
  function observe({ type, signer, payload }: Statement): void {
    const by = [...people()].find(({ peer }) => peer === signer);
    const method = sendOf(type.name);
    if (by !== undefined && method !== undefined) sent.set(by, (sent.get(by) ?? new Set()).add(method));
    const text = new TextDecoder().decode(transcript(type, payload as never));
    share(type, parsed(text) as Readonly<Record<string, unknown>>, text, nameAll(by, text));
  }

  function nameAll(by: Wallet | undefined, text: string): readonly Wallet[] {
    const named = [...people()].filter((one) => one === by || text.includes(one.peer) || text.includes(one.publicKey));
    for (const wallet of named) {
      known.add(wallet);
      held.named.add(wallet);
    }
    return named;
  }

  function share(type: SignedType, payload: SentStatement["payload"], text: string, people: readonly Wallet[]): void {
    for (const [member, value] of leavesOf(payload)) if (FREE_TEXT_IDS.test(member)) ids.add(value);
    circles.remember({ type, payload, text, people });
  }

  return {
    name: "no-party-leaks",
    onCall({ node, by, request }) {
      countsOf(node).onCall();
      for (const call of callsIn(request)) remember(by, call);
    },
    onAnswer({ node, by, request, answer }) {
      countsOf(node).onAnswer(answer);
      // A batch answers its members in order, notifications left out.
      const told = parsed(answer);
      const calls = callsIn(request).filter(({ notification }) => !notification || !Array.isArray(told));
      listed(told).forEach((one, at) => {
        const { method, params, text } = calls[at] ?? { method: "", params: {}, text: request };
        const proved = isProof(method, params) ? by : undefined;
        if (proved === undefined && tellsOfTrades(one)) {
          violate(`node ${node}: the answer to ${method} shows a notification about a trade to nobody in it`);
        }
        search({ node, where: `the answer to ${method}`, method, answer: text, proved }, one);
      });
    },
    onPublished({ node, message }) {
      const { method } = (parsed(message) ?? {}) as { readonly method?: string };
      const where = `a message of /ws about ${method}`;
      search({ node, where, method: method ?? "", answer: "" }, parsed(message));
    },
    onLog({ node, level, event, fields }) {
      if (level === "debug") return;
      search({ node, where: `the log line ${event}`, method: "", answer: "" }, { event, fields });
    },
    onStep({ node, changes, view }) {
      for (const { table, key, record } of changes) {
        if (table !== Statements.name || record === undefined || held.observed.has(key)) continue;
        held.observed.add(key);
        observe(record as Statement);
      }
      const page = pageOf(node);
      page.steps += 1;
      if (page.steps % METRICS_EVERY === 0) searchMetrics(node, view);
    },
    onEnd({ nodes }) {
      for (const { node, view } of nodes) searchMetrics(node, view);
    },
  };
}

/** The send that takes a type. */
function sendOf(type: string): string | undefined {
  return Object.keys(methods).find((method) => methods[method]?.mutation?.signed.some(({ name }) => name === type));
}

/** Everyone whom a value names, where, and in which text; names of members are searched as well. */
function* namesIn(
  spotter: Spotter,
  value: unknown,
  path: readonly string[],
): Generator<{ readonly wallet: Wallet; readonly path: readonly string[]; readonly text?: string }> {
  if (typeof value === "string") {
    for (const wallet of spotter.inText(value)) yield { wallet, path, text: value };
  } else if (Array.isArray(value)) {
    for (const wallet of spotter.inBytes(value)) yield { wallet, path };
    for (const item of value) if (typeof item !== "number") yield* namesIn(spotter, item, path);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const wallet of spotter.inText(name)) yield { wallet, path: [...path, "(name)"] };
      yield* namesIn(spotter, member, [...path, name]);
    }
  }
}

/** Texts of a value, each with the member that holds it. */
function* leavesOf(value: unknown, member = ""): Generator<readonly [string, string]> {
  if (typeof value === "string") yield [member, value];
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* leavesOf(inner, Array.isArray(value) ? member : name);
  }
}

/** Whether an answer shows what became of a notification about a trade. Source: protocol 04 §6.7. */
function tellsOfTrades(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if ("notification_id" in value && "trigger" in value && TRADE_TRIGGERS.includes(value.trigger)) return true;
  return Object.values(value).some(tellsOfTrades);
}

/** Whether the result that goes with a send, or with its event, is the id that its author made up. */
function answersId(name: string): boolean {
  return Object.entries(methods).some(([method, { mutation }]) => {
    if (method === name) return mutation?.answers === "id";
    return mutation?.signed.some(({ events, creates }) => creates !== undefined && events.includes(name)) ?? false;
  });
}

/** Whether a call carries a proof of its caller's wallet, where a proof opens anything. */
function isProof(method: string, params: Readonly<Record<string, unknown>>): boolean {
  const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
  return (row?.access === "proof" || row?.proof !== undefined) && typeof params.signature === "string";
}

/** Whether the caller named the wallet first: an echo tells nobody anything. */
function spelledBy(request: string, wallet: Wallet): boolean {
  const spellings = [wallet.peer, wallet.publicKey, wallet.parameter("base64")];
  return spellings.some((spelling) => request.includes(spelling));
}

function callsIn(request: string): readonly Called[] {
  const body = parsed(request);
  return listed(body).map((call) => {
    const { method, params } = (call ?? {}) as { readonly method?: unknown; readonly params?: unknown };
    return {
      method: typeof method === "string" ? method : "",
      params: typeof params === "object" && params !== null ? { ...params } : {},
      text: Array.isArray(body) ? JSON.stringify(call) : request,
      notification: typeof call === "object" && call !== null && !("id" in call),
    };
  });
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
