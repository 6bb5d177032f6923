/**
 * Stakes on chain: tokens put in, asked back and taken out, where a refusal of the chain is told and ends nothing; and
 * the share that a seat pays whose vote was not the decided one, where it does.
 * Source: protocol 03 D.3, D.4, D.8, E5, E5b, E14.
 */
import type { Infer } from "../../core/index.ts";
import { enumeration, u64 } from "../../core/index.ts";
import { decodeAccount, simulatedProfile, stakeRoles, stakingConfig, token2022Program } from "../../core/testing.ts";
import {
  initializeStakeAccount,
  requestUnstake as requestUnstakeOf,
  slashDissentingArbitrator as slashSeat,
  stake as stakeTokens,
  withdrawUnstaked as withdrawUnstakedOf,
} from "../chain/staking-instructions.ts";
import type { Instruction } from "../chain/transaction.ts";
import { may } from "../data/optional.ts";
import { Name, otherwise } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { sleep } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { chainOf, FINAL_MS, failureText, transactAndSucceed, transactAndWait } from "./chain.ts";
import { executionNews } from "./chain-dispute.ts";
import type { CaseTerms, When } from "./trade-terms.ts";
import { CaseData, told } from "./trade-terms.ts";

/** What a stake is for. Source: protocol 03 D.2. */
export type StakeRole = keyof typeof stakeRoles;
const StakeRole = enumeration(
  "Merchant",
  "Arbitrator",
  "NodeOperator",
  "NotificationProvider",
  "OracleProvider",
  "RiskIntelligenceProvider",
  "SnapshotProvider",
);
const Role = otherwise(StakeRole, "Arbitrator");

export const stakeForms = {
  stake: actionForm("stake", { amount: u64, role: Role }),
  "request-unstake": actionForm("request-unstake", { amount: u64, role: Role }),
  "withdraw-unstaked": actionForm("withdraw-unstaked", { to: may(Name), role: Role }),
  "slash-dissenting-arbitrator": actionForm("slash-dissenting-arbitrator", { case: CaseData, arbitrator: Name }),
};

type Of<K extends keyof typeof stakeForms> = Infer<(typeof stakeForms)[K]>;

/** Puts OPEN base units into the actor's stake, whose account is made where there is none. */
export function stake(actor: string, amount: bigint, when: When, role: StakeRole = "Arbitrator"): Of<"stake"> {
  return { ...begins("stake", actor, when), amount, role };
}

/** Asks OPEN base units of a stake back: they count no longer, and wait. */
export function requestUnstake(
  actor: string,
  amount: bigint,
  when: When,
  role: StakeRole = "Arbitrator",
): Of<"request-unstake"> {
  return { ...begins("request-unstake", actor, when), amount, role };
}

/** Takes out what has waited, into the actor's own purse or somebody else's. */
export function withdrawUnstaked(
  actor: string,
  when: When,
  to?: string,
  role: StakeRole = "Arbitrator",
): Of<"withdraw-unstaked"> {
  return { ...begins("withdraw-unstaked", actor, when), ...(to !== undefined && { to }), role };
}

/** Once the first round of a case was executed, anybody has a seat slashed that revealed another outcome. */
export function slashDissentingArbitrator(
  actor: string,
  terms: CaseTerms,
  arbitrator: string,
  when: When,
): Of<"slash-dissenting-arbitrator"> {
  return { ...begins("slash-dissenting-arbitrator", actor, when), case: terms, arbitrator };
}

export const stakeRows: ActionRows<typeof stakeForms> = {
  stake: {
    title: ({ amount }) => `stake ${openText(amount)}`,
    *run(person, scene, { amount, role }) {
      const at = chainOf(scene);
      const ref = refOf(person, role);
      const { address } = at.stakeAccount(ref.owner, ref.role);
      const isThere = scene.witness(() => scene.world.chain()?.account(address, "processed") !== undefined);
      const made = isThere ? [] : [initializeStakeAccount(at, ref)];
      yield* tried(person, scene, [...made, stakeTokens(at, ref, purseOf(scene, person.wallet.name), amount)], {
        ...{ done: "has staked", failed: "to stake", what: openText(amount) },
      });
    },
  },
  "request-unstake": {
    title: ({ amount }) => `ask back ${openText(amount)}`,
    *run(person, scene, { amount, role }) {
      yield* tried(person, scene, [requestUnstakeOf(chainOf(scene), refOf(person, role), amount)], {
        ...{ done: "has asked back", failed: "to ask back", what: openText(amount) },
      });
    },
  },
  "withdraw-unstaked": {
    title: () => "withdraw what was asked back",
    *run(person, scene, { to = person.wallet.name, role }) {
      const withdrawal = withdrawUnstakedOf(chainOf(scene), refOf(person, role), purseOf(scene, to));
      yield* tried(person, scene, [withdrawal], {
        ...{ done: "has withdrawn", failed: "to withdraw", what: `what was asked back, to ${to}` },
      });
    },
  },
  "slash-dissenting-arbitrator": {
    title: ({ arbitrator, case: { trade } }) => `slash ${arbitrator} for ${trade.reservation}`,
    *run(person, scene, { case: terms, arbitrator }) {
      yield* scene.learn(executionNews(terms));
      yield* sleep(FINAL_MS);
      const { address } = scene.world.person(arbitrator);
      const slashing = slashSeat(chainOf(scene), terms.trade.reservation, address, slashDestination(scene));
      yield* transactAndSucceed(person, scene, [slashing]);
      told(scene, person, `has ${arbitrator} slashed for the vote on the case of escrow ${terms.trade.reservation}`);
    },
  },
};

interface Texts {
  readonly done: string;
  readonly failed: string;
  readonly what: string;
}

/** Sends, waits until it must be final, and tells what became of it. */
function* tried(person: Person, scene: Scene, instructions: readonly Instruction[], texts: Texts): Script {
  const { err } = yield* transactAndWait(person, scene, instructions);
  const verb = err === null ? texts.done : `fails (${failureText(err)}) ${texts.failed}`;
  told(scene, person, `${verb} ${texts.what}`);
}

function refOf(person: Person, role: StakeRole) {
  return { owner: person.wallet.address, role: stakeRoles[role] };
}

/** Where somebody has OPEN. */
function purseOf(scene: Scene, name: string): string {
  const at = chainOf(scene);
  return at.tokenAccount(scene.world.person(name).address, at.profile.openMint, token2022Program).address;
}

/** Where slashed tokens go, as the chain's configuration has it. */
function slashDestination(scene: Scene): string {
  const { address } = chainOf(scene).stakingConfig();
  return scene.witness(() => {
    const account = scene.world.chain()?.account(address, "finalized");
    if (account === undefined) throw new Error("bug: the simulated chain begins with a staking configuration");
    const read = decodeAccount(stakingConfig, simulatedProfile, account);
    if (!read.ok) throw new Error(`bug: the staking configuration does not decode: ${read.error}`);
    return read.value.slash_destination;
  });
}

/** OPEN as people read it. Source: protocol 03 D.1, six decimals. */
function openText(amount: bigint): string {
  const whole = amount / 1_000_000n;
  const rest = (amount % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  return `${whole}${rest === "" ? "" : `.${rest}`} OPEN`;
}
