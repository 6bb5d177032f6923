/**
 * Goal: a call by another program is one thing on every executor: its effects, its refusals, its frames, and what is
 * told of it. Method: the same calls, honest and malformed, through the forwarder on all three; the built file against
 * its source.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildProgram } from "../../../adapters/chain/program/build.ts";
import { programEvents } from "../../../core/solana/events.ts";
import { behindMemos, forwarded, forwarderProgram, memo } from "../../../sim/chain/disguises.ts";
import type { ExecutionResult, OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { openTogether } from "../../chain/program/together.ts";
import { needsClang } from "../../requirements.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, contextAt, crypto, firstDay, keyring, START_UNIX, wireOf } from "./chain-world.ts";
import { approve, release } from "./trade-story.ts";

const open: OpenExecutor = openTogether(openLitesvm, openBankrun, modelExecutors(crypto));

/** An approved trade on all executors at once: a difference between them is an error. */
async function approved() {
  const executor = await open(firstDay(), keyring);
  let sent = 0;
  const run = (payer: Name, instructions: readonly Instruction[]): Promise<ExecutionResult> => {
    sent += 1;
    return executor.execute(wireOf(payer, instructions, sent), contextAt(START_UNIX));
  };
  const land = async (payer: Name, instruction: Instruction) => {
    expect((await run(payer, [instruction])).error).toBeNull();
  };
  await approve({ land, pass: () => Promise.resolve() });
  return { run, close: () => executor.close() };
}

/** The instruction through so many forwarders. */
const through = (instruction: Instruction, times: number): Instruction =>
  times === 0 ? instruction : forwarded(through(instruction, times - 1));

test.each([1, 3])("a release through %i programs releases, and is told with its frames and calls", async (times) => {
  const { run, close } = await approved();
  const { error, logs, invoked } = await run("stranger", behindMemos(through(release, times), 1));
  expect(error).toBeNull();
  expect(programEvents(logs, release.program).map(({ type }) => type)).toEqual(["EscrowReleased"]);
  expect(logs).toContain(`Program ${release.program} invoke [${times + 1}]`);
  expect(invoked).toHaveLength(times);
  expect(invoked.at(-1)).toEqual({
    ...{ instruction: 1, height: times + 1, program: at.profile.escrowProgram, data: release.data },
    accounts: release.accounts.map(({ address }) => address),
  });
  await close();
});

const empty: Instruction = { program: forwarderProgram, accounts: [], data: new Uint8Array(1) };
const address = (name: Name) => ({ address: addressOf(name), signer: false, writable: false });

test.each([
  ["a refusal of the called program is the transaction's", forwarded({ ...release, data: new Uint8Array(8) })],
  ["no program to call", empty],
  ["calls too deep", through(release, 5)],
  ["a memo that somebody else should sign", forwarded({ ...memo("a"), accounts: [address("buyer")] })],
])("%s: refused alike", async (_, instruction) => {
  const { run, close } = await approved();
  const { error } = await run("stranger", [memo("first"), instruction]);
  expect(error?.instruction).toBe(1);
  await close();
});

needsClang("the compiler", () => {
  test("the built forwarder is what its source gives", () => {
    const folder = new URL("../../../sim/chain/forwarder/", import.meta.url);
    const committed = readFileSync(new URL("forwarder.so", folder));
    expect(Buffer.compare(buildProgram(fileURLToPath(folder)), committed)).toBe(0);
  });
});
