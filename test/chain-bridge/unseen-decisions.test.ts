// Goal: a decision or release that no event tells of is read from the accounts, with the same facts, and a bug in that
// is caught (protocol 03 A.10.3 R3, R4, R11). Method: stories told by an endpoint; bugs planted as the core is loaded.
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { Core } from "./case-node.ts";
import type { Check } from "./unseen-decisions.ts";
import * as checks from "./unseen-decisions.ts";

const bug = (file: string, find: string, replace: string) => ({
  file: `core/domains/chain-bridge/${file}`,
  find,
  replace,
});

const table: readonly (readonly [what: string, check: Check, planted: ReturnType<typeof bug>])[] = [
  ["a cut log", checks.cutLog, bug("follow.ts", "of read.unexplained) {", "of [] as typeof read.unexplained) {")],
  [
    "unknown metadata",
    checks.unknownMetadata,
    bug("reading.ts", "loaded === undefined || inner === undefined", "loaded === undefined"),
  ],
  [
    "a hidden transaction",
    checks.hiddenTransaction,
    bug("looks.ts", "if (!isClosed(context, seen.account) ||", "if (!isClosed(context, null) ||"),
  ],
  [
    "a transaction hidden from a node that takes what is confirmed",
    checks.hiddenFromConfirmed,
    bug("looks.ts", "const watch = context", 'if (seen.commitment === "confirmed") return;\n  const watch = context'),
  ],
  [
    "misread as open",
    checks.misreadAsOpen,
    bug("looks.ts", "return concludeOpen(context, escrow, held, seen.slot);", "return endLook(context, escrow);"),
  ],
  ["a look before its event", checks.lookBeforeEvent, bug("looks.ts", "evented ??", "")],
  [
    "a hidden release",
    checks.hiddenRelease,
    bug(
      "agreement.ts",
      'state === "Released" && escrow.value.approved ? { fact, ending: null } : undefined',
      "undefined",
    ),
  ],
  [
    "lamports at the address of a case",
    checks.paidCaseAddress,
    bug("looks.ts", "seen.account && !isUnused(seen.account) ?", "seen.account ?"),
  ],
  [
    "a misread release",
    checks.misreadRelease,
    bug("looks.ts", "return toHex(encodeCompact(ChainFact, fact));", `return "";`),
  ],
  [
    "misread late",
    checks.misreadLate,
    bug(
      "chain-facts.ts",
      "if (!isNamed(context, held.escrow, fact)) return recheck",
      "if (held.attempts <= RECHECKS_MAX && !isNamed(context, held.escrow, fact)) return recheck",
    ),
  ],
  ["readings", checks.readingsAgree, bug("looks.ts", "certain ? READINGS_MIN :", "certain ? 1 :")],
  ["readings of one slot", checks.readingsAgree, bug("looks.ts", "dispute_slot) + 1n }", "dispute_slot) }")],
  [
    "forged facts",
    checks.forgedFacts,
    bug("chain-facts.ts", "beginLook(context, { escrow, reservation }, slot, null);", ""),
  ],
  ["spam", checks.spam, bug("reading.ts", "if (!seen.succeeded) return { closings: [], unexplained: [] };", "")],
];

test.each(table)("%s: the accounts decide, and a bug in it is caught", async (_, check, planted) => {
  expect(check()).toBeUndefined();
  const found = await withPlantedBug(planted, async (load) => check(await load<Core>("core/index.ts")));
  expect(found).toEqual(expect.any(String));
});
