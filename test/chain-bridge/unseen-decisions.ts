/**
 * Decisions that no event tells of, as checks on one node: each answers what broke, or nothing. The modules may be
 * copies with a planted bug. Source: protocol 03 A.10.3 R3, R4, R11; DESIGN "A decision cannot be hidden".
 */

import { Looks, PendingFacts } from "../../core/domains/chain-bridge/tables.ts";
import { ChainFacts } from "../../core/domains/trade/settlements/tables.ts";
import { systemProgram } from "../../core/solana/addresses.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import type { Closed, Core } from "./case-node.ts";
import {
  accounts,
  BUYER_WON,
  caseNode,
  execution,
  later,
  release,
  STANDS,
  settlementState,
  shown,
  tell,
} from "./case-node.ts";

export type Check = (core?: Core) => string | undefined;

type Accounts = (closed: Closed) => ReturnType<typeof accounts>;

/** Escrow and case, read at so many slots, one after another. */
function readAt(node: LoneNode, slots: readonly bigint[], closed: Closed = {}, read: Accounts = accounts): LoneNode {
  for (const slot of slots) tell(node, ...read({ ...closed, slot }));
  return node;
}

const reads = (effects: LoneNode["effects"]) => effects.filter(({ type }) => type === "chain.read").length;

function first(...cases: readonly (readonly [what: string, is: unknown, wanted: unknown])[]): string | undefined {
  for (const [what, is, wanted] of cases) {
    const [left, right] = [is, wanted].map((value) => JSON.stringify(value) ?? "undefined");
    if (left !== right) return `${what}: ${left}, not ${right}`;
  }
  return undefined;
}

/** Memos before it pushed the event out of the log: the program's own lines are gone. */
const cut = (seen: ReturnType<typeof execution>) => ({ ...seen, logs: [...seen.logs.slice(0, 1), "Log truncated"] });

/** A node that was told of the decision in the ordinary way. */
function ordinary(closed: Closed, core?: Core): LoneNode {
  const node = caseNode(core && { core });
  tell(node, execution(closed), ...accounts(closed));
  return node;
}

/** An execution whose log was cut decides all the same, and gives the same facts. */
export function cutLog(core?: Core): string | undefined {
  const outcomes: readonly Closed[] = [
    { outcome: "BuyerWins" },
    { outcome: "MerchantWins" },
    { outcome: "MutualSettlement" },
    { outcome: null, reason: "NoConsensus" },
  ];
  for (const closed of outcomes) {
    const node = caseNode(core && { core });
    tell(node, cut(execution(closed)));
    readAt(node, [1_010n, 1_020n], closed);
    const wanted = ordinary(closed, core);
    const found = first(
      ["it reads", settlementState(node), settlementState(wanted)],
      ["why", shown(node).terminal_split, shown(wanted).terminal_split],
      ["its transaction", shown(node).onchain_execution_signature, execution(closed).signature],
      ["facts and state", node.roots(), wanted.roots()],
    );
    if (found !== undefined) return `${closed.outcome}: ${found}`;
  }
  return undefined;
}

/** Metadata that an endpoint does not tell is not empty: what another program invoked there may have decided. */
export function unknownMetadata(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  const { inner: _, ...seen } = execution({ inner: true });
  tell(node, { ...seen, logs: [] });
  const asked = reads(node.effects);
  readAt(node, [1_010n, 1_020n]);
  return first(
    ["asks for both accounts", asked, 2],
    ["decided", settlementState(node), BUYER_WON],
    ["facts and state", node.roots(), ordinary({}, core).roots()],
  );
}

/** A transaction that nobody tells of at all: the escrow itself shows that it is closed. */
export function hiddenTransaction(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  tell(node, ...accounts().slice(0, 1));
  const asked = reads(node.effects);
  readAt(node, [1_010n, 1_020n]);
  return first(
    ["asks for both accounts", asked, 2],
    ["decided", settlementState(node), BUYER_WON],
    ["no transaction", shown(node).onchain_execution_signature, null],
    ["facts and state", node.roots(), ordinary({}, core).roots()],
  );
}

/** The same at a node that takes what is confirmed: it is told so first, and what is final decides. */
export function hiddenFromConfirmed(core?: Core): string | undefined {
  const confirmed = () => caseNode({ ...(core && { core }), told: { chainCommitment: "confirmed" } });
  const closed = accounts({ commitment: "confirmed" }).slice(0, 1);
  const node = confirmed();
  tell(node, ...closed);
  const asked = reads(node.effects);
  tell(node, ...accounts({ commitment: "confirmed", slot: 1_005n }));
  const before = settlementState(node);
  readAt(node, [1_010n, 1_020n]);
  const dropped = confirmed();
  tell(dropped, ...closed);
  readAt(dropped, [1_010n, 1_020n, 1_030n, 1_040n, 1_050n], { open: true });
  return first(
    ["asks for both accounts", asked, 2],
    ["what is only confirmed is no reading", before, STANDS],
    ["decided", settlementState(node), BUYER_WON],
    ["facts and state", node.roots(), ordinary({}, core).roots()],
    ["a fork dropped it", [settlementState(dropped), dropped.view.size(Looks)], [STANDS, 0]],
  );
}

/** Misread as open or as nothing, once or four times: it is read again, and the true readings decide. */
export function misreadAsOpen(core?: Core): string | undefined {
  const lies: readonly Accounts[] = [
    (closed) => accounts({ ...closed, open: true }).slice(0, 1),
    (closed) =>
      accounts(closed)
        .slice(0, 1)
        .map((seen) => ({ ...seen, account: null })),
  ];
  for (const [place, lie] of lies.entries()) {
    for (const often of [1, 4]) {
      const node = caseNode(core && { core });
      tell(node, ...accounts().slice(0, 1));
      const slots = [1_010n, 1_020n, 1_030n, 1_040n].slice(0, often);
      readAt(node, slots, {}, lie);
      const before = [settlementState(node), node.view.size(Looks)];
      readAt(node, [1_050n, 1_060n]);
      const found = first(
        ["it goes on looking", before, [STANDS, 1]],
        ["decided", settlementState(node), BUYER_WON],
        ["facts and state", node.roots(), ordinary({}, core).roots()],
      );
      if (found !== undefined) return `lie ${place}, ${often} times: ${found}`;
    }
  }
  return undefined;
}

/** Told closed before its event is, it looks; what the event adds stays when the look ends first. */
export function lookBeforeEvent(core?: Core): string | undefined {
  const node = caseNode({ ...(core && { core }), told: { chainCommitment: "confirmed" } });
  const confirmed = { commitment: "confirmed" } as const;
  tell(node, ...accounts(confirmed).slice(0, 1), execution(confirmed), ...accounts(confirmed));
  const told = () => [...node.view.keys(ChainFacts)].map((key) => `${node.view.get(ChainFacts, key)?.timestamp}`);
  const before = [settlementState(node), node.view.size(Looks)];
  readAt(node, [1_010n, 1_020n]);
  return first(
    ["known at once, and looked at", before, [BUYER_WON, 1]],
    ["final", node.view.size(PendingFacts), 0],
    ["when the chain closed it", told(), ["1786000100000"]],
    ["its transaction", shown(node).onchain_execution_signature, execution().signature],
    ["facts and state", node.roots(), ordinary({}, core).roots()],
  );
}

const state = (node: LoneNode) => (node.call("getSettlement", { id: "s-1" }) as { readonly state: string }).state;

const withoutCase: Accounts = (closed) => {
  const [escrow, dispute] = accounts(closed);
  return escrow === undefined || dispute === undefined ? [] : [escrow, { ...dispute, account: null }];
};

/** A release that no event tells of: there is no case, and the escrow is released. */
export function hiddenRelease(core?: Core): string | undefined {
  const usual = caseNode({ ...(core && { core }), disputed: false });
  tell(usual, release(), ...accounts().slice(0, 1));
  const node = caseNode({ ...(core && { core }), disputed: false });
  tell(node, cut(release()));
  const often = [1_010n, 1_020n, 1_030n, 1_040n, 1_050n];
  readAt(node, often, { approved: true }, withoutCase);
  const unapproved = caseNode({ ...(core && { core }), disputed: false });
  readAt(unapproved, often, {}, withoutCase);
  const back = caseNode({ ...(core && { core }), disputed: false });
  readAt(back, often, { outcome: "MerchantWins" }, withoutCase);
  return first(
    ["released", state(node), "Completed"],
    ["facts and state", node.roots(), usual.roots()],
    ["released without approval or case is a lie", state(unapproved), "PaymentSubmitted"],
    ["given back without a case decides nothing", [state(back), back.view.size(Looks)], ["PaymentSubmitted", 0]],
  );
}

/** Lamports at the address of a case that nobody opened. */
const paidCase: Accounts = (closed) => {
  const [escrow, dispute] = accounts(closed);
  const gift = { owner: systemProgram, lamports: 890_880n, data: new Uint8Array(0) };
  return escrow === undefined || dispute === undefined ? [] : [escrow, { ...dispute, account: gift }];
};

/** Anybody can pay lamports to the address of a case: that opens none, and hides neither a release nor a return. */
export function paidCaseAddress(core?: Core): string | undefined {
  const often = [1_010n, 1_020n, 1_030n, 1_040n, 1_050n];
  const usual = caseNode({ ...(core && { core }), disputed: false });
  tell(usual, release(), ...accounts().slice(0, 1));
  const node = caseNode({ ...(core && { core }), disputed: false });
  tell(node, cut(release()));
  readAt(node, often.slice(0, 2), { approved: true }, withoutCase);
  readAt(node, often.slice(2), { approved: true }, paidCase);
  const back = caseNode({ ...(core && { core }), disputed: false });
  readAt(back, often, { outcome: "MerchantWins" }, paidCase);
  return first(
    ["released", state(node), "Completed"],
    ["facts and state", node.roots(), usual.roots()],
    ["given back", [state(back), back.view.size(Looks)], ["PaymentSubmitted", 0]],
  );
}

/** Four right readings of such a release, and one with another amount: they are not five that agree. */
export function misreadRelease(core?: Core): string | undefined {
  const usual = caseNode({ ...(core && { core }), disputed: false });
  tell(usual, release(), ...accounts().slice(0, 1));
  const node = caseNode({ ...(core && { core }), disputed: false });
  tell(node, cut(release()));
  readAt(node, [1_010n, 1_020n, 1_030n, 1_040n], { approved: true }, withoutCase);
  readAt(node, [1_050n], { approved: true, amount: 1n }, withoutCase);
  const misread = state(node);
  readAt(node, [1_060n, 1_070n, 1_080n, 1_090n], { approved: true }, withoutCase);
  const four = state(node);
  readAt(node, [1_100n], { approved: true }, withoutCase);
  return first(
    ["four and a misread one", misread, "PaymentSubmitted"],
    ["then four", four, "PaymentSubmitted"],
    ["then five", state(node), "Completed"],
    ["facts and state", node.roots(), usual.roots()],
  );
}

/** An event whose accounts could not be read for long, and then are misread: a fact about nobody's trade waits. */
export function misreadLate(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  tell(node, execution());
  for (let n = 0; n < 6; n += 1) later(node, 60_000);
  tell(node, ...accounts({ slot: 1_010n, amount: 1n }));
  const misread = [settlementState(node), [...node.view.keys(ChainFacts)].length];
  readAt(node, [1_020n, 1_030n]);
  const foreign = caseNode(core && { core });
  tell(foreign, execution());
  for (let n = 0; n < 6; n += 1) later(foreign, 60_000);
  readAt(foreign, [1_010n], { amount: 1n });
  readAt(foreign, [1_020n, 1_030n, 1_040n, 1_050n, 1_060n], { amount: 1n });
  return first(
    ["misread once", misread, [STANDS, 0]],
    ["decided", settlementState(node), BUYER_WON],
    ["facts and state", node.roots(), ordinary({}, core).roots()],
    ["nobody's trade", settlementState(foreign), STANDS],
    ["is a fact in the end", [...foreign.view.keys(ChainFacts)].length, 1],
  );
}

/** One reading decides nothing, nor do two as of one slot, two that differ, or any that is not final. */
export function readingsAgree(core?: Core): string | undefined {
  const node = () => caseNode(core && { core });
  const torn = readAt(node(), [1_000n], { outcome: "MutualSettlement" });
  readAt(torn, [1_010n]);
  const before = settlementState(torn);
  readAt(torn, [1_020n]);
  const open = node();
  tell(open, execution({ reopened: true }));
  const looked = open.view.size(Looks);
  readAt(open, [1_010n], {}, (closed) => accounts({ ...closed, reopened: true }));
  return first(
    ["once", settlementState(readAt(node(), [1_000n])), STANDS],
    ["twice at one slot", settlementState(readAt(node(), [1_000n, 1_000n])), STANDS],
    ["confirmed", settlementState(readAt(node(), [1_000n, 1_010n], { commitment: "confirmed" })), STANDS],
    ["two that differ", before, STANDS],
    ["then two that agree", settlementState(torn), BUYER_WON],
    ["a new round is looked at", looked, 1],
    ["the escrow of another trade", settlementState(readAt(node(), [1_000n, 1_010n], { amount: 1n })), STANDS],
  );
}

/** Eight forged stories of one escrow, and then the true one. */
export function forgedFacts(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  const lies = (["MerchantWins", "Invalid", "MutualSettlement", null] as const).flatMap((outcome, place) =>
    [0, 1].map((round) => execution({ outcome, round, nth: 1 + 2 * place + round })),
  );
  tell(node, ...lies);
  const full = node.view.size(PendingFacts);
  tell(node, execution());
  const asked = node.view.size(Looks);
  later(node, 5_000);
  readAt(node, [1_010n, 1_020n]);
  return first(
    ["the bound is full", full, 8],
    ["what is dropped is asked for", asked, 1],
    ["decided", settlementState(node), BUYER_WON],
    ["facts", node.roots().facts, ordinary({}, core).roots().facts],
  );
}

/** Whatever fails or is fully told costs no read; what does not is one look of an escrow at a time. */
export function spam(core?: Core): string | undefined {
  const node = caseNode(core && { core });
  const before = reads(node.effects);
  for (let nth = 0; nth < 50; nth += 1) tell(node, execution({ succeeded: false, nth }));
  const failed = reads(node.effects) - before;
  for (let nth = 0; nth < 50; nth += 1) tell(node, cut(execution({ nth })));
  return first(
    ["failed copies", failed, 0],
    ["unexplained ones", reads(node.effects) - before, 2],
    ["looks", node.view.size(Looks), 1],
  );
}
