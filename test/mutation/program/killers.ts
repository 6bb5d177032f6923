/**
 * What a mutant of the on-chain program is judged by: the executor contract, random stories, and every instruction
 * with one thing changed, recorded on LiteSVM. test/chain and test/sim/chain compare the same between all executors.
 */
import { expect, test } from "vitest";
import { openLitesvm } from "../../../sim/chain/executors/litesvm.ts";
import { describeExecutor } from "../../chain/executor.contract.ts";
import { arbReward, arbRound, claimedOn, playedOn } from "../../chain/program/any-round.ts";
import { describeMachine } from "../../chain/program/machine.contract.ts";
import { openSettings, probesOf } from "../../chain/program/probes.ts";
import { openMachine, probed } from "../../chain/program/probing.ts";
import { samples } from "../../property/for-all.ts";
import { agree } from "../../sim/chain/agree.ts";
import { arbStory } from "../../sim/chain/arbitrary-commands.ts";
import { recorded } from "./recording.ts";

/** Random stories and rounds of a fixed seed. */
const STORIES = 100;
const ROUNDS = 300;

const folder = process.env.OFS_RECORDINGS;
if (folder === undefined) throw new Error("killers.ts is run by record.ts, which says where recordings go");
const open = recorded(openLitesvm, folder, () => expect.getState().currentTestName ?? "a suite that opens");

describeExecutor("litesvm", open);
describeMachine(open);

test("random stories", async () => {
  for (const { day, commands } of samples(arbStory, STORIES)) await agree(open, day, commands);
});

test("one thing changed at a time", async () => {
  const settings = await openSettings();
  const machine = await openMachine(open, settings);
  for (const setting of settings) for (const probe of await probesOf(setting)) await probed(machine, setting, probe);
  for (const round of samples(arbRound, ROUNDS)) await playedOn(machine, settings, round);
  for (const reward of samples(arbReward, ROUNDS)) await claimedOn(machine, settings, reward);
  await machine.close();
});
