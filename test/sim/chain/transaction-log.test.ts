/**
 * Goal: a log is cut where a validator cuts it, whatever executed the transaction, so that memos hide an event in the
 * simulation as they do on a chain. Method: one release behind memos on each executor; the cut against the machine's.
 */
import type { TransactionMetadata } from "litesvm";
import { LiteSVM } from "litesvm";
import { describe, expect, test } from "vitest";
import { programEvents } from "../../../core/solana/events.ts";
import { parseMessage } from "../../../core/solana/transaction.ts";
import { behindMemos, MEMOS_THAT_HIDE, memo } from "../../../sim/chain/disguises.ts";
import type { ExecutionResult, OpenExecutor } from "../../../sim/chain/executor.ts";
import { openBankrun } from "../../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { modelExecutors } from "../../../sim/chain/executors/model.ts";
import { splitWire } from "../../../sim/chain/executors/wire.ts";
import { nothingLoaded } from "../../../sim/chain/lookup-tables.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import { cut, LOG_BYTES_MAX, logOf, memoLine } from "../../../sim/chain/transaction-log.ts";
import type { Name } from "./chain-world.ts";
import { addressOf, at, contextAt, crypto, firstDay, keyring, START_UNIX, wireOf } from "./chain-world.ts";
import { approve, release } from "./trade-story.ts";

const executors: readonly (readonly [name: string, open: OpenExecutor])[] = [
  ["model", modelExecutors(crypto)],
  ["litesvm", openLitesvm],
  ["bankrun", openBankrun],
];

/** An executor that approved a trade, and what it logs of transactions. */
async function approved(open: OpenExecutor) {
  const executor = await open(firstDay(), keyring);
  let sent = 0;
  const run = async (payer: Name, instructions: readonly Instruction[]) => {
    sent += 1;
    const wire = wireOf(payer, instructions, sent);
    const parsed = parseMessage(wire);
    if (!parsed.ok) throw new Error(parsed.error);
    const result = await executor.execute(wire, contextAt(START_UNIX));
    return { result, logs: logOf(result, parsed.value) };
  };
  const land = async (payer: Name, instruction: Instruction) => {
    expect((await run(payer, [instruction])).result.error).toBeNull();
  };
  await approve({ land, pass: () => Promise.resolve() });
  return { run, close: () => executor.close() };
}

const bytesOf = (logs: readonly string[]) => logs.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
const events = (logs: readonly string[]) => programEvents(logs, at.profile.escrowProgram).map(({ type }) => type);

describe("a release behind memos", () => {
  test.each([
    ["few of them leave the event in the log", MEMOS_THAT_HIDE - 9, ["EscrowReleased"], false],
    ["enough of them push it out, and the log says that it was cut", MEMOS_THAT_HIDE, [], true],
  ] as const)("%s", async (_, memos, told, truncated) => {
    const logged: (readonly string[])[] = [];
    for (const [, open] of executors) {
      const { run, close } = await approved(open);
      const { result, logs } = await run("stranger", behindMemos(release, memos));
      expect(result.error).toBeNull();
      expect(events(result.logs)).toEqual(["EscrowReleased"]);
      logged.push(logs);
      await close();
    }
    const [first = []] = logged;
    expect(events(first)).toEqual(told);
    expect(first.includes("Log truncated")).toBe(truncated);
    for (const logs of logged) expect(logs).toEqual(first);
  });
});

test("every call has its frame, its cost and its end, and a transaction that failed says where", async () => {
  const { run, close } = await approved(modelExecutors(crypto));
  const { program } = release;
  const { logs } = await run("stranger", [memo('so "it" is'), release]);
  expect(logs[1]).toBe(memoLine('so "it" is'));
  expect(logs[2]).toMatch(/^Program Memo\w+ consumed 1382 of 400000 compute units$/);
  expect(logs.filter((line) => line.startsWith("Program data: "))).toHaveLength(1);
  expect(logs.at(-2)).toMatch(new RegExp(`^Program ${program} consumed \\d+ of 398618 compute units$`));
  const { logs: failed } = await run("stranger", [memo("again"), release]);
  expect(failed.filter((line) => line.includes("success"))).toHaveLength(1);
  expect(failed.at(-1)).toBe(`Program ${program} failed: custom program error: 0x1777`);
  await close();
});

test("the cut is the machine's own", () => {
  const address = addressOf("stranger");
  const texts = Array.from({ length: 60 }, (_, n) => memo("x".repeat(n % 7 === 0 ? 120 : n % 5)));
  const wire = wireOf("stranger", texts, 1);
  const { message, signatures } = splitWire(wire);
  const transaction = { messageBytes: message, signatures: { [address]: signatures[0] } } as never;
  const logsWith = (limit: boolean) => {
    const svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n);
    if (!limit) svm.withLogBytesLimit();
    svm.airdrop(address as never, 1_000_000_000n as never);
    return (svm.sendTransaction(transaction) as TransactionMetadata).logs();
  };
  const whole = logsWith(false);
  expect(bytesOf(whole)).toBeGreaterThan(LOG_BYTES_MAX);
  expect(cut(whole)).toEqual(logsWith(true));
});

test("of a transaction that never landed nothing is logged", () => {
  const parsed = parseMessage(wireOf("stranger", [memo("a")], 1));
  const error = { type: "other", instruction: null, name: "InsufficientFundsForFee" } as const;
  const result: ExecutionResult = { ok: false, error, logs: [], invoked: [], loaded: nothingLoaded };
  expect(parsed.ok && logOf(result, parsed.value)).toEqual([]);
});
