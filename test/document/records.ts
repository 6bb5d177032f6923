/**
 * Every record that a schema reaches, with its members.
 */
import type { Schema } from "../../core/kernel/schema.ts";

/** One member of one record, by the type that it is printed with. */
export interface MemberFound {
  readonly record: string;
  readonly member: string;
  readonly type: string;
}

type Seen = Pick<Schema<unknown>, "shape">;

/** All members that a schema reaches. */
export function membersOf({ shape }: Seen): readonly MemberFound[] {
  switch (shape.type) {
    case "option":
    case "list":
      return membersOf(shape.of);
    case "pair":
      return [...membersOf(shape.first), ...membersOf(shape.second)];
    case "either":
      return shape.of.flatMap(membersOf);
    case "variants":
    case "kinds":
      return Object.values(shape.of).flatMap(membersOf);
    case "struct":
      return Object.entries(shape.fields).flatMap(([member, field]) => [
        { record: shape.name, member, type: typeOf(field) },
        ...membersOf(field),
      ]);
    default:
      return [];
  }
}

/** What a member holds, whether it may be empty or not. */
function typeOf({ shape }: Seen): string {
  if (shape.type === "option") return typeOf(shape.of);
  if (shape.type === "list") return `list of ${typeOf(shape.of)}`;
  if (shape.type === "struct") return "record";
  if (shape.type === "integer" || shape.type === "float") return "number";
  return shape.type;
}
