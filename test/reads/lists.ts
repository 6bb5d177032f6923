/**
 * Where the reads of the method table answer lists: a fold over the shapes of their results, and the same places in an
 * answer. A place is written as `.members` and `[]`.
 */

import { methods } from "../../core/domains.ts";
import type { Schema } from "../../core/kernel/schema.ts";

/** A list that a read answers: `getProposals [].votes[]`. */
export type Place = string;

/** Every list of every read. */
export const places: readonly Place[] = Object.entries(methods).flatMap(([method, { kind, result }]) =>
  kind === "query" ? [...new Set(listsIn(result, ""))].map((path) => `${method} ${path}`) : [],
);
/** Reads that answer a list. */
export const listReads: readonly string[] = [...new Set(places.map((place) => place.split(" ")[0] ?? ""))];

function listsIn({ shape }: Schema<unknown>, path: string): readonly string[] {
  switch (shape.type) {
    case "list":
      return [`${path}[]`, ...listsIn(shape.of, `${path}[]`)];
    case "option":
      return listsIn(shape.of, path);
    case "either":
      return shape.of.flatMap((of) => listsIn(of, path));
    case "kinds":
      return Object.values(shape.of).flatMap((of) => listsIn(of, path));
    case "variants":
      return Object.entries(shape.of).flatMap(([name, of]) => listsIn(of, `${path}.${name}`));
    case "pair":
      return [...listsIn(shape.first, `${path}[]`), ...listsIn(shape.second, `${path}[]`)];
    case "struct":
      return Object.entries(shape.fields).flatMap(([name, of]) => listsIn(of, `${path}.${name}`));
    default:
      return [];
  }
}

/** The lists of an answer by their places, each as its entries' texts in order. */
export function listsOf(method: string, answer: string): ReadonlyMap<Place, readonly (readonly string[])[]> {
  const found = new Map<Place, string[][]>();
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      const place = `${method} ${path}[]`;
      found.set(place, [...(found.get(place) ?? []), value.map((entry) => JSON.stringify(entry))]);
      for (const entry of value) walk(entry, `${path}[]`);
    } else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value)) walk(member, `${path}.${name}`);
  };
  const { result } = JSON.parse(answer) as { readonly result?: unknown };
  walk(result, "");
  return found;
}
