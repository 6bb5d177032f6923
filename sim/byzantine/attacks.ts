/**
 * Attacks as data: what a member of the network without a core comes to do. Each is a plain value that any scenario can
 * hold; attack-kinds.ts says what each kind does. Names are those of people in the scenario.
 * Source: DESIGN section 5 "Everything is data", "Faults".
 */
import type { Infer } from "../../core/index.ts";
import { enumeration, list, struct, u64 } from "../../core/index.ts";
import { kinds, plainText, small } from "../../core/testing.ts";
import { Milliseconds, NodeIndex } from "../data/values.ts";

const kind = <const K extends string>(name: K) => ({ kind: enumeration(name) });
/** A trade that others made: whose offer, and the ids of its records. */
const aim = { merchant: plainText, offer: plainText, reservation: plainText, settlement: plainText };
/** Everything that acts on a trade can be about, and who may say them. */
const aboutTrade = {
  ...aim,
  dispute: plainText,
  buyer: plainText,
  seller: plainText,
  others: list(plainText),
  units: u64,
};
const Vote = enumeration("BuyerWins", "MerchantWins", "Invalid");
/** What can be signed about a trade. */
export const TradeActName = enumeration(
  ...(["pay", "reverse", "approve", "reject", "cancel", "open", "agree", "cancel-reservation", "join"] as const),
  ...(["commit", "reveal", "request", "initiate", "reprice", "close", "change-terms", "review"] as const),
);
export type TradeActName = Infer<typeof TradeActName>;
/**
 * One act of a series: by whom, which of the things that it may say, and how far before it is said it is dated.
 * Source: DESIGN section 5 "Everything is data".
 */
export const ChosenAct = struct("ChosenAct", {
  ...{ act: TradeActName, by: plainText, draw: small(8), earlierMs: Milliseconds },
});
export type ChosenAct = Infer<typeof ChosenAct>;
/** Names under which one attacker speaks. Source: DESIGN "Simulated world". */
const Origins = small(8, { least: 1, most: 255 });
/** Statements that one attacker claims to hold. Source: DESIGN "Simulated world". */
const Holdings = small(32, { least: 1, most: 4_096 });

/** Statements that each of those who come and go pushes. Source: DESIGN "Simulated world". */
const Pushes = small(8, { least: 0, most: 255 });

const forms = {
  "claimed-addresses": struct("claimed-addresses", { ...kind("claimed-addresses") }),
  "back-dating": struct("back-dating", {
    ...kind("back-dating"),
    ...{ merchant: plainText, offer: plainText, byMs: Milliseconds },
  }),
  "ballot-crowd": struct("ballot-crowd", { ...kind("ballot-crowd"), ...{ proposal: plainText } }),
  "broken-frames": struct("broken-frames", { ...kind("broken-frames") }),
  "case-crowd": struct("case-crowd", { ...kind("case-crowd"), ...{ dispute: plainText } }),
  "chosen-acts": struct("chosen-acts", { ...kind("chosen-acts"), ...aboutTrade, acts: list(ChosenAct) }),
  "claimed-holdings": struct("claimed-holdings", { ...kind("claimed-holdings"), ...{ many: Holdings } }),
  "claimed-payment": struct("claimed-payment", {
    ...kind("claimed-payment"),
    ...{ merchant: plainText, offer: plainText },
  }),
  "claimed-verdict": struct("claimed-verdict", {
    ...kind("claimed-verdict"),
    ...{ dispute: plainText, settlement: plainText, signature: plainText },
  }),
  equivocation: struct("equivocation", { ...kind("equivocation") }),
  "ever-more": struct("ever-more", { ...kind("ever-more") }),
  "every-order": struct("every-order", {
    ...kind("every-order"),
    ...{ dispute: plainText, settlement: plainText, opener: plainText },
    arbitrators: list(struct("ArbitratorVote", { name: plainText, vote: Vote })),
  }),
  "false-dates": struct("false-dates", { ...kind("false-dates") }),
  "forged-slots": struct("forged-slots", { ...kind("forged-slots"), ...{ slot: u64, origins: Origins } }),
  "fresh-peers": struct("fresh-peers", { ...kind("fresh-peers"), ...{ many: Pushes } }),
  "hollow-votes": struct("hollow-votes", { ...kind("hollow-votes"), ...{ dispute: plainText } }),
  "hop-counts": struct("hop-counts", { ...kind("hop-counts") }),
  "id-grinding": struct("id-grinding", { ...kind("id-grinding") }),
  "id-theft": struct("id-theft", {
    ...kind("id-theft"),
    ...{ offer: plainText, reservation: plainText, settlement: plainText },
  }),
  "link-flood": struct("link-flood", { ...kind("link-flood") }),
  "lying-reconciliation": struct("lying-reconciliation", { ...kind("lying-reconciliation") }),
  "lying-recovery": struct("lying-recovery", { ...kind("lying-recovery") }),
  "name-crowd": struct("name-crowd", { ...kind("name-crowd"), ...{ offer: plainText, apart: NodeIndex } }),
  "number-crowd": struct("number-crowd", { ...kind("number-crowd"), ...{ reservation: plainText } }),
  "old-price": struct("old-price", {
    ...kind("old-price"),
    ...{ offer: plainText, priceCents: u64, units: u64 },
  }),
  "orphan-flood": struct("orphan-flood", { ...kind("orphan-flood"), ...{ settlement: plainText } }),
  "recovery-amplification": struct("recovery-amplification", { ...kind("recovery-amplification") }),
  "request-crowd": struct("request-crowd", { ...kind("request-crowd"), ...{ offer: plainText } }),
  "sealing-edge": struct("sealing-edge", {
    ...kind("sealing-edge"),
    ...{ act: enumeration("payment", "open"), party: plainText, settlement: plainText },
    // When the act is dated, after the world's start; and the only node that it is told to.
    ...{ dated: Milliseconds, told: NodeIndex },
  }),
  "split-orphans": struct("split-orphans", { ...kind("split-orphans") }),
  "stranger-flood": struct("stranger-flood", { ...kind("stranger-flood"), ...aim }),
  "unchecked-acts": struct("unchecked-acts", { ...kind("unchecked-acts"), ...aboutTrade }),
  withholding: struct("withholding", { ...kind("withholding") }),
};

type AttackForms = typeof forms;
/** The kinds of attack that are data. */
export type AttackKind = keyof AttackForms;
/** An attack of one kind as data. */
export type AttackOf<K extends AttackKind> = Infer<AttackForms[K]>;
/** An attack as data. */
export type AttackData = { [K in AttackKind]: AttackOf<K> }[AttackKind];
export const AttackData = kinds<AttackData>(forms);
export const attackKinds = Object.keys(forms) as readonly AttackKind[];
