/**
 * What became of a statement by its identity: whether a node holds it, whether it waits there and for what, whether
 * nothing comes of it; and the request that brings it to a node that has it not. It is found with any node, or among
 * what clients sent and every node refused. Source: CONVERGENCE "Three layers", "Records and ids", B6; DESIGN section 6
 * "serve".
 */
import type { Json, Schema } from "../../../core/index.ts";
import {
  decodeJson,
  fromBase64,
  isObject,
  methods,
  parseJson,
  toBase64,
  transcript,
  utf8,
} from "../../../core/index.ts";
import type { Statement } from "../../../core/testing.ts";
import { identityOf, isOutsideLife, Pending, Statements } from "../../../core/testing.ts";
import type { SimNode } from "../../sim-node.ts";
import type { WorldHost } from "../world-host.ts";

/** The request that brings a statement to a node; nothing where nobody has ever had it. */
export function requestOf(host: WorldHost, identity: string): string | undefined {
  for (const { driver } of host.nodes()) {
    const view = driver()?.view;
    const found = view?.get(Statements, identity) ?? view?.get(Pending, identity);
    if (found !== undefined) return written(found);
  }
  const calls = host
    .live()
    .session.rows()
    .flatMap((row) => (row.kind === "call" ? [row.body] : []));
  return calls.reverse().find((body) => identityIn(host, body) === identity);
}

/** What a node that is up made of a statement; nothing where it has it not. */
export function fateOf({ driver }: SimNode, identity: string) {
  const view = driver()?.view;
  const waiting = view?.get(Pending, identity);
  const held = view?.get(Statements, identity);
  if (waiting !== undefined)
    return { outcome: "waiting", check: "parent-is-known", message: `it waits for ${parentOf(waiting)}` };
  if (view === undefined || held === undefined) return undefined;
  if (held.idForm === "void")
    return {
      outcome: "without effect",
      check: "id-is-its-own",
      message: "its id looks like a hash, and is not its own",
    };
  if (isOutsideLife(view, held))
    return {
      outcome: "without effect",
      check: "within-life",
      message: `it is dated outside the life of ${parentOf(held)}`,
    };
  return { outcome: "held", check: null, message: `among the statements of ${held.type.name}` };
}

function parentOf({ type, payload }: Statement): string {
  const parent = type.about(payload as never);
  return parent === undefined ? "nothing" : `${parent.kind} ${parent.name}`;
}

/** As a client sends it. */
function written({ type, payload, tagged, bare }: Statement): string {
  const method = Object.entries(methods).find(([, row]) => row.mutation?.signed.some(({ name }) => name === type.name));
  const json = new TextDecoder().decode(transcript(type, payload as never));
  const signature = JSON.stringify(tagged ?? bare);
  const data = toBase64(utf8(`{${JSON.stringify(type.outer)}:${json},"signature":${signature}}`));
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: method?.[0] ?? "", params: { data } });
}

/** The identity of the statement that a request brings; nothing where it brings none. */
function identityIn(host: WorldHost, body: string): string | undefined {
  const request = membersOf(body);
  const [name, params] = [request?.get("method"), request?.get("params")];
  const row =
    typeof name === "string" && Object.hasOwn(methods, name) ? methods[name as keyof typeof methods] : undefined;
  const data = params !== undefined && params !== null && isObject(params) ? params.members.get("data") : undefined;
  const bytes = typeof data === "string" ? fromBase64(data) : undefined;
  const sent = bytes && membersOf(new TextDecoder().decode(bytes));
  for (const type of row?.mutation?.signed ?? []) {
    const payload = sent?.get(type.outer);
    const read = payload === undefined ? undefined : decodeJson(type.payload as Schema<unknown>, payload);
    if (read?.ok === true) return identityOf(host.world().crypto, type, read.value.value as never);
  }
  return undefined;
}

function membersOf(text: string): ReadonlyMap<string, Json> | undefined {
  const read = parseJson(text);
  return read.ok && isObject(read.value) ? read.value.members : undefined;
}
