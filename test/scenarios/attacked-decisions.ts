/**
 * Bugs of scenarios in which a decision is hidden, forged or bought, with what sees each.
 * Source: DESIGN section 4 "A decision cannot be hidden"; protocol 03 A.10.3, D.
 */
import type { PlantedBug } from "../planted/planted-text.ts";
import type { Row } from "./part-e.ts";

const CHAIN = "core/domains/chain-bridge";

/** A node that takes decisions from events and nothing else. */
const eventsAlone: readonly PlantedBug[] = [
  { file: `${CHAIN}/follow.ts`, find: "of read.unexplained) {", replace: "of [] as typeof read.unexplained) {" },
  {
    file: `${CHAIN}/looks.ts`,
    find: "if (!isClosed(context, seen.account) ||",
    replace: "if (!isClosed(context, null) ||",
  },
];

/** Decisions that somebody hides, on every executor as those of part E. Source: protocol 03 A.10.3 R3, R4. */
export const hidden: readonly Row[] = [
  {
    ...{ number: "R4", scenario: "execution-behind-memos", without: "events alone decide" },
    finds: /^closings-are-looked-into: node \d is told of \w+, which closes escrow \w+, and looks into nothing/,
    bug: eventsAlone,
  },
  {
    ...{ number: "R3", scenario: "execution-by-another-program", without: "a message's own instructions decide" },
    finds: /^closings-are-looked-into: node \d is told of \w+, which closes escrow \w+, and looks into nothing/,
    bug: [
      ...eventsAlone,
      { file: `${CHAIN}/reading.ts`, find: "return [...own, ...(seen.inner ?? [])];", replace: "return own;" },
    ],
  },
  {
    ...{ number: "R3", scenario: "execution-through-a-lookup-table", without: "a message's own addresses decide" },
    finds: /^closings-are-looked-into: node \d is told of \w+, which closes escrow \w+, and looks into nothing/,
    bug: { file: `${CHAIN}/reading.ts`, find: "...(seen.loaded ?? [])]", replace: "]" },
  },
  {
    ...{ number: "R4", scenario: "execution-through-a-lookup-table", without: "what is not told is nothing" },
    finds: /^expectation: node 1 never came to show/,
    bug: eventsAlone,
  },
];

/** Decisions that somebody forges, or chooses. Source: protocol 03 A.10.3 R3, R4; D.8. */
export const forged: readonly Row[] = [
  {
    ...{ number: "R4", scenario: "verdicts-forged-by-an-endpoint", without: "what is dropped is never asked for" },
    finds: /^expectation: node 1 never came to show/,
    bug: [
      {
        file: `${CHAIN}/chain-facts.ts`,
        find: "    beginLook(context, { escrow, reservation }, slot, null);\n",
        replace: "",
      },
      {
        file: `${CHAIN}/looks.ts`,
        find: "if (!isClosed(context, seen.account) ||",
        replace: "if (!isClosed(context, null) ||",
      },
    ],
  },
  {
    ...{ number: "D.8", scenario: "ending-is-not-chosen", without: "the account that decides may be left out" },
    finds: /^expectation: node \d never came to show .*: state is "Disputed", not "Completed"$/,
    bug: [
      {
        file: "sim/chain/model/execute-dispute.ts",
        find: '"rwwwwwwrwwwwrwwwrrrr"',
        replace: '"rwwwwwwrwwwwrwwwrrr"',
      },
      {
        file: "sim/chain/model/execute-dispute.ts",
        find: "publishedPoolAt(call, at.policy);",
        replace: "call.accounts.length < 20 ? 0 : publishedPoolAt(call, at.policy);",
      },
    ],
  },
];

/** Fees that somebody would take. Source: protocol 03 D.4. */
export const redirected: readonly Row[] = [
  {
    ...{ number: "D.4", scenario: "fees-are-not-redirected", without: "anybody's tokens are a treasury" },
    finds: /^escrow-conserved: \w+ has \d+ of \w+ more, and has no part in a trade$/,
    bug: {
      file: "sim/chain/model/identity.ts",
      find: "return addressAt(call, index) === configured || holds(call, index, mint, configured);",
      replace: "return true;",
    },
  },
];

/** Stakes that would count twice, on every executor as those of part E. Source: protocol 03 D.8, E5b. */
export const staked: readonly Row[] = [
  {
    ...{ number: "E5b", scenario: "float-staked-from-three-wallets", without: "what is asked back leaves at once" },
    finds: /^stake-counts-once: the seat of \w+ on the case of 2001 weighs 400000000000, and 0 of it are staked/,
    bug: {
      file: "sim/chain/model/stake.ts",
      find: 'if (call.now < stake.unbonding_release_at) return refuse("StillUnbonding");',
      replace: "",
    },
  },
  {
    ...{ number: "E7", scenario: "float-staked-from-three-wallets", without: "a vote weighs the stake of its reveal" },
    finds: /^stake-counts-once: the seat of \w+ on the case of 2001 weighed 400000000000 at its commit, and weighs 0$/,
    bug: {
      file: "sim/chain/model/votes.ts",
      find: "    revealed_outcomes: found.revealed_outcomes.map((vote, place) => (place === seat ? outcome : vote)),",
      replace: `    revealed_outcomes: found.revealed_outcomes.map((vote, place) => (place === seat ? outcome : vote)),
    weights: found.weights.map((weight, place) => (place === seat ? effectiveStake(stake, staking) : weight)),`,
    },
  },
];
