/**
 * Bugs in what people publish beside their trades: providers, reviews, reputation, risk, sessions, claims, governance,
 * notifications, volume.
 */
import type { Plant } from "../plant.ts";
import { plantsIn } from "../plant.ts";

const DOMAINS = "core/domains";

export const peoplePlants: readonly Plant[] = [
  ...plantsIn("weakness", `${DOMAINS}/governance/rules.ts`, [
    [
      "withdrawn-stays-open",
      "a withdrawn proposal is voted on",
      'return acts.withdraw === undefined ? "Voting" : "Withdrawn";',
      'return "Voting";',
    ],
    ["votes-after-the-end", "votes count after the window", "return votedAt < votingClosesAt(payload) && ", "return "],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/identity/fold.ts`, [
    [
      "revoked-claim-stands",
      "a revoked claim is not revoked",
      "revoked: statements.some((statement) => statement.type.name === ClaimRevoke.name),",
      "revoked: false,",
    ],
    [
      "claims-verify-themselves",
      "every claim is attested",
      'verification_status: attested ? "SelfAttested" : "Unverified",',
      'verification_status: "SelfAttested",',
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/providers/fold.ts`, [
    [
      "withdrawn-service-listed",
      "a withdrawn service stays",
      "const out = withdrawal !== undefined && withdrawal.timestamp >= timestamp;",
      "const out = withdrawal !== undefined && withdrawal.timestamp < timestamp;",
    ],
    [
      "old-health-counts",
      "health from before a registration counts",
      "const current = health !== undefined && health.timestamp >= timestamp ? health : undefined;",
      "const current = health;",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/sessions/rules.ts`, [
    [
      "revoked-session-lives",
      "a revoked session is open again",
      "revoked: acts.some((act) => act.type.name === SessionRevoke.name),",
      "revoked: false,",
    ],
    [
      "renewals-by-date",
      "renewals count by date instead of version",
      "    if (a.payload.version !== b.payload.version) return a.payload.version < b.payload.version ? -1 : 1;\n",
      "",
    ],
    [
      "expired-session-renews",
      "a session that ran out can be renewed",
      '    if (expired === "are inert" && act.timestamp >= shown.expires_at) continue;\n',
      "",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/reviews/views.ts`, [
    [
      "reviews-of-open-trades",
      "a trade that is not over is reviewed",
      'return state === "Approved" || state === "Completed";',
      'return state !== "Cancelled";',
    ],
    [
      "oldest-review-shown",
      "of an author's reviews the oldest is shown",
      "    .sort(compareStatements)\n    .at(-1);",
      "    .sort(compareStatements)\n    .at(0);",
    ],
    [
      "strangers-review",
      "a stranger's review is shown",
      ".filter(({ signer, payload }) => signer === author && isComment(payload.comment))",
      ".filter(({ payload }) => author !== undefined && isComment(payload.comment))",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/risk/fold.ts`, [
    [
      "risk-dated-when-heard",
      "a risk record out of bounds is kept",
      "if (publish === undefined || !isWithinBounds(publish.payload)) return;",
      "if (publish === undefined) return;",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/volume/queries.ts`, [
    [
      "volume-of-unreleased",
      "a trade that was never released counts as volume",
      "if (!row.released) continue;\n    confirmed.add(",
      "confirmed.add(",
    ],
    [
      "volume-across-assets",
      "all assets are summed as one",
      "const mint = mintMoved(reader, row);",
      "const mint = [...sums.keys()][0] ?? mintMoved(reader, row);",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/reputation/views.ts`, [
    [
      "expired-is-not-missed",
      "requests that expired are not counted",
      'return states.includes("Expired") && !states.some',
      'return states.includes("Cancelled") && !states.some',
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/notifications/fold.ts`, [
    [
      "subscription-keeps-first",
      "a later subscription changes nothing",
      "    draft.put(Subscriptions, wallet, updated);",
      "    if (draft.get(Subscriptions, wallet) === undefined) draft.put(Subscriptions, wallet, updated);",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/sessions/methods.ts`, [
    [
      "same-version-moves-again",
      "a session is moved again with the version that it has",
      "() => refuseWhen(version <= session.version,",
      "() => refuseWhen(version < session.version,",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/notifications/triggers.ts`, [
    [
      "buyer-told-of-payment",
      "of a payment its own buyer is told, and not the seller",
      "?.payments.at(-1), [changed.after.seller]);",
      "?.payments.at(-1), [changed.after.buyer]);",
    ],
  ]),
  ...plantsIn("law", `${DOMAINS}/notifications/domain.ts`, [
    [
      "queued-is-forgotten",
      "what was queued when a node went down is handed over no more",
      "onStart: [handOverAgain, noteDatesFromStart, wakeWhileAny],",
      "onStart: [noteDatesFromStart, wakeWhileAny],",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/providers/queries.ts`, [
    [
      "withdrawn-still-publishes",
      "who withdrew a service publishes all the same",
      "    .filter((service) => service.withdrawn_at === null)\n",
      "",
    ],
  ]),
  ...plantsIn("classic", `${DOMAINS}/providers/own.ts`, [
    [
      "early-arrival-is-forgotten",
      "a peer who comes right after a registration waits for the next heartbeat",
      '  else context.emit({ type: "timer.set", timer: "heartbeat", at: due });\n',
      "",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/oracles/queries.ts`, [
    [
      "lowest-version-shown",
      "of the records of an id the one of the lowest version is shown",
      "if (a.version !== b.version) return a.version > b.version ? -1 : 1;",
      "if (a.version !== b.version) return a.version < b.version ? -1 : 1;",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/risk/views.ts`, [
    [
      "lowest-severity-shown",
      "a wallet's severity is that of its mildest flag",
      "return severities[Math.max(-1, ...ranks)] ?? null;",
      "return severities[Math.min(...ranks)] ?? null;",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/governance/fold.ts`, [
    [
      "stake-does-not-refold",
      "a stake that was read counts no vote until something else does",
      "  if (vote !== undefined) markVote(draft, vote, mark);\n",
      "",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/identity/queries.ts`, [
    [
      "oldest-encryption-key",
      "of a wallet's keys the oldest is written to",
      "return a.created_at > b.created_at ? -1 : 1;",
      "return a.created_at < b.created_at ? -1 : 1;",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/reviews/views.ts`, [
    [
      "own-review-shown-as-about",
      "what a wallet wrote of others stands among what others wrote of it",
      "    .filter(({ about }) => about === wallet)\n",
      "",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/trade-channel/views.ts`, [
    [
      "later-entry-overwrites",
      "an entry is replaced by a later one of its number",
      " && !first.has(sequence)) first.set(",
      ") first.set(",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/payment-methods/fold.ts`, [
    [
      "method-id-without-category",
      "methods of one name are one, whatever their category",
      "const digest = hash(transcript(PaymentMethodDefine, payload))",
      'const digest = hash(transcript(PaymentMethodDefine, { ...payload, category: "Cash" }))',
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/trade/trades/counterparties.ts`, [
    [
      "disputed-only-while-open",
      "a trade whose dispute is over was never disputed",
      "held.disputed + (row.disputed_at === null ? 0n : 1n);",
      'held.disputed + (row.state === "Disputed" ? 1n : 0n);',
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/content/blocks/exchange.ts`, [
    [
      "late-settlement-wants-nothing",
      "files that came before their settlement are not asked for",
      "    } else if (table === Settlements.name && context.base.get(Settlements, key) === undefined) {\n" +
        "      settlements.add(key as Identity);\n",
      "",
    ],
  ]),
  ...plantsIn("weakness", `${DOMAINS}/rewards/observe.ts`, [
    [
      "served-content-is-forgotten",
      "that a peer served content counts until it is heard of again",
      "proved.served_content ?? held?.served_content ?? false,",
      "proved.served_content ?? false,",
    ],
  ]),
];
