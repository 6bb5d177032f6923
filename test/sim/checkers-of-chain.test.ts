// Goal: the checkers that read along with the chain find what breaks their law and nothing else.
// Method: hand-made steps, effects and answers, with a planted resolution of every kind.
import { assert, describe, test } from "vitest";
import { ChainFacts, PendingFacts } from "../../core/testing.ts";
import type { ChainView } from "../../sim/chain/chain-view.ts";
import type { StepSeen } from "../../sim/checker.ts";
import { absencesAreHeeded } from "../../sim/checkers/absences-are-heeded.ts";
import { closingOfAccount } from "../../sim/checkers/closings.ts";
import { decisionObserved } from "../../sim/checkers/decision-observed.ts";
import { factsAreFinal } from "../../sim/checkers/facts-are-final.ts";
import { noResolutionWithoutExecution } from "../../sim/checkers/no-resolution-without-execution.ts";
import { oneExecution } from "../../sim/checkers/one-execution.ts";
import { submitsOnce } from "../../sim/checkers/submits-once.ts";
import { accounts } from "../chain-bridge/case-node.ts";
import { framed, noView, observed, program, resolved, step, watch } from "./checker-bench.ts";

describe("no resolution without execution", () => {
  const decidedStatus = (resolution: string | null, split: string | null) =>
    resolution === null && split === null ? "AwaitingChainExecution" : "Resolved";
  const dispute = (resolution: string | null, signature: string | null, split: string | null = null) => ({
    id: "d",
    settlement_id: "s",
    status: decidedStatus(resolution, split),
    resolution,
    onchain_execution_signature: signature,
    terminal_split: split,
  });
  function shown(result: unknown, node: number, ...seen: readonly StepSeen[]): readonly string[] {
    const { checker, found } = watch(noResolutionWithoutExecution);
    for (const one of seen) checker.onStep?.(one);
    checker.onAnswer?.({ node, by: undefined, request: "{}", answer: JSON.stringify({ result }) });
    return found;
  }
  const executed = observed(0, "sig", framed(resolved(7n, 0)));

  test("a resolution is founded on a transaction that this node saw and that says so", () => {
    assert.deepEqual(shown(dispute("BuyerWins", "sig"), 0, executed), []);
    assert.deepEqual(shown([dispute(null, null)], 0), []);
    assert.deepEqual(shown(dispute(null, "sig", "NoConsensus"), 0, observed(0, "sig", framed(resolved(7n, null)))), []);
  });

  test("finds one that nobody executed, that another node saw, or that reads otherwise", () => {
    assert.equal(shown(dispute("BuyerWins", null), 0).length, 1);
    assert.equal(shown(dispute("BuyerWins", "sig"), 1, executed).length, 1);
    assert.equal(shown([dispute("MerchantWins", "sig")], 0, executed).length, 1);
    assert.equal(shown(dispute("BuyerWins", "other"), 0, executed).length, 1);
    assert.equal(shown(dispute(null, "sig", "NoConsensus"), 0, executed).length, 1);
  });

  test("finds a status that no execution stands behind, and an outcome without its status", () => {
    const status = (value: string, of: object) => ({ ...of, status: value });
    assert.match(shown(status("Resolved", dispute(null, null)), 0)[0] ?? "", /reads Resolved, and no execution/);
    assert.equal(shown(status("Resolved", dispute(null, null)), 0, executed).length, 1);
    assert.match(
      shown(status("Resolved", dispute(null, "sig")), 0, executed)[0] ?? "",
      /status Resolved and the outcome none/,
    );
    for (const open of ["Open", "CaseLocked", "RevealPhase", "AwaitingChainExecution"]) {
      assert.deepEqual(shown(status(open, dispute(null, null)), 0, executed), []);
      assert.equal(shown(status(open, dispute("BuyerWins", "sig")), 0, executed).length, 1, open);
    }
  });

  test("looks into every member of a batch, and at what is streamed", () => {
    const { checker, found } = watch(noResolutionWithoutExecution);
    const claim = { result: { ...dispute(null, null), status: "Resolved" } };
    checker.onAnswer?.({ node: 0, by: undefined, request: "[]", answer: JSON.stringify([{ result: 1 }, claim]) });
    assert.equal(found.length, 1);
    checker.onPublished?.({ node: 0, source: "own", message: JSON.stringify({ method: "x", ...claim }) });
    assert.equal(found.length, 2);
  });

  test("a failed transaction, another program's line or a line outside any program is no execution", () => {
    const line = resolved(7n, 0);
    assert.equal(shown(dispute("BuyerWins", "sig"), 0, observed(0, "sig", framed(line), false)).length, 1);
    assert.equal(shown(dispute("BuyerWins", "sig"), 0, observed(0, "sig", framed(line, "Other"))).length, 1);
    assert.equal(shown(dispute("BuyerWins", "sig"), 0, observed(0, "sig", [line])).length, 1);
    const spoofed = [
      "Program Other invoke [1]",
      `Program log: invoke`,
      `Program ${program} invoke [2]`,
      `Program ${program} success`,
      line,
      "Program Other success",
    ];
    assert.equal(shown(dispute("BuyerWins", "sig"), 0, observed(0, "sig", spoofed)).length, 1);
  });

  test("a completed settlement needs its escrow to have paid the buyer, and names who did it", () => {
    const settlement = { id: "s", reservation_id: "7", state: "Completed", escrow_release_signature: null };
    const by = (signature: string) => ({ ...settlement, escrow_release_signature: signature });
    assert.equal(shown(settlement, 0).length, 1);
    assert.equal(shown(settlement, 0, observed(0, "sig", framed(resolved(8n, 0)))).length, 1);
    assert.equal(shown(settlement, 0, observed(0, "sig", framed(resolved(7n, 1)))).length, 1);
    assert.deepEqual(shown(settlement, 0, executed), []);
    assert.deepEqual(shown(by("sig"), 0, executed), []);
    assert.equal(shown(by("other"), 0, executed).length, 1);
    assert.deepEqual(shown({ ...settlement, state: "Disputed" }, 0), []);
  });
});

describe("facts are final", () => {
  const terms = { buyer: "1".repeat(32), seller: "1".repeat(32), mint: "1".repeat(32), amount: 0n };
  const released = { kind: "released", reservation: 7n, resolution: null, terminal_split: null, ...terms };
  const decided = (resolution: string | null) => ({ ...released, kind: "decided", resolution });
  /** An escrow of the program in a state, as its account begins. */
  const escrow = (reservation: bigint, state: number, owner = program) => {
    const data = Buffer.alloc(200);
    Buffer.from("40de25bd51062756", "hex").copy(data);
    data.writeBigUInt64LE(reservation, 8);
    data[120] = state;
    return { owner, data };
  };
  /** A case of nobody, decided so. */
  const dispute = (reservation: bigint, outcome: number | null, split: number | null = null) => {
    const data = Buffer.alloc(300);
    Buffer.from("a4c836ef5e4c3382", "hex").copy(data);
    data.writeBigUInt64LE(reservation, 8);
    data[72] = 1;
    const at = 130 + 6 * 4 + 80;
    data[at] = outcome === null ? 0 : 1;
    data[at + 1] = outcome ?? 0;
    const splitAt = at + 1 + (data[at] ?? 0) + 30;
    data[splitAt] = split === null ? 0 : 1;
    data[splitAt + 1] = split ?? 0;
    return { owner: program, data };
  };
  /** What is found when a node's step leaves this fact, beside what still waits, and the finalized chain holds that. */
  function held(
    fact: object | undefined,
    waits: boolean,
    accounts: readonly object[],
    { type = "chain.observed", effects = [] as readonly object[] } = {},
  ) {
    const rows = new Map<string, unknown>([
      [ChainFacts.name, fact],
      [PendingFacts.name, waits ? {} : undefined],
    ]);
    const view = { ...noView, get: ({ name }: { name: string }) => rows.get(name) } as StepSeen["view"];
    const chain = {
      accounts: () => new Map(accounts.map((account, at) => [`${at}`, account])),
    } as unknown as ChainView;
    return [ChainFacts.name, PendingFacts.name, "others"].map((table) => {
      const { checker, found } = watch(factsAreFinal, {}, { now: 0 }, () => chain);
      const changes = [{ table, key: "a", record: undefined }];
      checker.onStep?.({ ...step(0, { type } as never, "00x", "00x"), changes, view, effects: effects as never });
      return found.length;
    });
  }

  test("a fact that no longer waits is one that the finalized chain holds", () => {
    assert.deepEqual(held(released, false, [escrow(7n, 3)]), [0, 0, 0]);
    assert.deepEqual(held(decided("BuyerWins"), false, [escrow(7n, 3), dispute(7n, 0)]), [0, 0, 0]);
    const split = { ...decided(null), terminal_split: "QuorumNotReached" };
    assert.deepEqual(held(split, false, [escrow(7n, 4), dispute(7n, null, 1)]), [0, 0, 0]);
  });

  test("finds one that it holds of another escrow, not yet, or otherwise", () => {
    for (const account of [escrow(8n, 3), escrow(7n, 2), escrow(7n, 3, "other"), dispute(7n, 0)])
      assert.deepEqual(held(released, false, [account]), [1, 1, 0]);
    for (const account of [dispute(7n, 1), dispute(7n, null), dispute(8n, 0), escrow(7n, 3)])
      assert.deepEqual(held(decided("BuyerWins"), false, [escrow(7n, 3), account]), [1, 1, 0]);
  });

  test("finds one of other terms, or with another reason than the case has", () => {
    const others = [{ amount: 1n }, { buyer: "b" }, { seller: "s" }, { mint: "m" }];
    for (const other of others) assert.deepEqual(held({ ...released, ...other }, false, [escrow(7n, 3)]), [1, 1, 0]);
    const split = { ...decided(null), terminal_split: "QuorumNotReached" };
    for (const account of [dispute(7n, null, 0), dispute(7n, null), dispute(7n, 0, 1)])
      assert.deepEqual(held(split, false, [escrow(7n, 4), account]), [1, 1, 0]);
    const verdict = { ...decided("BuyerWins"), terminal_split: "QuorumNotReached" };
    assert.deepEqual(held(verdict, false, [escrow(7n, 3), dispute(7n, 0)]), [1, 1, 0]);
  });

  test("finds what is not final yet on a node that waits for finality, and there alone", () => {
    const watching = (commitment?: string) => ({ effects: [{ type: "chain.watch", address: "e", commitment }] });
    assert.deepEqual(held(released, true, [], watching("finalized")), [1, 1, 0]);
    assert.deepEqual(held(released, true, [], watching()), [1, 1, 0]);
    assert.deepEqual(held(released, true, [], watching("confirmed")), [0, 0, 0]);
    assert.deepEqual(held(released, true, [escrow(7n, 3)], watching("finalized")), [0, 0, 0]);
  });

  test("asks nothing of what still waits, is taken back, or was stored", () => {
    assert.deepEqual(held(released, true, []), [0, 0, 0]);
    assert.deepEqual(held(undefined, false, []), [0, 0, 0]);
    assert.deepEqual(held(released, false, [], { type: "store.loaded" }), [0, 0, 0]);
  });
});

describe("absences are heeded", () => {
  /** What is found when a node is told of an absence as of these slots and this is left of what was in slot 100. */
  function left(held: object | undefined, told: { confirmed: bigint; finalized: bigint }, type = "absent") {
    const { checker, found } = watch(absencesAreHeeded);
    const view = { ...noView, find: () => ["a"], get: () => held } as StepSeen["view"];
    const observation = { type, signature: "sig", ...told };
    checker.onStep?.({ ...step(0, { type: "chain.observed", observation } as never, "", ""), view });
    return found;
  }
  const pending = { slot: 100n, final: false };
  const final = { slot: 100n, final: true };

  test("finds what is left of a transaction that the chain, past its slot, does not hold", () => {
    const violation = "node 0 is told that the chain does not hold sig, and keeps what it read from it";
    assert.deepEqual(left(pending, { confirmed: 100n, finalized: 68n }), [violation]);
    assert.deepEqual(left(final, { confirmed: 132n, finalized: 100n }), [violation]);
  });

  test("says nothing where nothing is left, an endpoint is behind, or it told of something else", () => {
    assert.deepEqual(left(undefined, { confirmed: 200n, finalized: 168n }), []);
    assert.deepEqual(left(pending, { confirmed: 99n, finalized: 67n }), []);
    assert.deepEqual(left(final, { confirmed: 131n, finalized: 99n }), []);
    assert.deepEqual(left(pending, { confirmed: 200n, finalized: 168n }, "transaction"), []);
  });
});

describe("one execution", () => {
  const shows = (signature: string | null) =>
    JSON.stringify({ id: 1, result: [{ id: "d", onchain_execution_signature: signature }] });
  const asked = { node: 0, by: undefined, request: '{"method":"getDisputes"}' };

  test("finds a second transaction that closes an escrow, whoever sees it", () => {
    const { checker, found } = watch(oneExecution);
    checker.onStep?.(observed(0, "one", framed(resolved(7n, 0))));
    checker.onStep?.(observed(1, "one", framed(resolved(7n, 0))));
    checker.onStep?.(observed(1, "two", framed(resolved(8n, 0))));
    assert.deepEqual(found, []);
    checker.onStep?.(observed(2, "two", framed(resolved(7n, 0))));
    assert.deepEqual(found, ["escrow 7 was closed: by one and by two"]);
  });

  test("what an endpoint tells as done closed nothing where the chain says that it failed", () => {
    const told = (err: object | null | undefined) => {
      const chain = { transaction: () => (err === undefined ? undefined : { err }) } as unknown as ChainView;
      const { checker, found } = watch(oneExecution, {}, { now: 0 }, () => chain);
      for (const signature of ["one", "two"]) checker.onStep?.(observed(0, signature, framed(resolved(7n, 0))));
      return found.length;
    };
    assert.deepEqual([told({ type: "custom" }), told(null), told(undefined)], [0, 1, 1]);
  });

  test("finds another transaction named in any answer that shows the case", () => {
    const { checker, found } = watch(oneExecution);
    for (const signature of [null, "one", "one", null]) checker.onAnswer?.({ ...asked, answer: shows(signature) });
    assert.deepEqual(found, []);
    checker.onAnswer?.({ ...asked, node: 1, answer: `[${shows("two")}]` });
    assert.deepEqual(found, ["d is shown decided: by one and by two"]);
  });
});

describe("decision observed", () => {
  const ends = (...seen: readonly StepSeen[]) => {
    const { checker, found } = watch(decisionObserved(7n));
    for (const one of seen) checker.onStep?.(one);
    checker.onEnd?.({ nodes: [] });
    return found;
  };

  test("wants somebody to have seen the case of that escrow decided", () => {
    assert.deepEqual(ends(observed(2, "s", framed(resolved(7n, null)))), []);
    assert.equal(ends().length, 1);
    assert.equal(ends(observed(0, "s", framed(resolved(8n, 0)))).length, 1);
    assert.equal(ends(observed(0, "s", framed(resolved(7n, 0)), false)).length, 1);
  });
});

describe("submits once", () => {
  const submit = (signature: string) => ({
    node: 0,
    effect: { type: "chain.submit", signature, bytes: new Uint8Array() } as const,
  });
  const refused = step(
    0,
    { type: "chain.observed", observation: { type: "refused", signature: "s" } } as never,
    "",
    "",
  );

  test("finds a second submission in one life that no endpoint asked for", () => {
    const { checker, found } = watch(submitsOnce);
    checker.onEffect?.(submit("s"));
    checker.onEffect?.({ ...submit("s"), node: 1 });
    checker.onStep?.(refused);
    checker.onEffect?.(submit("s"));
    checker.onCrash?.({ node: 0, view: noView, lied: 0 });
    checker.onEffect?.(submit("s"));
    checker.onCommit?.({ node: 0, view: noView, report: { type: "failed" } });
    checker.onEffect?.(submit("s"));
    assert.deepEqual(found, []);
    checker.onEffect?.(submit("s"));
    assert.deepEqual(found, ["node 0 submitted s twice"]);
  });

  test("says nothing of what is no submission", () => {
    const { checker, found } = watch(submitsOnce);
    const watching = { node: 0, effect: { type: "chain.watch", address: "a", signature: "s" } as never };
    checker.onEffect?.(submit("s"));
    checker.onEffect?.(watching);
    checker.onEffect?.(watching);
    assert.deepEqual(found, []);
  });
});

test("a case is read from its account, and one that an endpoint spoiled is read or not, and nothing more", () => {
  const account = accounts()[1]?.account;
  if (account === undefined || account === null) return assert.fail("there is a case");
  const { owner, data } = account;
  assert.deepEqual(closingOfAccount(account, owner), { reservation: "42", outcome: "BuyerWins", split: null });
  for (let bit = 0; bit < 8 * data.length; bit += 1) {
    const spoiled = Uint8Array.from(data);
    const at = Math.floor(bit / 8);
    spoiled[at] = (spoiled[at] ?? 0) ^ (1 << (bit % 8));
    assert.doesNotThrow(() => closingOfAccount({ owner, data: spoiled }, owner), `bit ${bit}`);
  }
  assert.isUndefined(closingOfAccount({ owner, data: data.subarray(0, 131) }, owner), "its lists are cut off");
});
