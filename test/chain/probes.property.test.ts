/**
 * Goal: the model and the compiled program answer alike whatever the accounts, the arguments and the clock hold.
 * Method: every instruction where it would succeed, with one thing changed (program/probes.ts), several, or accounts
 * of other instructions in place of its own; and cases whose last round came to anything, executed and claimed on.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { instructionDiscriminators } from "../../sim/chain/instruction-parts.ts";
import { forAllAsync } from "../property/for-all.ts";
import { profile, runSeed, seedOf } from "../property/profile.ts";
import { arbReward, arbRound, claimedOn, playedOn } from "./program/any-round.ts";
import { nameOf } from "./program/attempts.ts";
import { OF_THE_MACHINE, openSettings, probesOf } from "./program/probes.ts";
import { openMachine, probed } from "./program/probing.ts";

/** Every how manieth probe a run tries; which ones is the seed's choice. */
const STRIDE = profile === "nightly" ? 1 : 8;

const settings = await openSettings();
const probes = await Promise.all(settings.map(probesOf));

test("one thing changed at a time", async () => {
  const machine = await openMachine(openLitesvm, settings);
  const first = Math.abs(seedOf("probes", runSeed)) % STRIDE;
  let tried = 0;
  for (const [index, setting] of settings.entries()) {
    for (const probe of (probes[index] ?? []).filter((_, place) => place % STRIDE === first)) {
      await probed(machine, setting, probe);
      tried += 1;
    }
  }
  expect(tried * STRIDE).toBeGreaterThan(4_000);
});

test("several things changed at once", async () => {
  const machine = await openMachine(openLitesvm, settings);
  const accountProbes = probes.map((each) => each.filter(({ data }) => data === undefined));
  const arb = fc.nat(settings.length - 1).chain((index) => {
    return fc.tuple(
      fc.constant(index),
      fc.array(fc.constantFrom(...(accountProbes[index] ?? [])), { minLength: 2, maxLength: 3 }),
    );
  });
  const holds = async ([index, changes]: [number, (typeof probes)[number]]) => {
    const setting = settings[index] ?? settings[0];
    if (setting === undefined) throw new Error("no setting");
    const put = Object.assign({}, ...changes.map((change) => change.put ?? {}));
    const result = await probed(machine, setting, Object.assign({}, ...changes, { put }));
    if (result === undefined) return [];
    const { instruction } = setting.attempt;
    return [result.ok ? "done" : "refused", `${instruction} ${result.ok ? "done" : "refused"}`];
  };
  const named = Object.keys(instructionDiscriminators).filter((name) => !/^(slash|migrate_fee_config)$/.test(name));
  const each = named.flatMap((name) => [`${name} done`, `${name} refused`].map((label) => [label, 0.002] as const));
  const shares = { ...Object.fromEntries(each), done: 0.2, refused: 0.3 };
  await forAllAsync([arb], holds, { runs: 100, nightly: 20_000, sample: 800, shares });
});

test("any account of any instruction at any place", async () => {
  const machine = await openMachine(openLitesvm, settings);
  const addresses = [
    ...new Set(settings.flatMap(({ instruction }) => instruction.accounts.map((meta) => meta.address))),
  ];
  const fixed = new Set([...OF_THE_MACHINE, ...settings.map(({ instruction }) => instruction.program)]);
  const arb = fc.nat(settings.length - 1).chain((index) => {
    const own = settings[index]?.instruction.accounts.map(({ address }) => address) ?? [];
    const address = fc.oneof(fc.constantFrom(...own), fc.constantFrom(...addresses));
    const changes = fc.array(fc.tuple(fc.nat(own.length - 1), address), { minLength: 1, maxLength: 2 });
    return fc.tuple(fc.constant(index), changes);
  });
  const holds = async ([index, changes]: [number, [place: number, address: string][]]) => {
    const setting = settings[index];
    if (setting === undefined) throw new Error("no setting");
    const accounts = setting.instruction.accounts.map((meta, place) => {
      const address = changes.find(([at]) => at === place)?.[1];
      if (address === undefined || meta.signer) return meta;
      // The chain lets nobody write those.
      return { ...meta, address, writable: meta.writable && !fixed.has(address) };
    });
    const changed = { ...setting, instruction: { ...setting.instruction, accounts } };
    const result = await probed(machine, changed, { name: `${nameOf(setting.attempt)}: ${changes.join(" ")}` });
    return result === undefined ? [] : [result.ok ? "done" : "refused"];
  };
  await forAllAsync([arb], holds, { runs: 200, nightly: 20_000, sample: 800, shares: { done: 0.05, refused: 0.5 } });
});

test("a round that came to anything is executed alike, and claimed alike", async () => {
  const machine = await openMachine(openLitesvm, settings);
  await forAllAsync([arbRound], (round) => playedOn(machine, settings, round), {
    runs: 30,
    nightly: 5_000,
    sample: 150,
    shares: {
      "decided 0": 0.1,
      ...Object.fromEntries([1, 2, 3].map((outcome) => [`decided ${outcome}`, 0.03])),
      tie: 0.05,
      "too few": 0.1,
      "another round": 0.1,
      "split NoConsensus": 0.02,
      "split QuorumNotReached": 0.03,
      "split RoundUnstaffed": 0.02,
      "split PoolExhausted": 0.01,
      "seven seats": 0.05,
      "fourteen barred": 0.05,
      "sum above 64 bits": 0.05,
      "claim paid": 0.1,
      "claim refused": 0.1,
    },
  });
});

test("a reward of any size is shared alike", async () => {
  const machine = await openMachine(openLitesvm, settings);
  await forAllAsync([arbReward], (reward) => claimedOn(machine, settings, reward), {
    runs: 60,
    nightly: 5_000,
    sample: 150,
    shares: { "a share": 0.15, "all that remains": 0.05, refused: 0.1 },
  });
});
