/**
 * Why a value does not fit a schema, in one line that names the member and what is allowed there. Stricter than the
 * protocol's decoding, which overlooks members it does not know: here a misspelt one would be a fault that never
 * happens. Source: DESIGN section 5 "Everything is data".
 */
import type { Json, Schema } from "../../core/index.ts";
import { decodeJson, isObject } from "../../core/index.ts";
import { isList } from "../../core/testing.ts";

/** The first misfit, or nothing. `path` names the value itself, as in `faults[2]`. */
export function misfit(
  schema: Pick<Schema<unknown>, "shape" | "decode"> & { readonly each?: Schema<unknown> },
  node: Json,
  path: string,
): string | undefined {
  const { shape, each } = schema;
  if (each !== undefined && isObject(node)) return misfitOfOpen(each, node, path);
  switch (shape.type) {
    case "struct":
      return misfitOfStruct(shape.fields, node, path);
    case "kinds":
      return misfitOfKinds(shape, node, path);
    case "list":
      if (!isList(node)) return `${path}: expected a list`;
      return first(node.map((item, place) => () => misfit(shape.of, item, `${path}[${place}]`)));
    case "option":
      return node === null ? undefined : misfit(shape.of, node, path);
    default: {
      const form = shape.type === "either" && isObject(node) ? shape.of.find(isOfObjects) : undefined;
      if (form !== undefined) return misfit(form, node, path);
      const decoded = decodeJson(schema as Schema<unknown>, node);
      return decoded.ok ? undefined : `${path}: ${decoded.error}${received(node)}`;
    }
  }
}

function misfitOfOpen(each: Schema<unknown>, { members, duplicate }: JsonObject, path: string): string | undefined {
  if (duplicate !== undefined) return `${path}: ${duplicate} stands twice`;
  return first(
    [...members].map(
      ([name, member]) =>
        () =>
          misfit(each, member, `${path}.${name}`),
    ),
  );
}

function isOfObjects({ shape }: Schema<unknown>): boolean {
  return shape.type === "struct" || shape.type === "kinds";
}

type JsonObject = Extract<Json, { readonly type: "object" }>;
type Members = Readonly<Record<string, Schema<unknown>>>;

function misfitOfStruct(fields: Members, node: Json, path: string): string | undefined {
  const names = Object.keys(fields);
  if (!isObject(node)) return `${path}: expected an object with ${names.join(", ")}`;
  if (node.duplicate !== undefined) return `${path}: ${node.duplicate} stands twice`;
  const unknown = [...node.members.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) return `${path}: there is no member ${unknown}; members are ${names.join(", ")}`;
  const missing = names.find((name) => !node.members.has(name) && !("absent" in (fields[name] as Schema<unknown>)));
  if (missing !== undefined) return `${path}: ${missing} is missing; members are ${names.join(", ")}`;
  return first(
    [...node.members].map(([name, member]) => () => {
      return misfit(fields[name] as Schema<unknown>, member, path === "" ? name : `${path}.${name}`);
    }),
  );
}

function misfitOfKinds(
  { member, of }: { readonly member: string; readonly of: Members },
  node: Json,
  path: string,
): string | undefined {
  const named = isObject(node) ? node.members.get(member) : undefined;
  const form = typeof named === "string" && Object.hasOwn(of, named) ? of[named] : undefined;
  if (form !== undefined) return misfit(form, node, path);
  return `${path}: expected an object whose ${member} is one of ${Object.keys(of).join(", ")}${received(named)}`;
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Characters of a wrong value that a line shows. */
const SHOWN = 40;

function received(node: Json | undefined): string {
  if (node === undefined || node === null || typeof node === "boolean") return `, not ${node ?? "nothing"}`;
  if (typeof node === "string") return `, not ${JSON.stringify(node.slice(0, SHOWN))}`;
  return isObject(node) || isList(node) ? "" : `, not ${node.text.slice(0, SHOWN)}`;
}
