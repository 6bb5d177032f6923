/**
 * Goal: a forked ledger is an independent copy, however deep the forks (DESIGN section 4, re-execution on a fork).
 * Method: random writes, removals and forks against plain maps; drafts kept and dropped; wallets at the edge of paying.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemProgram } from "../../../core/solana/addresses.ts";
import { struct, u32, u64 } from "../../../core/testing.ts";
import type { ChainAccount } from "../../../sim/chain/executor.ts";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import { nothingLoaded } from "../../../sim/chain/lookup-tables.ts";
import type { Ledger } from "../../../sim/chain/model/ledger.ts";
import { openDraft, openLedger } from "../../../sim/chain/model/ledger.ts";
import { forAll } from "../../property/for-all.ts";
import { addressOf, at, contextAt, crypto, firstDay, START_UNIX, wireOf } from "./chain-world.ts";

interface Copy {
  readonly ledger: Ledger;
  readonly plain: Map<string, ChainAccount>;
}

const arbStep = fc.record({
  copy: fc.nat(20),
  address: fc.constantFrom("a", "b", "c", "d", "e"),
  lamports: fc.constantFrom(0n, 1n, 2n, 3n),
  type: fc.constantFrom("write", "write", "write", "fork", "keep", "drop"),
});
type Step = typeof arbStep extends fc.Arbitrary<infer T> ? T : never;

test("forks and drafts behave as copies of a map", () => {
  const holds = (steps: readonly Step[]) => {
    const copies: Copy[] = [{ ledger: openLedger([["a", lamportsOf(9n)]]), plain: new Map([["a", lamportsOf(9n)]]) }];
    for (const step of steps) {
      const copy = copies[step.copy % copies.length];
      if (copy === undefined) continue;
      if (step.type === "fork") copies.push({ ledger: copy.ledger.fork(), plain: new Map(copy.plain) });
      else write(copy, step.type, step.address, lamportsOf(step.lamports));
    }
    for (const { ledger, plain } of copies) {
      expect(ledger.entries()).toEqual(plain);
      for (const address of ["a", "b", "c", "d", "e"]) expect(ledger.get(address)).toEqual(plain.get(address));
    }
  };
  forAll([fc.array(arbStep, { maxLength: 120 })], holds, {
    runs: 300,
    classes: (steps) => [
      ...steps.map(({ type }) => type),
      ...steps.map(({ lamports }) => (lamports === 0n ? "removed" : "held")),
      ...(steps.filter(({ type }) => type === "fork").length > 10 ? ["more than ten forks"] : []),
    ],
    shares: { write: 0.8, fork: 0.8, keep: 0.8, drop: 0.8, removed: 0.8, held: 0.8, "more than ten forks": 0.4 },
  });
});

test("a forked model and its origin go separate ways", async () => {
  const model = openModel(at, crypto, firstDay());
  const before = model.accounts();
  const fork = model.fork();
  fork.executeNow(wireOf("stranger", [], 0), contextAt(START_UNIX));
  expect(model.accounts()).toEqual(before);
  expect((await fork.account(addressOf("stranger")))?.lamports).toBe(
    (before.get(addressOf("stranger"))?.lamports ?? 0n) - 5_000n,
  );
});

test.each([
  [0n, "AccountNotFound", undefined],
  [4_999n, "InsufficientFundsForFee", 4_999n],
  [5_000n, undefined, undefined],
  [5_001n, "InsufficientFundsForRent", 5_001n],
  [890_880n, "InsufficientFundsForRent", 890_880n],
  [895_879n, "InsufficientFundsForRent", 895_879n],
  [895_880n, undefined, 890_880n],
])("a wallet with %d lamports pays, or keeps what it has, on litesvm as on the model", async (held, name, left) => {
  const day = firstDay().map((entry) =>
    entry.address === addressOf("stranger") ? { ...entry, account: lamportsOf(held) } : entry,
  );
  const [model, machine] = [openModel(at, crypto, day), await openLitesvm(day)];
  const wire = wireOf("stranger", [], 0);
  const error = name === undefined ? null : { type: "other", instruction: null, name };
  for (const executor of [model, machine]) {
    expect(await executor.execute(wire, contextAt(START_UNIX))).toEqual({
      ok: error === null,
      error,
      logs: [],
      invoked: [],
      loaded: nothingLoaded,
    });
    expect((await executor.account(addressOf("stranger")))?.lamports).toBe(left);
  }
  await machine.close();
});

test.each([
  ["all that is left", 890_880n, null, 0n],
  ["all but what is below rent", 890_879n, "InsufficientFundsForRent", 890_880n],
  ["nothing", 0n, null, 890_880n],
])("a wallet that hands on %s, on litesvm as on the model", async (_, lamports, name, left) => {
  const stranger = addressOf("stranger");
  const day = firstDay().map((entry) =>
    entry.address === stranger ? { ...entry, account: lamportsOf(895_880n) } : entry,
  );
  const [model, machine] = [openModel(at, crypto, day), await openLitesvm(day)];
  const data = struct({ kind: u32, lamports: u64 }).write({ kind: 2, lamports });
  const accounts = [stranger, addressOf("merchant")].map((address) => ({
    address,
    signer: address === stranger,
    writable: true,
  }));
  const wire = wireOf("stranger", [{ program: systemProgram, accounts, data }], 0);
  for (const executor of [model, machine]) {
    const { ok, error } = await executor.execute(wire, contextAt(START_UNIX));
    expect({ ok, error }).toEqual({ ok: name === null, error: name && { type: "other", instruction: null, name } });
    expect((await executor.account(stranger))?.lamports ?? 0n).toBe(left);
  }
  await machine.close();
});

function write(copy: Copy, type: "write" | "keep" | "drop", address: string, account: ChainAccount): void {
  if (type === "write") copy.ledger.set(address, account);
  else {
    const draft = openDraft(copy.ledger);
    draft.set(address, account);
    expect(draft.get(address)).toEqual(account.lamports === 0n ? undefined : account);
    if (type === "keep") draft.keep();
  }
  if (type === "drop") return;
  if (account.lamports === 0n) copy.plain.delete(address);
  else copy.plain.set(address, account);
}

function lamportsOf(lamports: bigint): ChainAccount {
  return { lamports, owner: systemProgram, data: new Uint8Array(0), executable: false };
}
