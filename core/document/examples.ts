/**
 * Examples of the document: one story of calls on one node, told from its start. Each call is an example of its method;
 * run in their order they answer as printed. Source: DESIGN §7 #23.
 */

import type { JsonSchema } from "../engine/json-schema.ts";

/** One call of the story, and what it was answered. */
export interface StoryCall {
  /** The node's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  /** What happened outside between the call before and this one. */
  readonly before?: string;
}

/** Everybody who signs in the story, and its calls in order. */
export interface Story {
  readonly keys: readonly { readonly secret: string; readonly publicKey: string; readonly peer: string }[];
  readonly calls: readonly StoryCall[];
}

/** The examples of each method, as OpenRPC has them; a call's number says where in the story it stands. */
export function examplesOf({ calls }: Story): ReadonlyMap<string, readonly JsonSchema[]> {
  const examples = new Map<string, JsonSchema[]>();
  for (const [number, { at, method, params, result, before }] of calls.entries()) {
    const example = {
      name: `call ${number + 1}`,
      params: Object.entries(params).map(([name, value]) => ({ name, value })),
      result: { name: "result", value: result },
      "x-at": at,
      ...(before !== undefined && { "x-before": before }),
    };
    examples.set(method, [...(examples.get(method) ?? []), example]);
  }
  return examples;
}

/** What a reader has to know in order to run the examples. */
export function aboutStory({ keys, calls }: Story): JsonSchema {
  return {
    how:
      "The examples of all methods, in the order of the numbers in their names, are calls to one node with an empty " +
      "ledger whose clock says x-at; x-before says what happened outside meanwhile. Nonces are the node's own: another " +
      "node issues others, and proofs sign those. A node of today refuses these statements as too old: sign anew.",
    calls: calls.length,
    keys,
    keysAreTestKeys: "Everybody knows these secrets. They sign nothing but examples.",
  };
}
