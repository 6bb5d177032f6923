/**
 * Goal: what peers claim about peers, hold back, or lie about when sets are compared costs a bounded amount and keeps
 * no honest node from the others.
 * Method: attackers on an in-memory network. Counted: claims kept, addresses dialled, requests that the liar is asked.
 */

import { Statements } from "../../core/engine/statements/table.ts";
import type { PeerId } from "../../core/index.ts";
import { AddressClaims } from "../../core/network/peers/address-claims.ts";
import { AdvertisementCreate } from "../../core/testing.ts";
import { claimAddresses } from "../../sim/byzantine/address-claims.ts";
import { alwaysHaveMore } from "../../sim/byzantine/ever-more.ts";
import { lieAboutSets } from "../../sim/byzantine/lying-reconciliation.ts";
import { offer, offerEvent } from "../../sim/byzantine/market-events.ts";
import { withhold } from "../../sim/byzantine/withholding.ts";
import { cut, uncut } from "../../sim/network-faults.ts";
import type { Core } from "./arena.ts";
import { openArena } from "./arena.ts";
import { firstOf, testAttacks } from "./attack-law.ts";

const SECOND = 1_000;

/** Counted: claims kept, addresses dialled that nobody has, and where honest peers are said to be. */
async function addressClaims(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core });
  const attacker = await arena.attacker();
  const honest = arena.world.nodes.map(({ wallet }) => wallet);
  claimAddresses(attacker, honest, 12, 12 * SECOND);
  await arena.pass(60 * SECOND);
  const claims = arena.size(0, AddressClaims as never);
  const dialled = arena.spent(0).dialled.filter((address) => address.includes("/203.0."));
  const told = JSON.stringify(await arena.ask(0, "getPeers"));
  return firstOf(
    [attacker.tally.asked.get("PeerExchangeRequest") === undefined, "nobody asked the attacker"],
    [claims > 32, `${claims} claims of one reporter are kept`],
    [dialled.length > 2 * 32, `${dialled.length} made-up addresses were dialled`],
    [new Set(dialled).size < dialled.length / 2, "an address was dialled again and again"],
    [told.includes("203.0."), "an honest peer is shown where it is not"],
  );
}

/** Counted: nodes that do not hear what was said while the one honest node between them was cut off. */
async function withholding(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, entrypoints: (node) => (node === 2 ? [0, 1] : []) });
  const attacker = await arena.attacker();
  withhold(
    attacker,
    arena.world.nodes.map(({ address }) => address),
  );
  const block = cut(arena.world.network, { groups: [[0], [1, 2]] });
  await arena.send(
    0,
    "sendAdvertisementCreate",
    AdvertisementCreate,
    offer(arena.merchant, "ad-1", arena.now()),
    arena.merchant,
  );
  await arena.pass(15 * SECOND);
  uncut(arena.world.network, block);
  await arena.pass(100 * SECOND);
  const holders = arena.world.nodes.filter(({ index }) => arena.size(index, Statements as never) === 1).length;
  return firstOf(
    [(attacker.tally.asked.get("GossipPush") ?? 0) === 0, "the attacker held nothing back"],
    [holders !== 3, `${holders} of three nodes hold what was held back`],
  );
}

/** Counted: requests that the liar is asked in a minute. */
async function lyingSets(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  await arena.trade();
  const liar = await arena.attacker("liar");
  lieAboutSets(liar);
  const before = askedOf(arena.spent(0).sent, liar.wallet.peer);
  await arena.pass(60 * SECOND);
  const asked = askedOf(arena.spent(0).sent, liar.wallet.peer) - before;
  return firstOf(
    [asked === 0, "the liar was not asked"],
    [asked > 24, `the liar was asked ${asked} times in a minute`],
  );
}

/** Counted: requests made of a peer that always has one more. */
async function everMore(core?: Core): Promise<string | undefined> {
  const arena = await openArena({ core, nodes: 2 });
  const liar = await arena.attacker("liar");
  let brought = 0;
  const one = liar.sybil("author");
  const next = () =>
    offerEvent(arena.world.crypto, one, `more-${brought++}`, arena.now())({ origin: liar.wallet, at: arena.now() });
  alwaysHaveMore(liar, next);
  await arena.pass(25 * SECOND);
  const asked = askedOf(arena.spent(0).sent, liar.wallet.peer);
  return firstOf([brought === 0, "nothing was fetched"], [asked > 20, `the liar was asked ${asked} times in 25 s`]);
}

function askedOf(sent: ReadonlyMap<PeerId, number>, peer: PeerId): number {
  return sent.get(peer) ?? 0;
}

testAttacks([
  {
    name: "unbounded address claims",
    gained: addressClaims,
    without: [
      [
        {
          file: "core/network/peers/address-claims.ts",
          find: '"reporter", reporter) >= CLAIMS_PER_REPORTER_MAX',
          replace: '"reporter", reporter) >= 1_000_000',
        },
        {
          file: "core/network/peers/address-claims.ts",
          find: "if (!makeRoomIn(context, bucket)) return;",
          replace: "",
        },
      ],
    ],
  },
  {
    name: "withholding",
    gained: withholding,
    without: [
      {
        file: "core/network/gossip/messages.ts",
        find: "if (peer !== undefined) reconcileWith(context, peer);",
        replace: "",
      },
    ],
  },
  {
    name: "lying reconciliation",
    gained: lyingSets,
    without: [{ file: "core/network/gossip/reconcile.ts", find: "content.prefix.length !== depth || ", replace: "" }],
  },
  {
    name: "ever more",
    gained: everMore,
    without: [
      [
        { file: "core/network/gossip/reconcile.ts", find: "answer.more && full", replace: "answer.more" },
        { file: "core/network/gossip/arrivals.ts", find: " && brought * 2 >= held.fetched", replace: "" },
      ],
    ],
  },
]);
