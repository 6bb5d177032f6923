/**
 * R1 to R11 of protocol 03 A.10.3 as checks on one node: each tells a story and answers what broke, or nothing. The
 * modules may be copies with a planted bug.
 */

import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { fromBase58 } from "../../core/kernel/text.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { crypto } from "../rpc/lone-node.ts";
import type { Closed, Core } from "./case-node.ts";
import {
  AMOUNT,
  accounts,
  at,
  BUYER_WON,
  buyer,
  caseNode,
  execution,
  later,
  openDispute,
  otherMint,
  release,
  STANDS,
  seller,
  settlementState,
  shown,
  T,
  tell,
} from "./case-node.ts";

export type Rule = (core?: Core) => string | undefined;

/** The first of the cases that did not come out. */
function first(rule: string, ...cases: readonly (readonly [what: string, is: unknown, wanted: unknown])[]) {
  for (const [what, is, wanted] of cases) {
    const [left, right] = [is, wanted].map((value) => JSON.stringify(value) ?? "undefined");
    if (left !== right) return `${rule}: ${what}: ${left}, not ${right}`;
  }
  return undefined;
}

/** A node that was told of an execution and read the accounts that it asked for. */
function told(closed: Closed, node: LoneNode, read: Closed = closed): LoneNode {
  tell(node, execution(closed), ...accounts(read));
  return node;
}

function watched(node: LoneNode): readonly string[] {
  return node.effects.flatMap((effect) => (effect.type === "chain.watch" ? [effect.address] : []));
}

function asked(effects: LoneNode["effects"]): readonly string[] {
  return effects.flatMap((effect) =>
    effect.type === "chain.read" || effect.type === "chain.check" ? [effect.type] : [],
  );
}

const escrow = at.tradeEscrow(42n).address;

/** R1: a decimal id up to 2^64 − 1 is the on-chain number; any other is bound to nothing. */
export function R1(core?: Core): string | undefined {
  const node = (reservation: string) => caseNode({ ...(core && { core }), reservation });
  const leading = told({}, node("0042"));
  return first(
    "R1",
    ["42 is watched", watched(node("42")), [escrow]],
    ["42 resolves", settlementState(told({}, node("42"))), BUYER_WON],
    ["0042 is the same number", watched(leading), [escrow]],
    ["0042 resolves", settlementState(leading, "0042"), BUYER_WON],
    ["2^64 is none", watched(node("18446744073709551616")), []],
    ["2^64 − 1 is one", watched(node("18446744073709551615")), [at.tradeEscrow((1n << 64n) - 1n).address]],
    ["a word is none", watched(node("abc")), []],
  );
}

/** R1b: the escrow must name the trade's parties, mint and amount. An attacker's escrow under the number is not it. */
export function R1b(core?: Core): string | undefined {
  const foreign = (closed: Closed) => {
    const node = told(closed, caseNode(core && { core }));
    // What names nobody's trade is read again, and then looked at; it stays foreign.
    for (let n = 0n; n < 12n; n += 1n) {
      later(node, 60_000);
      tell(node, ...accounts({ ...closed, slot: 1_000n + n }));
    }
    return settlementState(node);
  };
  return first(
    "R1b",
    ["another buyer", foreign({ buyer: seller }), STANDS],
    ["another seller", foreign({ seller: buyer }), STANDS],
    ["another mint", foreign({ mint: otherMint }), STANDS],
    ["another amount", foreign({ amount: AMOUNT - 1n }), STANDS],
    ["the event names others", settlementState(told({ buyer: seller }, caseNode(core && { core }), {})), STANDS],
    ["all of them", foreign({}), BUYER_WON],
  );
}

/** R3: only a successful, final transaction in which the escrow program executes this very case counts. */
export function R3(core?: Core): string | undefined {
  const node = () => caseNode(core && { core });
  const whole = execution();
  const altered = (change: Partial<typeof whole>) => {
    const one = node();
    tell(one, { ...whole, ...change }, ...accounts());
    return settlementState(one);
  };
  const other = execution({ reservation: 43n });
  return first(
    "R3",
    ["confirmed only", settlementState(told({ commitment: "confirmed" }, node())), STANDS],
    ["failed", altered({ succeeded: false }), STANDS],
    ["another case's execution", altered({ wire: other.wire, signature: other.signature }), STANDS],
    ["another signature", altered({ signature: other.signature }), STANDS],
    ["bytes that nobody signed", altered({ wire: whole.wire.with(70, 1) }), STANDS],
    ["final", settlementState(told({}, node())), BUYER_WON],
    ["invoked by another program", settlementState(told({ inner: true }, node())), BUYER_WON],
  );
}

/** R4: event and accounts agree, read at the transaction's slot or later; else they are read again. */
export function R4(core?: Core): string | undefined {
  const node = () => caseNode(core && { core });
  const torn = told({}, node(), { outcome: "MerchantWins" });
  const early = told({}, node(), { slot: 999n });
  const worse = told({ outcome: "MerchantWins" }, node(), { outcome: "Invalid" });
  const before = [settlementState(torn), settlementState(early), settlementState(worse)];
  const again = asked(later(torn, 5_000));
  tell(torn, ...accounts());
  const split = told({ outcome: null, reason: "QuorumNotReached" }, node());
  return first(
    "R4",
    ["the case says otherwise, or is older", before, [STANDS, STANDS, STANDS]],
    ["asked again", again, ["chain.check", "chain.read", "chain.read"]],
    ["agrees later", settlementState(torn), BUYER_WON],
    [
      "merchant",
      settlementState(told({ outcome: "MerchantWins" }, node())),
      "Resolved MerchantWins, Cancelled, EscrowLocked",
    ],
    ["invalid", settlementState(told({ outcome: "Invalid" }, node())), "Resolved Invalid, Cancelled, EscrowLocked"],
    [
      "mutual",
      settlementState(told({ outcome: "MutualSettlement" }, node())),
      "Resolved MutualSettlement, Completed, Settled",
    ],
    ["terminal split", settlementState(split), "Resolved none, Completed, Settled"],
    ["why", shown(split).terminal_split, "QuorumNotReached"],
  );
}

/** R5: a round that begins anew records nothing, and the watch goes on. */
export function R5(core?: Core): string | undefined {
  const node = told({ reopened: true }, caseNode(core && { core }));
  const between = [settlementState(node), shown(node).onchain_execution_signature];
  told({ nth: 1, slot: 2_000n }, node);
  return first("R5", ["another round", between, [STANDS, null]], ["decided later", settlementState(node), BUYER_WON]);
}

/** R6: what was taken at confirmed is undone when the fork drops it, and kept once it is final. */
export function R6(core?: Core): string | undefined {
  const node = () => caseNode({ ...(core && { core }), told: { chainCommitment: "confirmed" } });
  const confirmed: Closed = { commitment: "confirmed" };
  const dropped = node();
  const roots = dropped.roots();
  told(confirmed, dropped);
  const { signature } = execution();
  const taken = settlementState(dropped);
  tell(dropped, { type: "absent", signature, confirmed: 999n, finalized: 990n });
  const behind = settlementState(dropped);
  tell(dropped, { type: "absent", signature, confirmed: 1_001n, finalized: 990n });
  const undone = [settlementState(dropped), dropped.roots()];
  const moved = told(confirmed, node());
  // On the surviving fork the same transaction decides otherwise.
  tell(moved, execution({ outcome: "MerchantWins" }));
  const between = settlementState(moved);
  tell(moved, ...accounts({ outcome: "MerchantWins" }));
  const kept = told(confirmed, node());
  tell(kept, execution(), ...accounts());
  tell(kept, { type: "absent", signature, confirmed: 9_000n, finalized: 9_000n });
  const restarted = told(confirmed, node()).restart();
  const looks = asked(later(restarted, 10_000));
  tell(restarted, { type: "absent", signature, confirmed: 1_001n, finalized: 990n });
  return first(
    "R6",
    ["taken", taken, BUYER_WON],
    ["an endpoint that is behind undoes nothing", behind, BUYER_WON],
    ["undone, every root as before", undone, [STANDS, roots]],
    ["another decision of the same transaction", between, STANDS],
    ["which counts", settlementState(moved), "Resolved MerchantWins, Cancelled, EscrowLocked"],
    ["final stays", settlementState(kept), BUYER_WON],
    ["a restart still looks", looks, ["chain.check"]],
    ["and undoes", settlementState(restarted), STANDS],
  );
}

/** R7: a read that fails is tried again, ever later; a submission is forgotten when it can land no more. */
export function R7(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  tell(node, execution(), { type: "unavailable", reason: "down" });
  const tries = [5_000, 5_000, 5_000, 20_000].map((ms) => asked(later(node, ms)).length);
  tell(node, ...accounts());
  const sender = caseNode(core && { core });
  const { wire, signature } = execution();
  tell(sender, { type: "slot", slot: 1_000n, blockhash: "b" });
  const send = () => sender.call("sendTransaction", { data: Buffer.from(wire).toString("base64") });
  const submits = () => sender.effects.filter((effect) => effect.type === "chain.submit").length;
  send();
  send();
  const once = submits();
  const checks = asked(later(sender, 5_000));
  tell(sender, { type: "absent", signature, confirmed: 1_310n, finalized: 1_301n });
  const after = asked(later(sender, 60_000));
  const misled = caseNode(core && { core });
  tell(misled, { type: "slot", slot: 1_000_000_000n, blockhash: "b" });
  misled.call("sendTransaction", { data: Buffer.from(wire).toString("base64") });
  tell(misled, { type: "absent", signature, confirmed: 1_000n, finalized: 969n });
  const awaited = asked(later(misled, 5_000));
  tell(misled, { type: "absent", signature, confirmed: 1_332n, finalized: 1_301n });
  return first(
    "R7",
    ["asks later and later", tries, [3, 0, 3, 3]],
    ["then resolves", settlementState(node), BUYER_WON],
    ["submitted once", once, 1],
    ["asked for", checks, ["chain.check"]],
    ["forgotten", after, []],
    ["asked for on a slot that was wrong", awaited, ["chain.check"]],
    ["forgotten as the chain's own slots pass", asked(later(misled, 60_000)), []],
  );
}

/** R8: a node that submitted nothing sees the decision; one that restarts watches on. */
export function R8(core?: Core): string | undefined {
  const before = caseNode(core && { core });
  const restarted = before.restart();
  const half = caseNode(core && { core });
  tell(half, execution());
  const again = half.restart();
  tell(again, ...accounts());
  return first(
    "R8",
    ["watches", watched(before), [escrow]],
    ["watches after a restart", watched(restarted), [escrow]],
    ["resolves after a restart", settlementState(told({}, restarted)), BUYER_WON],
    ["a restart between transaction and accounts", settlementState(again), BUYER_WON],
    ["a decision ends the watch", told({}, before).effects.filter((e) => e.type === "chain.unwatch").length, 1],
    ["a restart after it watches nothing", watched(before.restart()), []],
  );
}

/** R9: a node without an endpoint watches nothing and believes nobody. */
export function R9(core?: Core): string | undefined {
  const node = caseNode({ ...(core && { core }), told: { chain: "GossipOnly" } });
  told({}, node);
  return first("R9", ["it watches", watched(node), []], ["it resolves", settlementState(node), STANDS]);
}

/** R10: the first verified decision stands; a later, different one is an alarm. */
export function R10(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  const other: Closed = { outcome: "MerchantWins", nth: 1, slot: 1_001n };
  tell(node, execution(), execution(other), ...accounts());
  const before = settlementState(node);
  tell(node, ...accounts(other));
  const alarms = node.effects.filter((effect) => effect.type === "log" && effect.level === "error").length;
  tell(node, execution(), ...accounts());
  return first(
    "R10",
    ["first", before, BUYER_WON],
    ["still the first", settlementState(node), BUYER_WON],
    ["one alarm", alarms, 1],
    ["one fact", node.view.size(ChainFacts), 1],
  );
}

/** R11: a fact is named by what was decided, has no part in dates, and waits for its dispute. */
export function R11(core?: Core): string | undefined {
  const node = told({}, caseNode({ ...(core && { core }), disputed: false }));
  const completed = (node.call("getSettlement", { id: "s-1" }) as { readonly state: string }).state;
  openDispute(node, 50n);
  const seen = execution();
  const parts = [at.profile.escrowProgram, at.disputeCase(42n).address].map((address) => fromBase58(address));
  const ended = Uint8Array.of(0, 0);
  const id = toHex(crypto.sha256(Buffer.concat([...parts, ended].map((part) => part ?? new Uint8Array(0)))));
  return first(
    "R11",
    ["before any open", completed, "Completed"],
    ["afterwards", settlementState(node), BUYER_WON],
    ["its name", [...node.view.keys(ChainFacts)], [id]],
    ["its transaction", shown(node).onchain_execution_signature, seen.signature],
    ["its date is nobody's", shown(node).updated_at, Number(T) + 50],
  );
}

/** Completion is bound in the same way (W-1): instruction, event, escrow account. */
export function W1(core?: Core): string | undefined {
  const state = (closed: Closed, read: Closed = closed) => {
    const node = caseNode({ ...(core && { core }), disputed: false });
    tell(node, release(closed), ...accounts(read).slice(0, 1));
    return (node.call("getSettlement", { id: "s-1" }) as { readonly state: string }).state;
  };
  return first(
    "W1",
    ["a release", state({}), "Completed"],
    ["invoked by another program", state({ inner: true }), "Completed"],
    ["of another escrow", state({ reservation: 43n }), "PaymentSubmitted"],
    ["of another amount", state({ amount: 1n }, {}), "PaymentSubmitted"],
    ["that the escrow does not bear out", state({}, { outcome: "MerchantWins" }), "PaymentSubmitted"],
    ["an execution's event is no release", executedAsRelease(core), "PaymentSubmitted"],
  );
}

function executedAsRelease(core?: Core): string {
  const node = caseNode({ ...(core && { core }), disputed: false });
  tell(node, { ...release(), logs: execution().logs }, ...accounts().slice(0, 1));
  return (node.call("getSettlement", { id: "s-1" }) as { readonly state: string }).state;
}
