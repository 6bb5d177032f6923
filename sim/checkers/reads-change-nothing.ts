/**
 * Law L5: a `get…` call leaves all roots where they were, that of what is sealed among them.
 * Node-local tables, such as spent challenges, may change.
 */
import type { CheckContext, Checker } from "../checker.ts";

/** A read leaves a node's state as it was. Law L5. */
export function readsChangeNothing({ violate }: CheckContext): Checker {
  return {
    name: "reads-change-nothing",
    onStep({ node, input, roots, rootsBefore }) {
      if (input.type !== "rpc.called" || roots === rootsBefore) return;
      const names = ["statements", "facts", "state", "archive"] as const;
      if (names.every((name) => roots[name] === rootsBefore[name]) || !readsOnly(input.body)) return;
      violate(`node ${node} changed its roots while it answered ${input.body}`);
    },
  };
}

/** Whether every call of a body is a read. What cannot be read calls nothing. */
export function readsOnly(body: string): boolean {
  const called = methodsOf(body);
  return called.every((method) => typeof method !== "string" || method.startsWith("get"));
}

function methodsOf(body: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(body);
    const calls: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return calls.map((call) => (call as { readonly method?: unknown } | null)?.method);
  } catch {
    return [];
  }
}
