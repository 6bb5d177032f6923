/**
 * Goal: the laws about what is told and read of people, about links that are passed over, absences and repeats find
 * bugs in the product.
 * Method: a bug is planted into the product, and a drawn world runs whose people and faults bring it out.
 */
import { expect, test } from "vitest";
import type { DrawnBug } from "./drawn-bug.ts";
import { firstBroken } from "./drawn-bug.ts";

const GOSSIP = "core/network/gossip";

const rows: readonly DrawnBug[] = [
  {
    name: "a payment of which its own buyer is told",
    seed: 168n,
    bug: {
      file: "core/domains/notifications/triggers.ts",
      find: "?.payments.at(-1), [changed.after.seller]);",
      replace: "?.payments.at(-1), [changed.after.buyer]);",
    },
    finds: /^notices-reach-whom-they-concern: node \d does not tell 12D3Koo\w+ of PaymentSubmitted through .+$/,
  },
  {
    name: "a notice that was queued and is forgotten at a start",
    seed: 119n,
    bug: {
      file: "core/domains/notifications/domain.ts",
      find: "onStart: [handOverAgain, noteDatesFromStart, wakeWhileAny],",
      replace: "onStart: [noteDatesFromStart, wakeWhileAny],",
    },
    finds: /^notices-reach-whom-they-concern: node \d starts and does not hand over \[.+\], which is queued$/,
  },
  {
    name: "a partner with whom disputes that are over were none",
    seed: 149n,
    bug: {
      file: "core/domains/trade/trades/counterparties.ts",
      find: "held.disputed + (row.disputed_at === null ? 0n : 1n);",
      replace: 'held.disputed + (row.state === "Disputed" ? 1n : 0n);',
    },
    finds: /^reads-follow-the-papers: node \d: getCounterparties shows "12D3Koo.*", the papers say "12D3Koo.*"$/,
  },
  {
    name: "a way to be paid whose id leaves out a member",
    seed: 144n,
    bug: {
      file: "core/domains/payment-methods/fold.ts",
      find: "const digest = hash(transcript(PaymentMethodDefine, payload))",
      replace: 'const digest = hash(transcript(PaymentMethodDefine, { ...payload, category: "Cash" }))',
    },
    finds: /^records-follow-the-papers: node \d: payment_methods 12D3Koo\w+:[0-9a-f]{16} is missing$/,
  },
  {
    name: "a push that is repeated for ever",
    seed: 119n,
    bug: {
      file: `${GOSSIP}/announcing.ts`,
      find: "{ ...event, ttl }, true, request.repeats + 1);",
      replace: "{ ...event, ttl }, true, request.repeats);",
    },
    finds: /^pushes-are-repeated: node \d repeats the push of [0-9a-f]+ to 12D3Koo\w+ more than 4 times$/,
  },
  {
    name: "a link that is passed over though it was needed",
    seed: 144n,
    bug: { file: `${GOSSIP}/announcing.ts`, find: "    makeEager(context, from, event.origin);\n", replace: "" },
    finds: /^links-begin-needed: node \d goes on passing 12D3Koo\w+ over, who lacked what 12D3Koo\w+ put on the wire$/,
  },
  {
    name: "a link that is passed over when it begins anew",
    seed: 156n,
    bug: {
      file: `${GOSSIP}/trees.ts`,
      find: '  for (const key of context.draft.find(Trees, "lazy", peer)) remove(context, peer, key);\n',
      replace: '  for (const key of context.draft.find(Trees, "lazy", peer)) remove(context, key as PeerId, key);\n',
    },
    finds: /^links-begin-needed: node \d is connected to 12D3Koo\w+ anew and passes the link over$/,
  },
  {
    name: "an absence that one peer ends",
    seed: 38n,
    bug: {
      file: `${GOSSIP}/absence.ts`,
      find: "const peers = held.peers.includes(peer) ? held.peers : [...held.peers, peer];",
      replace: "const peers = [...held.peers, peer];",
    },
    finds: /^absences-end-by-two: node \d ends its absence with 12D3Koo\w+, and compared with nobody else$/,
  },
  {
    name: "an arrival that hears of services two minutes later",
    seed: 144n,
    bug: {
      file: "core/domains/providers/own.ts",
      find: '  else context.emit({ type: "timer.set", timer: "heartbeat", at: due });\n',
      replace: "",
    },
    finds: /^arrivals-learn-of-services: node \d does not register its services again though 12D3Koo\w+ is new$/,
  },
];

test.each(rows)("$name is found", async (row) => {
  expect(await firstBroken(row)).toMatch(row.finds);
});
