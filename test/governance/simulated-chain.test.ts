/**
 * Goal: votes are counted through the chain port as the simulator has it: in time over an endpoint that answers, fails
 * now and then, or is behind, and not at all over one that is dead (protocol 04 §3.5; 01 §13.2).
 * Method: one node over a simulated endpoint, whose effects are obeyed in virtual time.
 */
import { expect, test } from "vitest";
import { ProposalCreate, VoteCast } from "../../core/domains/governance/schema.ts";
import type { ChainObservation } from "../../core/inputs.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { ChainPort } from "../../core/ports/chain.ts";
import { chainAddresses, simulatedProfile, stakeRoles } from "../../core/solana/addresses.ts";
import { ARBITRATOR_STAKE_MIN } from "../../sim/chain/genesis.ts";
import { openChainSupply } from "../../sim/chain-supply.ts";
import { createLoop } from "../../sim/clock.ts";
import type { EndpointConditions } from "../../sim/endpoint-conditions.ts";
import { healthyEndpoint } from "../../sim/endpoint-conditions.ts";
import { createFaultLedger } from "../../sim/faults.ts";
import { openWallet } from "../../sim/wallet.ts";
import { WORLD_START } from "../../sim/world.ts";
import { crypto, loneNode } from "../rpc/lone-node.ts";
import type { Shown } from "./fixtures.ts";
import { proposal, reasons } from "./fixtures.ts";

const at = chainAddresses(crypto, simulatedProfile);
const [rich, poor, none] = ["rich", "poor", "none"].map((name) => openWallet(crypto, 1n, name)) as [Who, Who, Who];
type Who = ReturnType<typeof openWallet>;
const MINUTE = 60_000;

/** A node that has lived so long with three voters; the second's stake is below what arbitrators need. */
async function lived(minutes: number, conditions: Partial<EndpointConditions>) {
  const loop = createLoop(WORLD_START as EpochMillis);
  const faults = createFaultLedger(loop);
  const supply = await openChainSupply(crypto, {
    ...{
      choice: "model",
      seed: 1n,
      loop,
      faults,
      profile: { ...simulatedProfile, name: "s", parity: false, mints: [] },
    },
    participants: [
      { name: "rich", arbitratorStake: 3n * ARBITRATOR_STAKE_MIN, wallet: rich },
      { name: "poor", arbitratorStake: ARBITRATOR_STAKE_MIN - 1n, wallet: poor },
      { name: "none", wallet: none },
    ],
    nodes: [openWallet(crypto, 1n, "node/0")],
  });
  supply.setConditions(0, { ...healthyEndpoint, ...conditions });
  const node = loneNode(WORLD_START, undefined, undefined, { chain: "RpcConnected" });
  let obeyed = 0;
  let timer = 0;
  const does = (act: () => void): void => {
    node.now = loop.epoch();
    act();
    for (; obeyed < node.effects.length; obeyed += 1) {
      const effect = node.effects[obeyed];
      if (effect?.type === "chain.read") port.read(effect.address, effect.slot);
      if (effect?.type !== "timer.set" || effect.timer !== "governance") continue;
      timer += 1;
      const mine = timer;
      const fire = () => does(() => node.accept({ type: "timer.fired", timer: "governance" }));
      loop.at(Number(effect.at - WORLD_START), () => (mine === timer ? fire() : undefined));
    }
  };
  const observed = (observation: ChainObservation) => does(() => node.accept({ type: "chain.observed", observation }));
  const port = supply.open(0, observed) as ChainPort;
  await loop.runUntil(30_000);
  does(() => void exchange());
  await loop.runUntil(30_000 + minutes * MINUTE);
  return { node, shown: node.call("getProposal", { id: proposal.id }) as Shown };

  function exchange(): void {
    const timestamp = loop.epoch();
    const written = { ...proposal, author: rich.peer, author_public_key: rich.publicKey, timestamp };
    expect(node.call("sendProposalCreate", { data: rich.data(ProposalCreate, written) })).toBe(proposal.id);
    for (const voter of [rich, poor, none]) {
      const vote: VoteCast = {
        proposal_id: proposal.id,
        voter: voter.peer,
        voter_public_key: voter.publicKey,
        choice: "Approve",
        weight: 1n,
        stake_account: at.stakeAccount(voter.address, stakeRoles.Arbitrator).address,
        timestamp,
      };
      expect(node.call("sendVoteCast", { data: voter.data(VoteCast, vote) })).toBe(null);
    }
  }
}

const weightsBy = (shown: Shown) => Object.fromEntries(shown.votes.map((vote) => [vote.voter, vote.weight]));

test.each([
  ["answers", {}],
  ["fails every third time", { failure: 333_333 }],
  ["is 100 slots behind", { lagSlots: 100n }],
] as const)("an endpoint that %s", async (_, conditions) => {
  const { node, shown } = await lived(6, conditions);
  expect(weightsBy(shown)).toEqual({ [rich.peer]: Number(3n * ARBITRATOR_STAKE_MIN), [poor.peer]: 0 });
  expect(reasons(node), "the one without a stake").toEqual(["timeout"]);
  expect(shown.status).toBe("Voting");
});

test("an endpoint that is dead", async () => {
  const { node, shown } = await lived(6, { failure: 1_000_000 });
  expect(shown.votes).toEqual([]);
  expect(reasons(node)).toEqual(["timeout", "timeout", "timeout"]);
});
