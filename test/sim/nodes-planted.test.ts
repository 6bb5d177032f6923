/**
 * Goal: the laws about one node's own doings, which every world has, find bugs in how a node answers, keeps its links,
 * asks for dates, keeps registers and forgets challenges.
 * Method: a bug is planted into the product, and a drawn world runs whose faults bring it out: a disk that refuses, an
 * attacker with false dates, a record that comes after what is said about it.
 */
import { expect, test } from "vitest";
import type { DrawnBug } from "./drawn-bug.ts";
import { firstBroken } from "./drawn-bug.ts";

const DRIVER = "core/engine/driver.ts";
const INGRESS = "core/engine/admission/ingress.ts";
const RECEIVE = "core/network/gossip/receive.ts";
const FOLD = "core/engine/statements/fold.ts";
const RECONCILE = "core/network/gossip/reconcile.ts";
const CHAIN = "core/domains/chain-bridge";

const rows: readonly DrawnBug[] = [
  {
    name: "a commit that fails and is told to nobody",
    seed: 21n,
    bug: {
      file: DRIVER,
      find: '    for (const effect of lost) if (effect.type === "rpc.reply") perform(failed(configuration, effect));\n',
      replace: "",
    },
    finds: /^calls-are-answered: node \d builds its memory again and leaves [1-9]\d* calls without an answer$/,
  },
  {
    name: "a node that forgets its connections with its memory",
    seed: 2796n,
    bug: { file: DRIVER, find: "    for (const fact of [...connected.values()]) run(fact);\n", replace: "" },
    finds: /^links-are-known: node \d does not know that it is connected to 12D3Koo\w+$/,
  },
  {
    name: "a node that knows challenges which it has forgotten to have answered",
    seed: 2796n,
    bug: { file: DRIVER, find: "    bootSeed = crypto.sha256(bootSeed);\n", replace: "" },
    finds: /^proofs-open-once: node \d: get\w+ opens to a nonce that this node did not issue for such a read$/,
  },
  {
    name: "a node that takes sends into memory alone while its disk refuses them",
    seed: 21n,
    bug: {
      file: DRIVER,
      find: "    if (held || writesOf(network, taken.changes).length > 0) perform",
      replace: "    if (held) perform",
    },
    finds: /^durable-before-visible: node \d lets [a-z.]+ go before \w+\/\S+ is on its disk$/,
  },
  {
    name: "an ingress that asks for no oldest date",
    seed: 101n,
    bug: {
      file: INGRESS,
      find: "return ageMsMax !== null && timestamp < now - BigInt(ageMsMax);",
      replace: "return false;",
    },
    finds: /^dates-are-admitted: node \d takes a statement \w+ that is \d+ ms old, by message.received/,
  },
  {
    name: "an ingress that asks for no newest date",
    seed: 101n,
    bug: {
      file: INGRESS,
      find: "return timestamp <= now + BigInt(CLOCK_SKEW_MS_MAX) && !isTooOld",
      replace: "return !isTooOld",
    },
    finds: /^dates-are-admitted: node \d takes a statement \w+ that is dated \d+ ms ahead, by message.received$/,
  },
  {
    name: "an older word that pushes a newer one out of its register",
    seed: 158n,
    bug: [
      {
        file: FOLD,
        find: "      if (older !== undefined && compareInRegister(older, statement) > 0) continue;\n",
        replace: "",
      },
      {
        file: FOLD,
        find: '    if (newest !== undefined && compareInRegister(newest, statement) > 0) return "superseded";\n',
        replace: "",
      },
    ],
    finds: /^registers-go-forward: node \d gives [0-9a-f]{64} up for [0-9a-f]{64}, which is less, in \w+\//,
  },
  {
    name: "a statement that nobody signed",
    seed: 142n,
    bug: {
      file: RECEIVE,
      find: 'if (verdict.form === undefined || !verdict.bound) return "fault";',
      replace: 'if (!verdict.bound) return "fault";',
    },
    finds: /^statements-are-signed: node \d takes a \S+ with a signature that is not its signer's$/,
  },
  {
    name: "a node that passes nothing on",
    seed: 6n,
    bug: {
      file: RECEIVE,
      find: "if (clamped.ttl > 1) passOn(context, oneHopOn(context, clamped), from, statement !== null);",
      replace: "",
    },
    finds: /^hops-are-counted: node \d does not pass \w+ on to 12D3Koo\w+$/,
  },
  {
    name: "a node that counts no hops",
    seed: 2n,
    bug: {
      file: RECEIVE,
      find: "({ ...event, ttl: event.ttl - 1 })",
      replace: "({ ...event, ttl: event.ttl })",
    },
    finds: /^hops-are-counted: node \d passes \w+ on with 8 hops, which came with 8$/,
  },
  {
    name: "a node that takes whatever a peer pushes",
    seed: 22n,
    bug: {
      file: RECEIVE,
      find: "    if (ingress === ingresses.push && !spendCredit(context, from, event.payload.length)) continue;\n",
      replace: "",
    },
    finds: /^credit-is-kept: node \d takes more from 12D3Koo\w+ than its credit$/,
  },
  {
    name: "a log line without a name",
    seed: 1424n,
    bug: { file: "core/domains/chain-bridge/observe.ts", find: 'event: "chain unavailable"', replace: 'event: ""' },
    finds: /^logs-are-named: node \d logs something without a name$/,
  },
  {
    name: "a comparison that fetches nothing",
    seed: 144n,
    bug: {
      file: RECONCILE,
      find: "  fetch(context, from, someOf(context, missing, NAMED_MAX), someOf(context, fetched, PREFIXES_MAX));\n",
      replace: "",
    },
    finds: /^comparisons-go-on: node \d lacks [0-9a-f]{64}, which 12D3Koo\w+ named, and does not fetch it$/,
  },
  {
    name: "a comparison that passes the first range over",
    seed: 144n,
    bug: {
      file: RECONCILE,
      find: "  for (const content of inTurn(context, answer.contents.slice(0, PREFIXES_MAX))) {",
      replace:
        "  for (const content of inTurn(context, answer.contents.slice(answer.contents.length > 1 ? 1 : 0, PREFIXES_MAX))) {",
    },
    finds: /^comparisons-go-on: node \d lacks [0-9a-f]{64}, which 12D3Koo\w+ named, and does not fetch it$/,
  },
  {
    name: "a sweep that is never over",
    seed: 26n,
    bug: {
      file: "core/domains/trade/sealing/sealing.ts",
      find: "if (hours.some((each) =>",
      replace: "if (hours.every((each) =>",
    },
    finds: /^timers-rest: node \d changes nothing when the timer seal comes, and lets it come again at once$/,
  },
  {
    name: "a create that is refused as known and is not",
    seed: 3n,
    bug: {
      file: "core/domains/trade/advertisements/methods.ts",
      find: 'refuseWhen(contenders(view.reader, "advertisement", payload.id).length > 0, "DUPLICATE',
      replace: 'refuseWhen(contenders(view.reader, "advertisement", payload.id).length >= 0, "DUPLICATE',
    },
    finds: /^refusals-have-grounds: node \d refuses sendAdvertisementCreate with 3004, and has no ground for it$/,
  },
  {
    name: "an edit that is refused as another's and is its merchant's",
    seed: 3n,
    bug: {
      file: "core/domains/trade/advertisements/methods.ts",
      find: "() => (mine.length === 0 ? ruleOf",
      replace: "() => (mine.length >= 0 ? ruleOf",
    },
    finds: /^refusals-have-grounds: node \d refuses sendAdvertisement\w+ with 1003, and has no ground for it$/,
  },
  {
    name: "a send that is refused as signed by nobody and is signed",
    seed: 3n,
    bug: {
      file: "core/engine/admission/validation-order.ts",
      find: "refuseWhen(verdict.form === undefined, ",
      replace: "refuseWhen(verdict.form !== undefined, ",
    },
    finds: /^good-signatures-pass: node \d refuses send\w+ as signed by nobody, and its signer signed it$/,
  },
  {
    name: "a refusal whose reason no document has",
    seed: 3n,
    bug: {
      file: "core/domains/trade/settlements/methods.ts",
      find: 'fits(pair, payload)), "INVALID_IDENTITY_CLAIM", "not-a-party")',
      replace: 'fits(pair, payload)), "INVALID_IDENTITY_CLAIM", "not-disabled")',
    },
    finds: /^refusals-are-documented: .* with INVALID_IDENTITY_CLAIM for a reason "not-disabled" that it never has$/,
  },
  {
    name: "a lost push that nobody repeats",
    seed: 6n,
    bug: {
      file: "core/network/gossip/announcing.ts",
      find: "pushTo(context, [peer], { ...event, ttl }, true, request.repeats + 1);",
      replace: "",
    },
    finds:
      /^pushes-are-repeated: node \d does not repeat the push of [0-9a-f]+ to 12D3Koo\w+, who did not acknowledge it$/,
  },
  {
    name: "an acknowledgement without a name",
    seed: 26n,
    bug: {
      file: "core/network/gossip/messages.ts",
      find: '  reply(context, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);\n}\n\n/** A peer compares',
      replace: '  reply(context, replyTo, OFS_GOSSIP, "", NOTHING);\n}\n\n/** A peer compares',
    },
    finds: /^messages-are-known: node \d answers 1200 Gossip\w+ of 12D3Koo\w+ with "1200 "$/,
  },
  {
    name: "a node that gives nothing of what is asked for by what it begins with",
    seed: 233n,
    bug: {
      file: RECONCILE,
      find: "    for (const identity of context.identities.below(part, NAMED_MAX - identities.size)) identities.add(identity);\n",
      replace: "    if (part === undefined) break;\n",
    },
    finds: /^requests-are-answered: node \d answers 12D3Koo\w+ that there is no more than 0 statements, and holds \w+$/,
  },
  {
    name: "a log that is told in no order",
    seed: 214n,
    bug: {
      file: "core/network/gossip/recovery.ts",
      find: "a.timestamp > b.timestamp ? 1",
      replace: "a.timestamp >= b.timestamp ? 1",
    },
    finds: /^requests-are-answered: node \d answers 12D3Koo\w+ with \w+ after \w+, which comes later in the log$/,
  },
  {
    name: "a refusal that no dependant lifts",
    seed: 155n,
    bug: {
      file: "core/network/gossip/refused.ts",
      find: "if ((name !== Statements.name && name !== Pending.name) || record === undefined) continue;",
      replace: "if (name.length > 0) continue;",
    },
    finds: /^refusals-are-lifted: node \d takes \w+ and goes on refusing \w+, which may rest on it$/,
  },
  {
    name: "a node that remembers one refusal at a time",
    seed: 1145n,
    bug: {
      file: "core/network/gossip/refused.ts",
      find: "draft.size(Refusals) >= REFUSED_MAX",
      replace: "draft.size(Refusals) < REFUSED_MAX",
    },
    finds: /^refusals-stay: node \d forgets at \d+ that it refused [0-9a-f]{64} until \d+$/,
  },
  {
    name: "a node that gives up what carried a statement when that joins the set",
    seed: 2796n,
    bug: {
      file: "core/network/gossip/originate.ts",
      find: "if (context.draft.get(Statements, key) === undefined) forgetEventsOf(context, key);",
      replace: "forgetEventsOf(context, key);",
    },
    finds: /^carriers-stay: node \d drops what carried [0-9a-f]{64} when that joins the set$/,
  },
  {
    name: "an offer that forgets what its merchant acknowledged",
    seed: 101n,
    bug: {
      file: "core/domains/trade/advertisements/ledger.ts",
      find: "    if (allocation.acknowledged) acknowledged += sign * allocation.units;\n",
      replace: "",
    },
    finds:
      /^records-follow-the-papers: node \d: advertisement [0-9a-f]{64} has acknowledged \d+, and the papers say \d+$/,
  },
  {
    name: "a node that counts what waits with what does not",
    seed: 1145n,
    bug: {
      file: "core/engine/statements/space.ts",
      find: "if (name === Pending.name) waiting.add(key);",
      replace: "if (name !== Pending.name) waiting.add(key);",
    },
    finds: /^space-is-counted: node \d counts -?\d+ bytes of waiting\/\w+, and holds \d+$/,
  },
  {
    name: "a stranger's review",
    seed: 1145n,
    bug: {
      file: "core/domains/reviews/views.ts",
      find: ".filter(({ signer, payload }) => signer === author && isComment(payload.comment))",
      replace: ".filter(({ payload }) => author !== undefined && isComment(payload.comment))",
    },
    finds:
      /^reviews-are-of-parties: node \d shows a review by 12D3Koo\w+ about 12D3Koo\w+ of \S.*, which is not theirs$/,
  },
  {
    name: "a trade that is not over, and counts as completed",
    seed: 82n,
    bug: {
      file: "core/domains/reputation/rules.ts",
      find: "trades_completed: count(completed),",
      replace: "trades_completed: count(rows),",
    },
    finds: /^records-follow-the-papers: node \d: getReputation of \w+ has trades_completed \d+, the papers say \d+$/,
  },
  {
    name: "a node that believes the highest slot that anybody says",
    seed: 138n,
    bug: {
      file: `${CHAIN}/newest-slot.ts`,
      find: "const newest = secondHighest(untrue ? against : reported);",
      replace: "const newest = (untrue ? against : reported)[0];",
    },
    finds: /^slots-are-attested: node \d holds slot \d+ for true, which only one of several origins says$/,
  },
  {
    name: "a node for which no slot is too far ahead",
    seed: 112n,
    bug: {
      file: `${CHAIN}/newest-slot.ts`,
      find: "return isReachable(newest && { slot: newest.slot, observed_at: newest.taken_at }, slot, now);",
      replace: "return true;",
    },
    finds: /^slots-are-attested: node \d keeps slot \d+, which the chain cannot have reached$/,
  },
  {
    name: "a closing without an event that nobody looks into",
    seed: 214n,
    bug: {
      file: `${CHAIN}/follow.ts`,
      find: "of read.unexplained) {",
      replace: "of [] as typeof read.unexplained) {",
    },
    finds: /^closings-are-looked-into: node \d is told of \w+, which closes escrow \w+, and looks into nothing$/,
  },
  {
    name: "a node that takes for final what is only confirmed",
    seed: 168n,
    bug: {
      file: `${CHAIN}/follow.ts`,
      find: 'return commitment === "finalized" || needed === "confirmed";',
      replace: "return true;",
    },
    finds: /^facts-are-final: node \d holds for good that .*, which the finalized chain does not say$/,
  },
  {
    name: "a split that is not taken though event and accounts agree",
    seed: 258n,
    bug: {
      file: `${CHAIN}/agreement.ts`,
      find: "  const split = outcome === null ? (value.",
      replace: "  const split = outcome !== null ? (value.",
    },
    finds: /^facts-are-weighed: node \d does not take what escrow \d+ and its event say alike$/,
  },
  {
    name: "a fact about nobody's trade that is believed at once",
    seed: 142n,
    bug: {
      file: `${CHAIN}/watches.ts`,
      find: "return parties && row.amount.base_units === fact.amount;",
      replace: "return parties || row?.amount.base_units === fact.amount;",
    },
    finds: /^facts-are-weighed: node \d read escrow \d+, which is nobody's, \d times and believes it$/,
  },
  {
    name: "an open escrow that is read twice as of one slot",
    seed: 560900n,
    bug: { file: `${CHAIN}/looks.ts`, find: "slot: slot + 1n, found: OPEN", replace: "slot, found: OPEN" },
    finds: /^facts-are-weighed: node \d would count what it read of \w+ as of slot \d+ twice$/,
  },
];

test.each(rows)("$name is found", async (row) => {
  expect(await firstBroken(row)).toMatch(row.finds);
});
