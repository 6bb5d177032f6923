/**
 * Judges of the on-chain program's mutants, in their own process: the program as it is passes, whatever answers
 * otherwise is named by the test that would fail, and one that never ends is ended by the machine's compute budget.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { programPath } from "../../../adapters/chain/program/build.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { barsSilentSeats } from "../../chain/program/limits.contract.ts";
import { plantedProgram } from "../../chain/program/planted-program.ts";
import { openWorld } from "../../chain/program/world.ts";
import { needsClang } from "../../requirements.ts";
import type { Judges } from "./judges.ts";
import { openJudges } from "./judges.ts";
import { recorded } from "./recording.ts";

const TEST = "fourteen are barred";
const FILE = "execute_dispute.c";
const ACCOUNTS = 'TRY(expect_accounts(call, "rwwwwwwrwwwwrwwwrrrr"));';

let folder: string;
let judges: Judges;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recordings-"));
  const world = await openWorld(
    recorded(openLitesvm, folder, () => TEST),
    1,
  );
  await barsSilentSeats(world, 14, 1, 14);
  await world.executor.close();
  judges = openJudges(folder);
});

afterAll(() => {
  judges.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the program as it is repeats what was recorded", async () => {
  expect(await judges.judge(readFileSync(programPath))).toBe(null);
});

test("bytes that are no program do not load", async () => {
  expect(await judges.judge(new Uint8Array(64))).toBe("a program that loads");
});

test("a judge that ends is no verdict", async () => {
  const broken = openJudges(join(folder, "nothing is here"));
  await expect(broken.judge(new Uint8Array(64))).rejects.toThrow(/before it answered: .*ENOENT/s);
});

needsClang("a mutant", () => {
  test.each([
    ["bars one too many", "parts->barred_count < BARRED_MAX", "parts->barred_count <= BARRED_MAX"],
    ["never ends", ACCOUNTS, `for (volatile u64 n = 1; n != 0;) n = 1;\n  ${ACCOUNTS}`],
  ])("that %s is named by the test that fails", async (_, find, replace) => {
    expect(await judges.judge(plantedProgram(programPath, { file: FILE, find, replace }))).toBe(TEST);
  });
});
