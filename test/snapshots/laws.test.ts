/**
 * Goal: every law of files holds on a node, and each check catches a bug in what it is about (laws.ts).
 * Method: one node makes a file, others take it; bugs are planted while the core is loaded.
 */
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { FACT_FROM_FILE } from "./fact-from-file.ts";
import type { Law } from "./laws.ts";
import * as laws from "./laws.ts";
import type { Core } from "./stage.ts";

const bug = (file: string, find: string, replace: string): PlantedBug => ({ file: `core/${file}`, find, replace });

const PLANTED: readonly (readonly [string, Law, PlantedBug, RegExp])[] = [
  [
    "makes a file without a slot",
    laws.ofASlot,
    bug(
      "domains/snapshots/produce.ts",
      "const newest = newestSlot(context.draft);",
      'const newest = newestSlot(context.draft) ?? { slot: 7n, taken_at: context.now, by: "one", origin: "" };',
    ),
    /a file was made without a slot/,
  ],
  [
    "makes none of an old slot",
    laws.ofASlot,
    bug(
      "domains/snapshots/produce.ts",
      "if (newest === undefined) return",
      "if (newest === undefined || context.now - newest.taken_at > 75_000n) return",
    ),
    /1 files were made in ten intervals/,
  ],
  [
    "makes one at its start",
    laws.ofASlot,
    bug(
      "domains/snapshots/produce.ts",
      "at: later(context.now, snapshots.produceEveryMs)",
      "at: later(context.now, 30_000)",
    ),
    /before an interval was over/,
  ],
  [
    "signs another digest",
    laws.isWhatItIs,
    bug("domains/snapshots/produce.ts", "context.crypto.sha256(state);", "context.crypto.sha256(statements);"),
    /the announced digest is another/,
  ],
  [
    "orders the families otherwise",
    laws.isWhatItIs,
    bug("domains/snapshots/families.ts", "compareText(a.name, b.name)", "compareText(b.name, a.name)"),
    /the families are trade_channel_grants/,
  ],
  [
    "leaves out a statement",
    laws.isWhatItIs,
    bug("domains/snapshots/produce.ts", ".sort(compareText) : [];", ".sort(compareText).slice(1) : [];"),
    /2 statements are not in the file/,
  ],
  [
    "announces what was not written",
    laws.isSafeFirst,
    bug(
      "domains/snapshots/produce.ts",
      "if (!outcome.ok) return refuse(context, outcome.reason, outcome.code);",
      "if (!outcome.ok) outcome = { ok: true, sizeBytes: 1 };",
    ),
    /a file that is not there was announced/,
  ],
  [
    "takes a first file of anybody",
    laws.isPicked,
    bug("domains/snapshots/search.ts", "if (!isAnchor(configuration, metadata.producer_public_key)) {", "if (false) {"),
    /of anybody was asked for/,
  ],
  [
    "takes a file of one who is gone",
    laws.isPicked,
    bug(
      "domains/snapshots/search.ts",
      'if (!isListed(draft, metadata.producer, now, SNAPSHOT_SERVICES)) return "INVALID_REQUEST";',
      "",
    ),
    /of one who is not registered/,
  ],
  [
    "takes the lowest first",
    laws.isPicked,
    bug("domains/snapshots/search.ts", "a.slot > b.slot ? -1 : 1", "a.slot > b.slot ? 1 : -1"),
    /lower was asked for, not high/,
  ],
  [
    "does not count bytes",
    laws.isVerified,
    bug("domains/snapshots/take.ts", "BigInt(outcome.sizeBytes) !== search.candidate.size_bytes", "false"),
    /another size was taken/,
  ],
  [
    "checks no digest",
    laws.isVerified,
    bug("domains/snapshots/take.ts", "!equalBytes(context.crypto.sha256(state), search.candidate.state_root)", "false"),
    /another digest was taken/,
  ],
  [
    "takes any family",
    laws.isVerified,
    bug(
      "domains/snapshots/take.ts",
      'if (family === undefined) return "SNAPSHOT_VERIFICATION_FAILED";',
      "if (family === undefined) continue;",
    ),
    /a reserved family was taken/,
  ],
  [
    "takes any record",
    laws.isVerified,
    bug("domains/snapshots/take.ts", "!family.accepts(context.crypto, next.entry)", "false"),
    /a record that is none was taken/,
  ],
  [
    "verifies no signature",
    laws.isVerified,
    bug(
      "domains/snapshots/take.ts",
      "verdict.form !== undefined && verdict.bound ? statement : undefined",
      "statement",
    ),
    /another's signature was taken/,
  ],
  [
    "imports whatever slot was asked for",
    laws.isWithinReach,
    bug("domains/snapshots/search.ts", "ruleOf(configuration, hasPlausibleSlot)(draft, metadata, now);", "true;"),
    /a file of slot 4000000000 was taken/,
  ],
  [
    "keeps announcements of any slot",
    laws.isWithinReach,
    bug(
      "domains/snapshots/bounds.ts",
      'return isPlausible(reader, slot, now) ? undefined : "SNAPSHOT_VERIFICATION_FAILED";',
      "return undefined;",
    ),
    /slots out of reach are announced/,
  ],
  [
    "takes half a file",
    laws.isWhole,
    bug(
      "domains/snapshots/take.ts",
      'return giveUp(context, taking, further, "a statement");',
      "return importAll(context, taking);",
    ),
    /a part of a bad file counts/,
  ],
  [
    "takes page by page",
    laws.isWhole,
    bug("domains/snapshots/take.ts", "else page.push(statement);", "else foldOf(context).admit(statement);"),
    /a part of a bad file counts/,
  ],
  ["takes a decision from a file", laws.bringsNoFact, FACT_FROM_FILE, /a file decided the dispute: BuyerWins/],
  [
    "asks nobody for the rest",
    laws.isCompleted,
    bug("domains/snapshots/take.ts", "reconcileWith(context, peer);", "void peer;"),
    /what the file lacks was not asked for/,
  ],
  [
    "forgets children that come first",
    laws.isComplete,
    bug("domains/snapshots/take.ts", "rest = early;", "rest = [];"),
    /2 statements of the file do not count/,
  ],
];

test.each(Object.entries(laws))("%s", (_, law) => expect(law()).toBe(undefined));

test.each(PLANTED)("a core that %s is caught", async (_, law, planted, message) => {
  expect(await withPlantedBug(planted, async (load) => law(await load<Core>("core/index.ts")))).toMatch(message);
});
