/**
 * A scenario as data that breaks a law under every seed, with parts that have nothing to do with it.
 */

/** Nobody ever says what everybody must; the rest is not needed for that. */
export const silent = {
  ...{ name: "silent", description: "Nobody says a word.", source: "DESIGN section 5", nodes: 3 },
  provesActions: false,
  provesFaults: false,
  faults: [
    { kind: "partition", groups: [[0], [1, 2]], from: "0:02", until: "0:40" },
    { kind: "crash", node: 1, from: "0:05", until: "0:09" },
  ],
  actions: [{ kind: "ask", actor: "ann", at: "0:03", method: "getTrades" }],
  safety: [{ kind: "flagged", event: "a word" }],
};
