/**
 * The alternatives that a schema offers, and those that a value shows: a fold over shapes, so that what a generator has
 * to reach is demanded of it without being listed. An alternative is a name of an enumeration, a flag up or down, an
 * option given or not, a list empty or not, a variant. Source: DESIGN "Shape of the code".
 */
import type { Schema } from "../../core/kernel/schema.ts";

/** Every alternative of a schema, each under the path that leads to it. */
export function alternativesOf({ shape }: Schema<unknown>, path: string): readonly string[] {
  switch (shape.type) {
    case "boolean":
      return [`${path} true`, `${path} false`];
    case "enumeration":
      return shape.names.map((name) => `${path} ${name}`);
    case "option":
      return [`${path} null`, ...alternativesOf(shape.of, path), ...(isPlain(shape.of) ? [`${path} given`] : [])];
    case "list":
      return [`${path} empty`, `${path} filled`, ...alternativesOf(shape.of, `${path}[]`)];
    case "pair":
      return [...alternativesOf(shape.first, `${path}.0`), ...alternativesOf(shape.second, `${path}.1`)];
    case "either":
      return shape.of.flatMap((of) => alternativesOf(of, path));
    case "variants":
    case "kinds":
      return Object.entries(shape.of).flatMap(([name, of]) => [
        `${path} ${name}`,
        ...alternativesOf(of, `${path}.${name}`),
      ]);
    case "struct":
      return Object.entries(shape.fields).flatMap(([member, of]) => alternativesOf(of, `${path}.${member}`));
    default:
      return [];
  }
}

/** The alternatives that a value of a schema shows, decoded or as parsed JSON. */
export function alternativesIn({ shape }: Schema<unknown>, path: string, value: unknown): readonly string[] {
  switch (shape.type) {
    case "boolean":
      return [`${path} ${value}`];
    case "enumeration":
      return shape.names.includes(value as string) ? [`${path} ${value}`] : [];
    case "option":
      if (value === null || value === undefined) return [`${path} null`];
      return [...alternativesIn(shape.of, path, value), ...(isPlain(shape.of) ? [`${path} given`] : [])];
    case "list": {
      const each = value as readonly unknown[];
      return [
        `${path} ${each.length === 0 ? "empty" : "filled"}`,
        ...each.flatMap((one) => alternativesIn(shape.of, `${path}[]`, one)),
      ];
    }
    case "pair": {
      const [first, second] = value as readonly [unknown, unknown];
      return [...alternativesIn(shape.first, `${path}.0`, first), ...alternativesIn(shape.second, `${path}.1`, second)];
    }
    case "either":
      return shape.of.flatMap((of) => alternativesIn(of, path, value));
    case "variants":
      return Object.entries(shape.of).flatMap(([name, of]) => variantIn(of, path, name, member(value, name)));
    case "kinds": {
      const kind = String(member(value, "kind"));
      return Object.entries(shape.of).flatMap(([name, of]) =>
        variantIn(of, path, name, name === kind ? value : undefined),
      );
    }
    case "struct":
      return Object.entries(shape.fields).flatMap(([name, of]) => {
        const held = member(value, name);
        return held === undefined ? [] : alternativesIn(of, `${path}.${name}`, held);
      });
    default:
      return [];
  }
}

function variantIn(of: Schema<unknown>, path: string, name: string, value: unknown): readonly string[] {
  return value === undefined ? [] : [`${path} ${name}`, ...alternativesIn(of, `${path}.${name}`, value)];
}

/** Whether a schema offers no alternatives of its own, so that an option of it is told by being given. */
function isPlain(schema: Schema<unknown>): boolean {
  return alternativesOf(schema, "").length === 0;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
