/**
 * Goal: whoever commits to what another arbitrator of the case committed to before is flagged once, by case and number
 * of copies, and keeps his seat and commitment (protocol 03 W-14).
 * Method: three arbitrators of one case on one node; what it logs after each commitment, by its ingress and by gossip.
 */
import { expect, test } from "vitest";
import { ArbitratorJoin, VoteCommit } from "../../core/domains/trade/disputes/schema.ts";
import { Disputes } from "../../core/domains/trade/disputes/tables.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { commitmentTo, signedSends } from "../rpc/signed-sends.ts";
import { ada, bob, cyd, dan, NOW } from "./stages.ts";

const eve = person(0x66);

function flagged(node: LoneNode): readonly unknown[] {
  return node.effects.flatMap((effect) =>
    effect.type === "log" && effect.event === "copied commitment" ? [[effect.level, effect.fields]] : [],
  );
}

test("each copy is flagged once, whoever brings it, and counts all the same", () => {
  const node = loneNode(NOW);
  const sends = signedSends(node);
  for (const send of [sends.create, sends.reserve, sends.initiate, sends.open]) send();
  for (const each of [ada, bob, cyd, dan]) sends.panel(each).join();
  const [row] = [...node.view.keys(Disputes)].map((key) => node.view.get(Disputes, key));
  const flag = (copies: number) => ["warn", { case: row?.open, copies }];
  sends.panel(ada).commit();
  sends.panel(bob).commit({ commitment: commitmentTo("MerchantWins") });
  expect(flagged(node)).toEqual([]);
  sends.panel(cyd).commit();
  expect(flagged(node)).toEqual([flag(1)]);
  sends.panel(cyd).reveal();
  expect(flagged(node)).toEqual([flag(1)]);
  const copied = { dispute_id: "d-1", arbitrator: dan.peer, commitment: commitmentTo("MerchantWins") };
  node.gossip(VoteCommit, { ...copied, timestamp: NOW } as never, dan);
  // He is the first who copied this one.
  expect(flagged(node)).toEqual([flag(1), flag(1)]);
  node.gossip(VoteCommit, { ...copied, arbitrator: eve.peer, timestamp: NOW } as never, eve);
  expect(flagged(node)).toEqual([flag(1), flag(1)]);
  node.gossip(
    ArbitratorJoin,
    { dispute_id: "d-1", arbitrator: eve.peer, arbitrator_public_key: eve.key, timestamp: NOW } as never,
    eve,
  );
  expect(flagged(node)).toEqual([flag(1), flag(1), flag(2)]);
  expect(node.call("getDispute", { id: "d-1" })).toMatchObject({ commitments: 5, reveals: 1 });
});
