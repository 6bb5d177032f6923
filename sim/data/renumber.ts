/**
 * Plain values that name nodes, in a network whose nodes have other numbers: what is an index is known from the schema.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Schema } from "../../core/index.ts";
import { NodeIndex } from "./values.ts";

/** The new number of a node; nothing where the node is gone. */
export type Renumbering = (node: number) => number | undefined;

/** The value with the new numbers; nothing where it needs a node that is gone. Lists are left without such nodes. */
export function renumbered<T>(schema: Pick<Schema<T>, "shape" | "decode">, value: T, to: Renumbering): T | undefined {
  return walked(schema as Schema<unknown>, value, to) as T | undefined;
}

function walked(
  { shape, decode }: Pick<Schema<unknown>, "shape" | "decode">,
  value: unknown,
  to: Renumbering,
): unknown {
  if (value === null || value === undefined) return value;
  // A schema that adds what absence means is another object with the same decoding.
  if (decode === NodeIndex.decode) return to(value as number);
  switch (shape.type) {
    case "option":
      return walked(shape.of, value, to);
    case "list":
      return (value as readonly unknown[]).flatMap((item) => {
        const other = walked(shape.of, item, to);
        return other === undefined || (isEmpty(other) && !isEmpty(item)) ? [] : [other];
      });
    case "kinds": {
      const form = shape.of[(value as Readonly<Record<string, string>>)[shape.member] ?? ""];
      return form === undefined ? value : walked(form, value, to);
    }
    case "struct":
      return membersOf(shape.fields, value as object, to);
    default:
      return value;
  }
}

/** A group of which every node is gone is gone. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function membersOf(fields: Readonly<Record<string, Schema<unknown>>>, value: object, to: Renumbering): unknown {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const field = fields[name];
    const other = field === undefined ? member : walked(field, member, to);
    if (other === undefined && member !== undefined) return undefined;
    members.push([name, other]);
  }
  return Object.fromEntries(members);
}
