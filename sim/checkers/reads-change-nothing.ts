/**
 * Law L5: a `get…` call leaves all three roots where they were.
 * Node-local tables, such as spent challenges, may change.
 */
import type { CheckContext, Checker } from "../checker.ts";

export function readsChangeNothing({ violate }: CheckContext): Checker {
  return {
    name: "reads-change-nothing",
    onStep({ node, input, roots, rootsBefore }) {
      if (input.type !== "rpc.called" || roots === rootsBefore) return;
      const { statements, facts, state } = roots;
      const same = statements === rootsBefore.statements && facts === rootsBefore.facts && state === rootsBefore.state;
      if (same || !readsOnly(input.body)) return;
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
