/**
 * Bugs in what statements come to: settlements, disputes, reservations, advertisements and how they are read.
 */
import type { Plant } from "../plant.ts";
import { plantsIn } from "../plant.ts";

const TRADE = "core/domains/trade";

export const tradePlants: readonly Plant[] = [
  ...plantsIn("weakness", `${TRADE}/settlements/rules.ts`, [
    [
      "seller-cancel-over-payment",
      "a seller's cancel takes a payment out of effect",
      'if (isPaidNow(acts)) return "PaymentSubmitted";\n  if (acts.sellerCancels.length > 0) return "Cancelled";',
      'if (acts.sellerCancels.length > 0) return "Cancelled";\n  if (isPaidNow(acts)) return "PaymentSubmitted";',
    ],
    [
      "approve-without-payment",
      "an approve counts though nobody ever paid",
      'if (everPaid && acts.approves.length > 0) return "Approved";',
      'if (acts.approves.length > 0) return "Approved";',
    ],
    [
      "approve-over-open",
      "an approve ends a dispute",
      'if (acts.opens.length > 0) return "Disputed";\n  if (everPaid && acts.approves.length > 0) return "Approved";',
      'if (everPaid && acts.approves.length > 0) return "Approved";\n  if (acts.opens.length > 0) return "Disputed";',
    ],
    [
      "reject-over-approve",
      "a reject outranks an approve",
      'if (everPaid && acts.approves.length > 0) return "Approved";\n  if (everPaid && acts.rejects.length > 0) return "Rejected";',
      'if (everPaid && acts.rejects.length > 0) return "Rejected";\n  if (everPaid && acts.approves.length > 0) return "Approved";',
    ],
    ["buyer-cancel-is-inert", "a buyer cannot cancel", 'if (acts.buyerCancels.length > 0) return "Cancelled";\n', ""],
    [
      "oldest-move-counts",
      "a reversed payment still counts as paid",
      "acts.moves.at(-1)?.type.name === PaymentSubmitted.name",
      "acts.moves[0]?.type.name === PaymentSubmitted.name",
    ],
    [
      "strangers-approve",
      "whoever approves, the settlement is approved",
      "approves: of(SettlementApproved, seller),",
      "approves: sorted.filter(({ type }) => type.name === SettlementApproved.name),",
    ],
    [
      "buyer-rejects",
      "a buyer can reject his own payment",
      "rejects: of(SettlementRejected, seller)",
      "rejects: of(SettlementRejected, seller, buyer)",
    ],
    [
      "seller-cannot-open",
      "a seller's dispute is no dispute",
      "(of(DisputeOpen, buyer, seller) as",
      "(of(DisputeOpen, buyer) as",
    ],
    [
      "released-without-fact-state",
      "a release leaves the settlement as it was signed",
      'return released === undefined ? signedState : "Completed";',
      "return released === undefined ? signedState : signedState;",
    ],
    [
      "split-reads-cancelled",
      "a decision without a verdict cancels the trade",
      'return reachedBuyer(decided.resolution) ? "Completed" : "Cancelled";',
      'return decided.resolution === "BuyerWins" ? "Completed" : "Cancelled";',
    ],
    [
      "first-payment-shown",
      "a later payment's reference is not shown",
      "? acts.payments.at(-1) : undefined",
      "? acts.payments[0] : undefined",
    ],
    [
      "settlement-never-ends",
      "a settlement holds one life longer",
      "later(initiate.timestamp, SETTLEMENT_LIFE_MS),\n",
      "later(later(initiate.timestamp, SETTLEMENT_LIFE_MS), SETTLEMENT_LIFE_MS),\n",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/settlements/fold.ts`, [
    [
      "fact-of-other-amount",
      "a fact about another amount binds to a settlement",
      " &&\n    fact.amount === row.amount.base_units\n",
      "\n",
    ],
    [
      "fact-of-other-parties",
      "a fact about other parties binds to a settlement",
      "    sameKey(fact.buyer, row.buyer_public_key) &&\n    sameKey(fact.seller, row.seller_public_key) &&\n",
      "",
    ],
    [
      "open-does-not-refold",
      "a dispute that opens does not change its settlement until something else does",
      "    [DisputeOpen.name]: markParents,\n",
      "",
    ],
    [
      "payment-does-not-refold",
      "a payment does not change its settlement until something else does",
      "    [PaymentSubmitted.name]: markParents,\n",
      "",
    ],
    [
      "facts-of-every-number",
      "facts of all numbers are tried on every settlement",
      '[...reader.find(ChainFacts, "reservation", id)]',
      "[...reader.keys(ChainFacts)]",
    ],
    [
      "dispute-not-marked",
      "a dispute does not hear of its settlement's decision",
      "if (before?.decided !== row.decided && row.disputed_at !== null)",
      "if (before === undefined && row.disputed_at !== null)",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/settlements/tables.ts`, [
    [
      "follow-the-youngest",
      "of several settlements a reservation follows the youngest",
      '.join("")}${dateText(row.created_at)}',
      '.join("")}${dateText((10n ** 19n - row.created_at) as typeof row.created_at)}',
    ],
    ["paid-is-not-touched", "a paid request is refused for a rival", "return row.ever_paid || row", "return row"],
  ]),
  ...plantsIn("weakness", `${TRADE}/settlements/queries.ts`, [
    [
      "no-resolution-sells",
      "a verdict for the merchant gives the escrow to the buyer",
      'resolution !== "MerchantWins" && resolution !== "Invalid"',
      'resolution !== "Invalid"',
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/disputes/rules.ts`, [
    [
      "three-reveals-resolve",
      "three reveals resolve a dispute",
      'if (decided) return "Resolved";',
      'if (decided || counts.revealed >= REQUIRED_ARBITRATORS) return "Resolved";',
    ],
    [
      "reveals-make-resolution",
      "the third reveal is taken for the resolution",
      "resolution: settlement.resolution,",
      "resolution: settlement.resolution ?? revealed[2]?.payload.vote ?? null,",
    ],
    ["parties-sit", "a party sits on the panel of its own case", "    if (parties.includes(signer)) continue;\n", ""],
    [
      "one-agreement-is-enough",
      "one party's agreement ends a dispute",
      "statusOf(settlement.decided, buyerAgreed && sellerAgreed, counts)",
      "statusOf(settlement.decided, buyerAgreed || sellerAgreed, counts)",
    ],
    [
      "reveal-opens-anything",
      "a reveal counts whether it opens a commit or not",
      "    if (opened === undefined) continue;\n",
      "",
    ],
    [
      "two-commits-lock",
      "two commits begin the reveals",
      "if (counts.committed >= REQUIRED_ARBITRATORS)",
      "if (counts.committed >= REQUIRED_ARBITRATORS - 1)",
    ],
    [
      "panel-in-order-of-arrival",
      "arbitrators are seated as they were heard",
      "seats: seats.sort((a, b) => compareStatements(a.join, b.join)),",
      "seats,",
    ],
    [
      "commitment-without-vote",
      "a commitment binds no vote",
      "hash(concat(Uint8Array.of(VOTE_BYTES[vote]), secret))",
      "hash(concat(Uint8Array.of(VOTE_BYTES[vote] * 0), secret))",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/reservations/fold.ts`, [
    [
      "unpaid-counts-as-sold",
      "a reservation reads Settled once its merchant approved, undone or not",
      "sold: followed !== undefined && !returned &&",
      "sold: followed !== undefined &&",
    ],
    [
      "buy-never-acknowledged",
      "on Buy the merchant's initiate acknowledges nothing",
      "  return row.approved || !(row.cancelled_by_buyer || row.rejected || isGivenUp);",
      "  return row.approved;",
    ],
    [
      "latest-cancel-counts",
      "of a requester's cancels the latest counts",
      "return firstOwn(reader, request, request.signer, ReservationCancel);",
      'const place = "reservation/" + request.payload.id + "/" + request.signer;\n' +
        '  const own = reader.ordered(Statements, "bySigner", place).map((key) => reader.get(Statements, key));\n' +
        '  return own.filter((each) => each?.type.name === "ReservationCancel").at(-1);',
    ],
    [
      "cancel-does-not-refold",
      "a reservation's cancel is heard late",
      'for (const request of parentsOf<ReservationRequest>(draft, statement)) mark("reservation", request.identity);',
      "parentsOf<ReservationRequest>(draft, statement);",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/reservations/queries.ts`, [
    [
      "price-is-not-asked",
      "a request at any price is valid",
      "termsAllow(registers, request) && pricesAgree(registers, request)",
      "termsAllow(registers, request)",
    ],
    [
      "terms-are-not-asked",
      "a request of any size is valid",
      "termsAllow(registers, request) && pricesAgree(registers, request)",
      "pricesAgree(registers, request)",
    ],
    [
      "initiate-of-more",
      "an initiate may ask for more than was reserved",
      " && asked.base_units <= reserved.base_units",
      "",
    ],
    [
      "initiate-by-anyone",
      "an initiate may name another seller",
      "  if (initiate.seller !== (sells ? merchant : requester)) return false;\n",
      "",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/reservations/views.ts`, [
    [
      "expires-at-its-instant",
      "a reservation expires a moment early",
      "const expired = now > expiryOf(request);",
      "const expired = now >= expiryOf(request);",
    ],
    [
      "never-expires",
      "a reservation never expires",
      "const expired = now > expiryOf(request);",
      "const expired = false;",
    ],
    [
      "verdict-outlives-window",
      "what the sweep said counts past the window",
      "if (!expired && (barred || (!granted && !row.touched)))",
      "if (barred || (!granted && !row.touched))",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/advertisements/ledger.ts`, [
    [
      "one-more-than-there-is",
      "a unit more than there is may be handed out",
      "return held + allocation.units <= free ? GRANTED : CROWDED;",
      "return held <= free ? GRANTED : CROWDED;",
    ],
    [
      "sold-is-free-again",
      "what was sold is available again",
      "let held = sums.lasting + settlingUnits",
      "let held = settlingUnits",
    ],
    [
      "settling-holds-nothing",
      "a trade under way holds nothing past its window",
      "if (allocation.settlesUntil >= now) held += allocation.units;",
      "if (allocation.settlesUntil < now) held += allocation.units;",
    ],
    [
      "closed-hands-out",
      "a paused advertisement grants requests",
      "if (closed !== undefined || !isOffered(supply.offer, allocation)) return REFUSED;",
      "if (!isOffered(supply.offer, allocation)) return REFUSED;",
    ],
    [
      "old-price-is-offered",
      "a price that is no longer in force is granted",
      "if (closed !== undefined || !isOffered(supply.offer, allocation)) return REFUSED;",
      "if (closed !== undefined) return REFUSED;",
    ],
    [
      "sweep-stops-early",
      "a sweep stops before what it changed is felt",
      "allocation.timestamp > feltUntil",
      "allocation.timestamp >= 0n",
    ],
    [
      "sums-forget",
      "the digest of grants keeps what is no longer granted",
      "if (was === GRANTED && before !== undefined) count(before, -1n);",
      "if (was === GRANTED && before !== undefined && is === GRANTED) count(before, -1n);",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/advertisements/allocation.ts`, [
    [
      "window-of-an-hour",
      "a request holds for an hour",
      "export const WINDOW_MS = 1_800_000;",
      "export const WINDOW_MS = 3_600_000;",
    ],
    [
      "requests-by-identity",
      "requests are granted in order of identity",
      "if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;\n",
      "",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/advertisements/registers.ts`, [
    [
      "deleted-comes-back",
      "a deleted advertisement can be opened again",
      'if (registers.statuses.some((status) => status.value === "Deleted")) return "Deleted";\n',
      "",
    ],
    [
      "oldest-setting-shown",
      "the oldest of a merchant's settings is shown",
      "compareStatements(setting.statement, found.statement) > 0",
      "compareStatements(setting.statement, found.statement) < 0",
    ],
  ]),
  ...plantsIn("weakness", `${TRADE}/advertisements/views.ts`, [
    [
      "available-below-zero",
      "an overbooked advertisement has less than nothing",
      "return left < 0n ? 0n : left;",
      "return left < 0n ? -left : left;",
    ],
    [
      "exhausted-reads-active",
      "an advertisement with nothing left reads Active",
      'return status === "Active" && availableUnits(reader, shown, at) === 0n ? "Disabled" : status;',
      "return status;",
    ],
  ]),
];
