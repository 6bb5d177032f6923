/**
 * The weaknesses that protocol 03 G finds in the reference, each with our better rule as a check, and with the
 * reference's behaviour as a bug that the check must find. Bugs are source transformations while loading.
 * Source: protocol 03 G, W-1 to W-16.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type * as CoreIndex from "../../core/index.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import type * as Model from "../../sim/chain/executors/model.ts";
import { openTogether } from "../chain/program/together.ts";
import { disputedTrade, of, WINDOW } from "../chain/program/trades.ts";
import type { World } from "../chain/program/world.ts";
import { openWorld, run, staked } from "../chain/program/world.ts";
import { caseNode, accounts as closedAccounts, execution, people, tell } from "../chain-bridge/case-node.ts";
import type { Rule } from "../chain-bridge/rules.ts";
import { R4, R7 } from "../chain-bridge/rules.ts";
import { posted, register, subscribe } from "../notifications/stage.ts";
import type { Load } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { arbitrators, buyer, commitmentTo, resultOf, signedSends } from "../rpc/signed-sends.ts";
import { violationsIn } from "../scenarios/loaded.ts";
import { partE } from "../scenarios/part-e.ts";
import { nonceFor, proofFor } from "../wallet-proofs/caller.ts";

/** What is broken in the product as it is loaded, or nothing. */
export type Check = (load: Load) => Promise<string | undefined>;

export interface Weakness {
  readonly number: string;
  /** What the reference does. */
  readonly reference: string;
  /** The check that finds it. */
  readonly found: string;
  readonly check: Check;
  readonly bug: PlantedBug | readonly PlantedBug[];
}

type Core = typeof CoreIndex;

const T = 1_786_000_000_000n;
const bug = (file: string, find: string, replace: string): PlantedBug => ({ file, find, replace });

/** A check of one node. */
function onCore(check: (core: Core) => string | undefined): Check {
  return async (load) => check(await load<Core>("core/index.ts"));
}

/** A whole scenario on the model. */
function onScenario(name: string): Check {
  return async (load) => (await violationsIn(load, name))[0]?.message;
}

/** The compiled program and the model side by side: what they do is the same, or it is the finding. */
function onProgram(story: (world: World) => Promise<void>): Check {
  return async (load) => {
    const { modelExecutors } = await load<typeof Model>("sim/chain/executors/model.ts");
    const world = await openWorld(openTogether(openLitesvm, modelExecutors(openNativeCrypto())));
    try {
      await story(world);
      return undefined;
    } catch (difference) {
      return difference instanceof Error ? difference.message : String(difference);
    } finally {
      await world.executor.close();
    }
  };
}

const wrong = (what: string, is: unknown, wanted: unknown): string | undefined => {
  const [left, right] = [is, wanted].map((value) => JSON.stringify(value) ?? "undefined");
  return left === right ? undefined : `${what}: ${left}, not ${right}`;
};

/** People of a trade, and an open case about it. */
function opened(core: Core) {
  const node = loneNode(T, core);
  const sends = signedSends(node);
  for (const send of [sends.create, sends.reserve, sends.initiate, sends.pay]) send();
  return { node, sends };
}

const parties = onCore((core) => {
  const { node, sends } = opened(core);
  sends.open();
  const refused = resultOf(sends.panel(buyer).join());
  const join = { dispute_id: "d-1", arbitrator: buyer.peer, arbitrator_public_key: buyer.key };
  node.gossip(
    core.marketplace.typesByName.get("ArbitratorJoin") as never,
    { ...join, timestamp: node.now as never },
    buyer,
  );
  const { arbitrators_seated } = node.call("getDispute", { id: "d-1" }) as Record<string, unknown>;
  return wrong("a party who joins", [refused, arbitrators_seated], [2001, 0]);
});

const reasons = onCore((core) => {
  const { sends } = opened(core);
  return wrong("a reason of 4,097 bytes", resultOf(sends.open({ reason: "x".repeat(4_097) })), 3);
});

const dates = onCore((core) => {
  const { node, sends } = opened(core);
  sends.open({ timestamp: T });
  const [one, other] = arbitrators;
  const at = () => (node.call("getDispute", { id: "d-1" }) as { readonly updated_at: number }).updated_at;
  sends.panel(one).join({ timestamp: T + 1n });
  sends.panel(one).commit({ timestamp: T + 300n });
  sends.panel(other).join({ timestamp: T + 2n });
  return wrong("updated_at", at(), Number(T + 300n));
});

const resolutionTold = onCore((core) => {
  const node = caseNode({ core });
  register(node);
  for (const party of [people.taker, people.merchant]) subscribe(node, party, { timestamp: node.now as never });
  tell(node, execution(), ...closedAccounts());
  const told = node.effects.flatMap((effect) => (effect.type === "notification.deliver" ? [posted(effect)] : []));
  return wrong("told of the resolution", told.filter(({ trigger }) => trigger === "ResolutionIssued").length, 2);
});

const relays = onCore((core) => {
  const node = caseNode({ core, told: { chain: "GossipOnly" } });
  const answer = node.call("sendTransaction", { data: Buffer.from(execution().wire).toString("base64") });
  const kinds = [...node.view.keys(Events)].map((key) => node.view.get(Events, key)?.event.event_type);
  const relayed = kinds.filter((kind) => kind === "TransactionRelayRequested").length;
  return wrong("a transaction at a node without an endpoint", [answer, relayed], [{ queued: true }, 1]);
});

const flood = onCore((core) => {
  const node = loneNode(T, core);
  const [honest, flooder] = [person(7), person(8)];
  const nonce = nonceFor(node, honest);
  for (let n = 0; n < 4_200; n += 1) nonceFor(node, flooder);
  return wrong(
    "a proof after 4,200 challenges",
    node.call("getMyDisputes", proofFor(node, "getMyDisputes", honest, nonce)),
    [],
  );
});

const elsewhere = onCore((core) => {
  const [one, other] = [1, 2].map((seed) => loneNode(T, core, undefined, {}, new Uint8Array(32).fill(seed)));
  if (one === undefined || other === undefined) return "there are no nodes";
  const owner = person(7);
  const proof = proofFor(other, "getMyDisputes", owner, nonceFor(one, owner));
  return wrong("the answer to another node's challenge", other.call("getMyDisputes", proof), 6);
});

const secondCommit = onCore((core) => {
  const { sends } = opened(core);
  sends.open();
  const panel = sends.panel(arbitrators[0]);
  panel.join();
  panel.commit();
  const answers = [panel.commit({ commitment: commitmentTo("MerchantWins") }), panel.commit()].map(resultOf);
  return wrong("another commitment, and the same again", answers, [6005, null]);
});

const commitments = onProgram(async (world) => {
  const trade = await disputedTrade(world);
  const [owner, copier] = ["arbitrator 0", "arbitrator 1"];
  await run(world, [of.commit(trade, owner, 0)], owner);
  const copied = of.commit(trade, owner, 0).data;
  await run(world, [{ ...of.commit(trade, copier, 0), data: copied }], copier);
  world.now += WINDOW;
  await run(world, [of.reveal(trade, owner, 0)], owner);
  await run(world, [{ ...of.reveal(trade, copier, 0), data: of.reveal(trade, owner, 0).data }], copier);
});

const partiesOnChain = onProgram(async (world) => {
  const trade = await disputedTrade(world);
  for (const party of [trade.buyer, trade.merchant]) {
    await staked(world, party, async () => void (await run(world, [of.commit(trade, party, 0)], party)));
  }
});

/** The bug of a scenario of part E. */
function bugOf(number: string): Weakness["bug"] {
  const row = partE.find((one) => one.number === number);
  if (row === undefined) throw new Error(`there is no ${number}`);
  return row.bug;
}

const scenario = (name: string) => ({ found: `scenario ${name}`, check: onScenario(name) });
const rule = (name: string, check: Rule) => ({ found: `rule ${name}`, check: onCore((core) => check(core)) });
const unit = (check: Check) => ({ found: "one node", check });
const differential = (check: Check) => ({ found: "model against compiled program", check });

export const weaknesses: readonly Weakness[] = [
  {
    ...{ number: "W-1", reference: "any successful transaction decides what its tag names" },
    ...{ ...scenario("tag-on-an-unrelated-transaction"), bug: bugOf("S6") },
  },
  {
    ...{ number: "W-2", reference: "only who submitted an execution observes it" },
    ...scenario("decided-before-anyone-sits"),
    bug: bug(
      "core/domains/chain-bridge/domain.ts",
      "onChange: [onChangeOf([Settlements], watchNewSettlements)]",
      "onChange: []",
    ),
  },
  { number: "W-3", reference: "splits and mutual settlements never resolve", ...rule("R4", R4), bug: bugOf("S9") },
  {
    ...{ number: "W-4", reference: "events before their parents are dropped" },
    ...{ ...scenario("every-order-of-events"), bug: bugOf("S13") },
  },
  {
    ...{ number: "W-5", reference: "parties take seats", ...unit(parties) },
    bug: bug("core/domains/trade/disputes/rules.ts", "if (parties.includes(signer)) continue;", ""),
  },
  {
    ...{ number: "W-6", reference: "a submission that cannot land is asked for, for ever", ...rule("R7", R7) },
    bug: bug(
      "core/domains/chain-bridge/submissions.ts",
      "} else if (absent.finalized > held.valid_until) {",
      "} else if (absent.finalized < 0n) {",
    ),
  },
  {
    ...{ number: "W-7", reference: "a reason has no bound", ...unit(reasons) },
    bug: bug("core/domains/trade/disputes/methods.ts", "utf8(reason).length <= REASON_BYTES_MAX", "true"),
  },
  {
    ...{ number: "W-8", reference: "updated_at is that of the last statement, and goes back", ...unit(dates) },
    bug: bug(
      "core/domains/trade/disputes/rules.ts",
      "updated_at: latest(effective.map((statement) => statement.timestamp)),",
      "updated_at: latest([(effective.at(-1) ?? open).timestamp]),",
    ),
  },
  {
    ...{ number: "W-9", reference: "nobody is told of a resolution when it comes", ...unit(resolutionTold) },
    bug: bug(
      "core/domains/notifications/triggers.ts",
      "!after.decided || before?.decided === true",
      "!after.decided || before?.decided !== true",
    ),
  },
  {
    ...{ number: "W-10", reference: "without an endpoint a transaction is queued and forgotten", ...unit(relays) },
    bug: bug(
      "core/domains/chain-bridge/methods.ts",
      "ruleOf(context.configuration, relay)(context, bytes, correlation);",
      "",
    ),
  },
  {
    ...{ number: "W-11", reference: "the highest slot that anybody ever announced is the view" },
    ...scenario("slot-from-the-far-future"),
    bug: [
      bug(
        "core/domains/chain-bridge/view.ts",
        "if (newest === undefined) return slot * SLOT_MS <= now;",
        "return true;",
      ),
      bug("core/domains/chain-bridge/view.ts", "return observations[1] ?? observations[0];", "return observations[0];"),
    ],
  },
  {
    ...{ number: "W-12", reference: "4,096 challenges are remembered, and the next one drops the oldest" },
    ...unit(flood),
    bug: [
      bug(
        "core/domains/wallet-proofs/nonce.ts",
        "const DIGEST_BYTES = 16;",
        "const DIGEST_BYTES = 16;\nconst remembered: string[] = [];",
      ),
      bug(
        "core/domains/wallet-proofs/nonce.ts",
        "return toHex(concat(expiry, salt, digestOf(crypto, bootSeed, issue, expiry, salt)));",
        `const nonce = toHex(concat(expiry, salt, digestOf(crypto, bootSeed, issue, expiry, salt)));
        if (remembered.push(nonce) > 4_096) remembered.shift();
        return nonce;`,
      ),
      bug(
        "core/domains/wallet-proofs/nonce.ts",
        "if (bytes?.length !== 32) return undefined;",
        "if (bytes?.length !== 32 || !remembered.includes(nonce)) return undefined;",
      ),
    ],
  },
  {
    ...{ number: "W-13", reference: "a challenge of one node may be answered at another", ...unit(elsewhere) },
    bug: bug(
      "core/domains/wallet-proofs/nonce.ts",
      'crypto.sha256(concat(utf8("challenge secret"), bootSeed))',
      'crypto.sha256(utf8("challenge secret"))',
    ),
  },
  {
    ...{ number: "W-14", reference: "a commitment names neither case nor arbitrator" },
    ...{ ...differential(commitments), bug: bugOf("S17") },
  },
  {
    ...{ number: "W-15", reference: "another commitment is ignored, and called a success", ...unit(secondCommit) },
    bug: bug(
      "core/domains/trade/disputes/methods.ts",
      'return equalBytes(held, commitment) ? "unchanged" : "INVALID_DISPUTE_STATE";',
      'return "unchanged";',
    ),
  },
  {
    ...{ number: "W-16", reference: "parties arbitrate their own case on chain", ...differential(partiesOnChain) },
    bug: bug("sim/chain/model/votes.ts", " || isParty(call, 1, found, arbitrator)", ""),
  },
];
