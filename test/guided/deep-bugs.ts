/**
 * Bugs that take three steps in one order: what guided search is compared with drawn worlds by. They were chosen by
 * what people do one after the other in each part of a trade, before any search looked for them. Which law finds one
 * is for the laws to say. That no two of the steps do, and no other order, `deep-bugs.test.ts` shows; those about the
 * chain need a node that takes facts at `confirmed`, a fork, and a look after it. Source: DESIGN section 6
 * (`fuzz --guided`).
 */

import type { Plant, PlantRow } from "../score/plant.ts";
import { plantsIn } from "../score/plant.ts";
import { handPlants } from "../score/plants/index.ts";

const TRADE = "core/domains/trade";
const DISPUTED = '  if (acts.opens.length > 0) return "Disputed";\n';
const LATEST = "const at = (list: readonly Statement[]) => list.at(-1)?.timestamp ?? 0n;";
const SEATS = "const { seats, agreements } = panel;";
const AGREED = "statusOf(settlement.decided, buyerAgreed && sellerAgreed, counts)";
const DELETED = '  if (registers.statuses.some((status) => status.value === "Deleted")) return "Deleted";\n';
const REVOKED = "revoked: acts.some((act) => act.type.name === SessionRevoke.name),";

/** A settlement reads wrong once three acts of its parties are dated in an order. */
const reads = (name: string, about: string, condition: string, state: string): PlantRow => [
  name,
  about,
  DISPUTED,
  `  {\n    ${LATEST}\n    if (${condition}) return "${state}";\n  }\n${DISPUTED}`,
];

/** Bugs in rules, each a function of what was signed. */
export const ruleBugs: readonly Plant[] = [
  ...plantsIn("weakness", `${TRADE}/settlements/rules.ts`, [
    reads(
      "paid-reversed-approved",
      "an approve does not count after a payment that was taken back",
      "!isPaidNow(acts) && acts.payments.length > 0 && at(acts.approves) > at(acts.moves)",
      "AwaitingPayment",
    ),
    reads(
      "rejected-opened-approved",
      "an approve ends the dispute that a reject led to",
      "at(acts.rejects) > 0n && at(acts.opens) > at(acts.rejects) && at(acts.approves) > at(acts.opens)",
      "Approved",
    ),
    reads(
      "cancelled-paid-cancelled",
      "a buyer who paid after the seller's cancel cannot cancel",
      [
        "at(acts.sellerCancels) > 0n",
        "at(acts.moves) > at(acts.sellerCancels)",
        "at(acts.buyerCancels) > at(acts.moves)",
      ].join(" && "),
      "PaymentSubmitted",
    ),
    reads(
      "opened-approved-reversed",
      "a buyer who takes an approved payment back ends the dispute about it",
      [
        "at(acts.opens) > 0n",
        "at(acts.approves) > at(acts.opens)",
        "at(acts.moves) > at(acts.approves)",
        "!isPaidNow(acts)",
      ].join(" && "),
      "Cancelled",
    ),
  ]),
  ...plantsIn("weakness", `${TRADE}/disputes/rules.ts`, [
    [
      "committed-revealed-joined",
      "who joins after somebody has revealed what he committed to is not on the panel",
      SEATS,
      [
        "const { agreements } = panel;",
        "  const seats = panel.seats.filter(({ join }) =>",
        "    panel.seats.every(({ commits: [commit], reveal }) => {",
        "      if (commit === undefined || reveal === undefined) return true;",
        "      return reveal.timestamp <= commit.timestamp || join.timestamp <= reveal.timestamp;",
        "    }),",
        "  );",
      ].join("\n"),
    ],
    [
      "agreed-joined-agreed",
      "a seller cannot agree any more to what the buyer did once an arbitrator has joined",
      AGREED,
      AGREED.replace(
        "buyerAgreed && sellerAgreed",
        "buyerAgreed && sellerAgreed && !seats.some(({ join }) => agreements[0]?.signer === settlement.buyer && " +
          "agreements[0].timestamp < join.timestamp && join.timestamp < (agreements.at(-1)?.timestamp ?? 0n))",
      ),
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/advertisements/registers.ts`, [
    [
      "paused-opened-deleted",
      "an advertisement that was paused and opened again cannot be deleted",
      DELETED,
      [
        "  const names = registers.statuses.map(({ value }) =>",
        '    value === "Active" || value === "Deleted" ? value : "Paused",',
        "  );",
        `  if (names.join().includes("Paused,Active,Deleted")) return "Active";\n${DELETED}`,
      ].join("\n"),
    ],
  ]),
  ...plantsIn("weakness", "core/domains/sessions/rules.ts", [
    [
      "renewed-moved-revoked",
      "a session that was renewed and then moved cannot be revoked",
      REVOKED,
      [
        "revoked: acts.some((act) => {",
        "      const before = (type: { readonly name: string }, until: bigint) =>",
        "        acts.filter((one) => one.type.name === type.name && one.timestamp < until);",
        "      if (act.type.name !== SessionRevoke.name) return false;",
        "      return !before(SessionMigrate, act.timestamp).some(",
        "        (moved) => before(SessionRenew, moved.timestamp).length > 0,",
        "      );",
        "    }),",
      ].join("\n"),
    ],
  ]),
];

/** Bugs in what a node makes of a chain that forks; `score` plants them too. */
const chainBugs = ["fork-is-not-undone", "absence-is-ignored"];

/** All of them. */
export const deepBugs: readonly Plant[] = [...ruleBugs, ...handPlants.filter(({ name }) => chainBugs.includes(name))];
