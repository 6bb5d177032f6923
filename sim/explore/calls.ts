/** Calls of a client as bodies, and answers as outcomes. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

/** The JSON-RPC body of a call. */
export function bodyOf(id: number, method: string, params: Json): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** What an answer came to: `ok`, or the code of a refusal. */
export function outcomeOf(answer: string): string {
  const { error } = JSON.parse(answer) as { readonly error?: { readonly code: number; readonly data?: Json } };
  return error === undefined ? "ok" : `refused ${error.code} ${JSON.stringify(error.data ?? null)}`;
}

/** The result in an answer. */
export function resultOf(answer: string): Json | undefined {
  return (JSON.parse(answer) as { readonly result?: Json }).result;
}
