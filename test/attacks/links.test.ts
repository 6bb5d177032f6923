/**
 * Goal: what comes over a link costs a bounded amount, whoever is at its other end, and loses nothing for good.
 * Method: attackers on an in-memory network of three honest nodes. Counted: signatures verified, rows kept, bytes
 * answered, links cut, and whether honest statements arrive.
 */

import { Pending, Statements } from "../../core/engine/statements/table.ts";
import { decodeCompact, devnetNetwork } from "../../core/index.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import { AdvertisementCreate, GossipEvent, PaymentSubmitted } from "../../core/testing.ts";
import { eventAround } from "../../sim/byzantine/attacker.ts";
import { sendBrokenFrames } from "../../sim/byzantine/broken-frames.ts";
import { comeAnew } from "../../sim/byzantine/fresh-peers.ts";
import { deflateHops, inflateHops } from "../../sim/byzantine/hop-counts.ts";
import { grindIds } from "../../sim/byzantine/id-grinding.ts";
import { floodLink } from "../../sim/byzantine/link-flood.ts";
import { recoverWithRubbish } from "../../sim/byzantine/lying-recovery.ts";
import type { EventMaker } from "../../sim/byzantine/market-events.ts";
import { offer, offerEvent } from "../../sim/byzantine/market-events.ts";
import { askForEverything } from "../../sim/byzantine/recovery-amplification.ts";
import type { Core } from "./arena.ts";
import { openArena } from "./arena.ts";
import { firstOf, testAttacks } from "./attack-law.ts";

const SECOND = 1_000;

/** Counted: events kept of one statement. */
async function idGrinding(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  const attacker = await arena.attacker();
  const statement = offerEvent(arena.world.crypto, attacker.sybil("author"), "ground", arena.now());
  grindIds(attacker, statement, 150, 2 * SECOND);
  await arena.pass(5 * SECOND);
  return firstOf(
    [arena.size(0, Statements as never) !== 1, "one statement is several"],
    [arena.size(0, Events as never) > 4, `${arena.size(0, Events as never)} events of one statement are kept`],
  );
}

/** Counted: statements verified on the flooded link; the honest node beside it is heard, the flood is not lost. */
async function linkFlood(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const attacker = await arena.attacker("flooder", [0]);
  const before = arena.spent(0).verified;
  const one = attacker.sybil("flooder");
  floodLink(attacker, (n) => offerEvent(arena.world.crypto, one, `flood-${n}`, arena.now()), 600, 3 * SECOND);
  await arena.pass(SECOND);
  const honest = offer(arena.merchant, "ad-1", arena.now());
  await arena.send(0, "sendAdvertisementCreate", AdvertisementCreate, honest, arena.merchant);
  await arena.pass(2 * SECOND);
  const seen = await arena.ask(1, "getAdvertisement", { id: "ad-1" });
  const spent = arena.spent(0).verified - before;
  return firstOf(
    // The link brings 200 at once and 20 a second; an event takes three looks: its own, bare, tagged.
    [spent > 3 * (200 + 4 * 20) + 50, `${spent} signatures were verified`],
    [typeof seen !== "object" || seen === null, "an honest statement did not arrive beside the flood"],
    [arena.spent(0).cut.length > 0, "a link was cut for valid statements"],
  );
}

/** Counted: bytes of statements that are taken from a link which sends few of them, each as large as it may be. */
async function heavyLink(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 1 });
  const attacker = await arena.attacker();
  const author = attacker.sybil("author");
  const payment_reference = "x".repeat(300_000);
  const large = (n: number): EventMaker => {
    const payload = { settlement_id: `large-${n}`, buyer: author.peer, payment_reference, timestamp: arena.now() };
    return (options) => eventAround(arena.world.crypto, PaymentSubmitted, payload, author, options);
  };
  floodLink(attacker, large, 20, 2 * SECOND);
  await arena.pass(4 * SECOND);
  // Payments of settlements that nobody knows wait, and are taken all the same.
  const taken = arena.size(0, Pending as never);
  return firstOf(
    [taken < 6, `only ${taken} of what the link pays for are taken`],
    [taken > 7, `${taken} statements of 300,000 bytes are taken in four seconds`],
    [arena.spent(0).cut.length > 0, "a link was cut for valid statements"],
  );
}

/** Counted: statements that a burst of one honest node loses for good. */
async function honestBurst(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  const sends = Array.from({ length: 300 }, (_, n) => offer(arena.merchant, `burst-${n}`, arena.now()));
  for (const [n, offer] of sends.entries()) {
    const data = arena.merchant.data(AdvertisementCreate, offer);
    const body = JSON.stringify({ jsonrpc: "2.0", id: n, method: "sendAdvertisementCreate", params: { data } });
    arena.world.call(0, undefined, body, () => undefined);
  }
  await arena.pass(2 * SECOND);
  const early = arena.size(2, Statements as never);
  await arena.pass(120 * SECOND);
  return firstOf(
    [early === sends.length, "nothing was shed: the burst tests nothing"],
    [arena.size(2, Statements as never) !== sends.length || !arena.equalRoots(), "a burst of an honest node is lost"],
    [arena.world.nodes.some((_, node) => arena.spent(node).cut.length > 0), "an honest link was cut"],
  );
}

/** Counted: bytes that one peer gets out of three nodes in ten seconds. */
async function recoveryAmplification(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 1 });
  const attacker = await arena.attacker();
  for (let n = 0; n < 190; n++) {
    const big = offerEvent(arena.world.crypto, arena.merchant, `${n}-${"x".repeat(1_000)}`, arena.now());
    attacker.push(big({ origin: attacker.wallet, at: arena.now() }));
  }
  await arena.pass(SECOND);
  askForEverything(attacker, devnetNetwork, 160, 10 * SECOND);
  await arena.pass(12 * SECOND);
  const most = 16 * 1_048_576 + 12 * 1_048_000 + 1_048_576;

  return firstOf([attacker.tally.answerBytes > most, `${attacker.tally.answerBytes} bytes were answered`]);
}

/**
 * Counted: bytes that somebody gets under one new peer id after the other, and statements that he brings; how long an
 * honest newcomer, who comes while all that newcomers share is spent, takes to have everything.
 */
async function freshPeers(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2, entrypoints: (node) => (node === 1 ? [0] : []) });
  arena.world.nodes[1]?.crash(false);
  const attacker = await arena.attacker("mallory", [0]);
  const made = (n: number) => offerEvent(arena.world.crypto, arena.merchant, `${n}-${"x".repeat(900)}`, arena.now());
  for (let n = 0; n < 190; n++) attacker.push(made(n)({ origin: attacker.wallet, at: arena.now() }));
  await arena.pass(SECOND);
  const before = arena.size(0, Statements as never);
  const author = attacker.sybil("author");
  const statement = (n: number) => offerEvent(arena.world.crypto, author, `fresh-${n}`, arena.now());
  const [times, overMs] = [30, 6 * SECOND];
  const newcomers = comeAnew(attacker, statement, 20, { times, overMs });
  await arena.pass(5 * SECOND);
  arena.world.nodes[1]?.start();
  await arena.pass(5 * SECOND);
  const got = newcomers.reduce((sum, { tally }) => sum + tally.answerBytes, 0);
  // What one link has at once and in eleven seconds, and a fifth of a second of each link's own.
  const most = 16 * 1_048_576 + (11 + times / 5) * 1_048_000 + 1_048_576;
  const brought = arena.size(0, Statements as never) - before;
  return firstOf(
    [before !== 190, `${before} of 190 statements were there`],
    [got > most, `${got} bytes were answered, of which ${most} are one more link's`],
    [brought > 200 + 11 * 20 + times * 4, `${brought} statements were taken`],
    [arena.size(1, Statements as never) < 190, "an honest newcomer does not catch up"],
  );
}

/** Counted: hops that others are told to carry an event; nodes that do not hear of one that was to die early. */
async function hopInflation(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  const [attacker, witness] = [await arena.attacker(), await arena.attacker("witness")];
  let most = 0;
  witness.answer("GossipPush", (_, payload) => {
    most = Math.max(most, decodeCompact(GossipEvent, payload)?.ttl ?? 0);
    return { type: "GossipPushAck", payload: new Uint8Array(0) };
  });
  inflateHops(attacker, offerEvent(arena.world.crypto, attacker.sybil("author"), "hops", arena.now()));
  await arena.pass(2 * SECOND);
  return firstOf([most === 0, "nothing was passed on"], [most > 16, `an event travels ${most} hops`]);
}

async function hopDeflation(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  const attacker = await arena.attacker("mallory", [0]);
  deflateHops(attacker, offerEvent(arena.world.crypto, attacker.sybil("author"), "hops", arena.now()));
  await arena.pass(90 * SECOND);
  const holders = arena.world.nodes.filter((_, node) => arena.size(node, Statements as never) === 1).length;
  return firstOf([holders !== 3, `${holders} of three nodes hold what was to die early`]);
}

/** Counted: when the link is cut, and signatures verified until then; no honest link suffers. */
async function brokenFrames(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const attacker = await arena.attacker();
  const statement = offerEvent(arena.world.crypto, attacker.sybil("author"), "broken", arena.now());
  sendBrokenFrames(attacker, statement, 2_400, 24 * SECOND);
  await arena.pass(30 * SECOND);
  const bad = arena.spent(0);
  return firstOf(
    [arena.size(0, Statements as never) > 0, "a broken event was taken"],
    [bad.cut.length === 0, "broken frames go on for ever"],
    [bad.cut.some((peer) => peer !== attacker.wallet.peer), "an honest link was cut"],
    [bad.verified > 2_200, `${bad.verified} signatures were verified`],
  );
}

/** Counted: events of rubbish that are looked at before the link is cut. */
async function lyingRecovery(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 1 });
  const liar = await arena.attacker("liar");
  const statement = offerEvent(arena.world.crypto, liar.sybil("author"), "rubbish", arena.now());
  const whole = statement({ origin: liar.wallet, at: arena.now() });
  const rubbish = Array.from({ length: 2_000 }, (_, n) => {
    const id = new Uint8Array(32).fill(n & 255);
    id[1] = n >> 8;
    return { ...whole, id };
  });
  recoverWithRubbish(liar, rubbish);
  await arena.pass(90 * SECOND);
  return firstOf(
    [(liar.tally.asked.get("GossipRecoveryRequest") ?? 0) === 0, "the liar was not asked"],
    [arena.size(0, Statements as never) + arena.size(0, Pending as never) > 0, "rubbish was taken"],
    [arena.spent(0).cut.length === 0, "the liar is still believed"],
  );
}

/** Neither comparisons nor announcements tell of what a push did not bring. */
const nothingTold = [
  {
    file: "core/network/gossip/messages.ts",
    find: "if (peer !== undefined) reconcileWith(context, peer);",
    replace: "",
  },
  {
    file: "core/network/gossip/announcing.ts",
    find: "if (peer !== undefined) tell(context, peer, told);",
    replace: "",
  },
];

testAttacks([
  {
    name: "id grinding",
    gained: idGrinding,
    without: [{ file: "core/network/gossip/receive.ts", find: ">= EVENTS_PER_STATEMENT_MAX", replace: ">= 1_000" }],
  },
  {
    name: "a flooded link",
    gained: linkFlood,
    without: [
      {
        file: "core/network/gossip/receive.ts",
        find: "ingress === ingresses.push && !spendCredit(context, from, event.payload.length)",
        replace: "false",
      },
    ],
  },
  {
    name: "a link of few and large statements",
    gained: heavyLink,
    without: [
      {
        file: "core/network/gossip/credit.ts",
        find: 'BigInt(bytes) <= leftOf(context, peer, "pushed")',
        replace: "true",
      },
    ],
  },
  {
    name: "shedding an honest burst",
    gained: honestBurst,
    without: [nothingTold],
  },
  {
    name: "recovery amplification",
    gained: recoveryAmplification,
    without: [
      {
        file: "core/network/gossip/credit.ts",
        find: 'return take(context, peer, "work", BigInt(bytes));',
        replace: "return bytes >= 0;",
      },
    ],
  },
  {
    name: "a new peer id for every connection",
    gained: freshPeers,
    without: [
      {
        file: "core/network/gossip/credit.ts",
        find: "if (advance > 0n && !drawAdvance(context, name, ALLOWANCES[name], advance)) return false;",
        replace: "",
      },
    ],
  },
  {
    name: "inflated hops",
    gained: hopInflation,
    without: [{ file: "core/network/gossip/receive.ts", find: "{ ...event, ttl: TTL_MAX }", replace: "event" }],
  },
  {
    name: "deflated hops",
    gained: hopDeflation,
    without: [nothingTold],
  },
  {
    name: "broken frames",
    gained: brokenFrames,
    without: [
      { file: "core/network/gossip/credit.ts", find: 'context.emit({ type: "peer.disconnect", peer });', replace: "" },
    ],
  },
  {
    name: "lying recovery",
    gained: lyingRecovery,
    without: [
      {
        file: "core/network/gossip/receive.ts",
        find: '=== "fault") chargeFault(context, from);',
        replace: '=== "fault") continue;',
      },
    ],
  },
]);
