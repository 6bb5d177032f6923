/**
 * What goes wrong between clients and nodes of a served network, as control was told: of the next requests that match,
 * so many are late, lost, or answered with an error that the node never gave. It is part of the world: a snapshot holds
 * it, and a session that is played again meets it again. Source: DESIGN section 6 "serve", L10.
 */
import type { ErrorCode, Json } from "../../core/index.ts";
import { isNumber, isObject, parseJson, refusalBody } from "../../core/index.ts";
import { isList } from "../../core/testing.ts";
import type { Loop } from "../clock.ts";
import type { Granted } from "../script.ts";

/** Rules at once, and requests that one is for. Source: DESIGN L10. */
export const CLIENT_FAULTS_MAX = 100;
export const REQUESTS_MAX = 10_000;
/** The longest delay, in milliseconds of the network's. Source: DESIGN L10. */
export const DELAY_MS_MAX = 600_000;

/** What becomes of a request that matches. */
export type ClientFault =
  /** It reaches its node so much later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** It never reaches its node, or its answer never reaches the client; the line is cut unless it stays open. */
  | { readonly kind: "drop"; readonly lost?: "request" | "answer"; readonly line?: "cut" | "open" }
  /** It never reaches its node: the client is answered a registered error. */
  | { readonly kind: "error"; readonly name: ErrorCode }
  /** It never reaches its node: HTTP refuses it. */
  | { readonly kind: "status"; readonly status: number };

/** Which requests a rule is for: all of them where nothing is said. */
export interface Matching {
  readonly node?: number;
  /** The name of a method, or its beginning and `*`. */
  readonly method?: string;
  /** A member of its parameters, by names between dots, and the text that it must be. */
  readonly where?: { readonly member: string; readonly equals: string };
}

/** A rule, how many requests it is still for, and how many it met. */
export interface Rule extends Matching {
  readonly id: string;
  readonly fault: ClientFault;
  left: number;
  met: number;
}

/** What a client gets in the place of an answer of its node. */
export type Broken = "cut" | "open" | { readonly status: number };

/** Told what came of a call: what the node answered, or what the client gets instead. */
export type Answered = (answer: Granted, broken?: Broken) => void;

/** A call of a client on its way. */
export interface ClientCall {
  readonly node: number;
  readonly body: string;
  readonly number: number;
}

/** The rules of one world. */
export interface ClientFaults {
  /** Adds a rule; nothing where as many stand already. */
  add(matching: Matching, fault: ClientFault, times: number): Rule | undefined;
  list(): readonly Rule[];
  /** Takes one away, or all; answers how many. */
  clear(id?: string): number;
  /** The first rule that a request meets; it is for one request less from now on. */
  meet(node: number, body: string): Rule | undefined;
  /** Hands a call to its node in so many milliseconds. */
  later(call: ClientCall, ms: number): void;
}

interface HeldFaults {
  rules: Rule[];
  made: number;
}

/** The rules of a world that was just opened; `arrive` hands a call to its node. */
export function openClientFaults(loop: Loop, arrive: (call: ClientCall) => void): ClientFaults {
  type Due = ClientCall & { readonly kind: "arrives" };
  const { held, after } = loop.part<HeldFaults, Due>("client faults", () => ({ rules: [], made: 0 }), arrive);
  return {
    add(matching, fault, times) {
      // What is used up goes first.
      const spent = held.rules.length < CLIENT_FAULTS_MAX ? -1 : held.rules.findIndex(({ left }) => left === 0);
      if (spent >= 0) held.rules.splice(spent, 1);
      if (held.rules.length >= CLIENT_FAULTS_MAX) return undefined;
      held.made += 1;
      const rule: Rule = { id: `fault-${held.made}`, ...matching, fault, left: times, met: 0 };
      held.rules.push(rule);
      return rule;
    },
    list: () => held.rules,
    clear(id) {
      const kept = id === undefined ? [] : held.rules.filter((rule) => rule.id !== id);
      const cleared = held.rules.length - kept.length;
      held.rules = kept;
      return cleared;
    },
    meet(node, body) {
      const live = held.rules.filter((rule) => rule.left > 0 && (rule.node ?? node) === node);
      const requests = live.length === 0 ? [] : requestsIn(body);
      const met = live.find((rule) => requests.some((request) => fits(rule, request)));
      if (met === undefined) return undefined;
      met.left -= 1;
      met.met += 1;
      return met;
    },
    later: (call, ms) => after(ms, { kind: "arrives", ...call }),
  };
}

/** A fault in words. */
export function faultLine(fault: ClientFault): string {
  switch (fault.kind) {
    case "delay":
      return `delay of ${fault.ms} ms`;
    case "drop":
      return `${fault.lost ?? "request"} lost, line ${fault.line ?? "cut"}`;
    case "error":
      return `error ${fault.name}`;
    case "status":
      return `HTTP ${fault.status}`;
  }
}

/** What a body is answered with in the place of its node: a registered error for each request that wants an answer. */
export function errorAnswer(body: string, code: ErrorCode): string {
  const read = parseJson(body);
  const answer = (request: Json) => refusalBody(code).replace('"id":null', () => `"id":${idIn(request)}`);
  if (!read.ok || !isList(read.value)) return answer(read.ok ? read.value : null);
  return `[${read.value.filter(wantsAnswer).map(answer).join(",")}]`;
}

/** The requests of a body; what is none matches a rule that is for every request. */
function requestsIn(body: string): readonly Json[] {
  const read = parseJson(body);
  if (!read.ok) return [null];
  return isList(read.value) ? read.value : [read.value];
}

function fits({ method, where }: Matching, request: Json): boolean {
  const members = isObject(request) ? request.members : undefined;
  return isNamed(members?.get("method"), method) && holds(members?.get("params"), where);
}

function isNamed(name: Json | undefined, method: string | undefined): boolean {
  if (method === undefined) return true;
  if (typeof name !== "string") return false;
  return method.endsWith("*") ? name.startsWith(method.slice(0, -1)) : name === method;
}

function holds(params: Json | undefined, where: Matching["where"]): boolean {
  if (where === undefined) return true;
  let node = params;
  for (const name of where.member.split(".")) node = memberOf(node, name);
  if (node === undefined) return false;
  const text = node !== null && isNumber(node) ? node.text : node;
  return (typeof text === "object" && text !== null ? undefined : String(text)) === where.equals;
}

function memberOf(node: Json | undefined, name: string): Json | undefined {
  if (node === undefined || node === null) return undefined;
  if (isList(node)) return node[Number(name)];
  return isObject(node) ? node.members.get(name) : undefined;
}

/** Of a batch, what bears no id is told nothing. */
function wantsAnswer(request: Json): boolean {
  return !isObject(request) || request.members.has("id");
}

function idIn(request: Json): string {
  const id = isObject(request) ? request.members.get("id") : undefined;
  if (typeof id === "string") return JSON.stringify(id);
  return id !== undefined && id !== null && isNumber(id) ? id.text : "null";
}
