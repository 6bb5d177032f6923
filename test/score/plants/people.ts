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
      "const mint = mintOf(reader, row);",
      "const mint = [...sums.keys()][0] ?? mintOf(reader, row);",
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
];
