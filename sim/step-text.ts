/**
 * A step as one line of text, for people who look for the first difference between two runs.
 */
import type { Effect, Input, RootTexts } from "../core/index.ts";

/** Characters of a value that are shown. Source: DESIGN "Simulated world". */
const VALUE_CHARACTERS_MAX = 400;

export function describeStep(input: Input, effects: readonly Effect[], roots: RootTexts | null): string {
  const parts = [describe(input), ...effects.map((effect) => `-> ${describe(effect)}`)];
  if (roots !== null) parts.push(`roots ${roots.statements} ${roots.facts} ${roots.state}`);
  return parts.join(" ");
}

function describe(value: { readonly type: string }): string {
  const members = Object.entries(value).filter(([name]) => name !== "type");
  return `${value.type}{${members.map(([name, member]) => `${name}=${valueText(member)}`).join(" ")}}`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value, plain) ?? "undefined";
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}…`;
}

function plain(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")
    : value;
}
