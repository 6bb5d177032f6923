/**
 * Plain values through a schema: what a program builds and what a file holds are checked and completed alike.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Json, Result, Schema } from "../../core/index.ts";
import { decodeJson, err, ok, parseJson } from "../../core/index.ts";
import { misfit } from "./strict.ts";

/** A value as its schema has it: absent members get their meaning. Fails with one line that names the member. */
export function checked<T>(schema: Schema<T>, value: unknown, path: string): Result<T, string> {
  const stray = strayIn(value, path);
  return stray === undefined ? checkedNode(schema, plainNode(value), path) : err(stray);
}

/** The same for the JSON text of a file; every digit of a number counts. */
export function checkedText<T>(schema: Schema<T>, text: string, path: string): Result<T, string> {
  const node = parseJson(text);
  return node.ok ? checkedNode(schema, node.value, path) : err(`${path}: ${node.error}`);
}

/** The same for what the kernel's tokenizer made of a text. */
export function checkedNode<T>(schema: Schema<T>, node: Json, path: string): Result<T, string> {
  const problem = misfit(schema, node, path);
  if (problem !== undefined) return err(problem);
  const decoded = decodeJson(schema, node);
  return decoded.ok ? ok(decoded.value.value) : err(`${path}: ${decoded.error}`);
}

/** The JSON text of a plain value, every digit of a large number in it; members that are undefined are absent. */
export function plainText(value: unknown): Result<string, string> {
  const stray = strayIn(value, "");
  return stray === undefined ? ok(jsonOf(value, "")) : err(stray);
}

function jsonOf(value: unknown, indent: string): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const parts = list
    ? value.map((item: unknown) => jsonOf(item, inner))
    : Object.entries(value).flatMap(([name, member]) =>
        member === undefined ? [] : [`${JSON.stringify(name)}: ${jsonOf(member, inner)}`],
      );
  const [open, close] = list ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  // What is short stands in one line, as people write it.
  const line = `${open}${list ? "" : " "}${parts.join(", ")}${list ? "" : " "}${close}`;
  if (line.length <= LINE_LENGTH && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}

/** Characters that a line of a file may have. */
const LINE_LENGTH = 80;

/** What no file can hold: functions, bytes, objects with a class of their own. */
function strayIn(value: unknown, path: string): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") return `${path}: a scenario holds no ${typeof value}`;
  if (typeof value !== "object" || value === null) return undefined;
  const made: unknown = Object.getPrototypeOf(value);
  if (made !== Object.prototype && made !== null && !Array.isArray(value))
    return `${path}: a scenario holds no ${value.constructor.name}`;
  for (const [name, member] of Object.entries(value)) {
    const found = strayIn(member, Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the kernel's tokenizer makes of the JSON of a value; a member that is undefined is absent. */
export function plainNode(value: unknown): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
    case "bigint":
      return { type: "number", text: value.toString() };
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? value.map(plainNode) : plainObject(value);
    default:
      throw new RangeError(`scenario data holds no ${typeof value}`);
  }
}

function plainObject(value: object): Json {
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = new Map(given.map(([name, member]) => [name, plainNode(member)] as const));
  return { type: "object", members, duplicate: undefined };
}
