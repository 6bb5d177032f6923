/**
 * A small world in which every port is used, one of whose nodes has one call that fails: the nth that its core makes of
 * a method. Source: DESIGN L10, section 5 (ours).
 */

import { SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import type { Effect, Fact } from "../../core/index.ts";
import type { StorePort } from "../../core/ports/store.ts";
import type { Action } from "../../sim/action-kinds.ts";
import { fundEscrow, provideLiquidity, release } from "../../sim/actions/chain-trade.ts";
import { advertise, approve, initiate, pay, reserve, seeSettlement } from "../../sim/actions/trade.ts";
import type { Offer, TradeTerms, When } from "../../sim/actions/trade-terms.ts";
import { openBackends } from "../../sim/backends.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import type { DiskConditions, NodeDisk } from "../../sim/disk.ts";
import { healthyDisk } from "../../sim/disk.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";
import type { World } from "../../sim/world.ts";
import { snapshotPart } from "../suites/slot-stories.ts";
import type { Failure } from "./ports.ts";
import { orderedBy } from "./ports.ts";

const NODES = 3;
/** The node whose call fails; everybody of the story talks to it. */
const UNLUCKY = 1;
const SEED = 7n;
const WHOLE = 1_000_000n;
const BYTES = new Uint8Array(32).fill(1);

const offer: Offer = {
  ...{ id: "offer", merchant: "mia", asset: "USDC", fiatCurrency: "EUR", priceCents: 92n },
  ...{ minTrade: WHOLE, maxTrade: 500n * WHOLE, liquidity: 2_000n * WHOLE },
};
const trade: TradeTerms = { offer, reservation: 1n, settlement: "s-1", buyer: "tom", amount: 20n * WHOLE };
const at = (secs: number): When => ({ at: seconds(secs), via: UNLUCKY });

/** A gateway to which the merchant has his news sent. */
const SERVICE = "gateway";
const registers: Action = {
  kind: "code",
  ...{ name: "register a gateway", actor: "gil", ...at(1) },
  *run({ wallet, now, send }) {
    yield* send("sendProviderRegister", Registration, {
      ...{ service_id: SERVICE, service_type: { Notifications: "Email" }, provider: wallet.peer },
      ...{
        provider_public_key: wallet.publicKey,
        endpoints: ["https://gw.example.org"],
        supported_ofs: [],
        region: null,
      },
      ...{ capabilities: [], branding: null, pricing: null, payout_wallet: null, timestamp: now() },
    });
  },
};
const subscribes: Action = {
  kind: "code",
  ...{ name: "subscribe", actor: "mia", ...at(2) },
  *run({ wallet, now, send }) {
    const sealed = { ephemeral_public: BYTES, nonce: BYTES.slice(0, 12), ciphertext: BYTES };
    yield* send("sendSubscriptionUpdate", SubscriptionUpdate, {
      ...{ wallet: wallet.peer, wallet_public_key: wallet.publicKey, enabled_categories: ["Trading"] as const },
      ...{ destinations: [{ service_id: SERVICE, channel: "Email", sealed }] as const, timestamp: now() },
    });
  },
};

const onChain = [
  ...[provideLiquidity(offer, at(1)), advertise(offer, at(2))],
  ...[reserve(trade, at(3)), initiate(trade, at(3)), fundEscrow(trade, at(3)), pay(trade, at(3))],
  ...[approve(trade, at(3)), release(trade, at(3)), seeSettlement(trade, "mia", "Completed", at(3))],
];
const talk: TradeTerms = { ...trade, offChain: true };
const offChain = [
  ...[registers, subscribes],
  ...[advertise(offer, at(3)), reserve(talk, at(4)), initiate(talk, at(4)), pay(talk, at(4))],
  ...[approve(talk, at(4)), seeSettlement(talk, "tom", "Approved", at(4))],
];

/** A trade that everybody is told of, off chain; or on it, with a file of the state. */
export type StoryName = "off chain" | "on chain";

const scenario = (story: StoryName, install: (world: World) => void) =>
  defineScenario({
    ...{ name: "one-call-fails", description: "A trade on chain, a file and notifications.", source: "DESIGN L10" },
    ...{ nodes: NODES, chain: story === "on chain" ? "model" : "none" },
    participants: [{ name: "mia", merchant: true }],
    actions: story === "on chain" ? onChain : offChain,
    faults: [{ kind: "code", text: "one call fails", from: 0, until: 0, injects: [], install }],
    lasts: story === "on chain" ? seconds(40) : seconds(8),
    safety: [equalSetsEqualStates],
    liveness: { within: minutes(5), checks: [replicasConverge] },
  });

export interface Played {
  readonly result: RunResult;
  /** Calls of the unlucky core, by method. */
  readonly calls: ReadonlyMap<string, number>;
  readonly failed: boolean;
}

/** Plays the story with the nth call of the method failing so; with none, nothing fails. */
export async function play(story: StoryName, failure?: Failure, nth = 0): Promise<Played> {
  const calls = new Map<string, number>();
  const held: { world?: World; index: number; failed: boolean } = { index: 0, failed: false };
  const { openDriver, configure, ...backends } = openBackends();
  const seats = new Map<string, number>();
  /** What to answer instead of doing it. */
  const instead = (method: string): Failure["answer"] | undefined => {
    const count = (calls.get(method) ?? 0) + 1;
    calls.set(method, count);
    if (method !== failure?.method || count !== nth) return undefined;
    held.failed = true;
    return failure.answer;
  };
  const later = (act: () => void) => held.world?.loop.after(1, act);
  /** A node whose store does not load answers nobody, and whoever watches it starts it again. */
  const startAgain = () => {
    const node = held.world?.nodes[UNLUCKY];
    node?.crash(false);
    node?.start();
  };
  const result = await runScenario(
    scenario(story, (world) => {
      held.world = world;
    }),
    { seed: SEED },
    {
      ...backends,
      configure(seat, chain) {
        const configured = { ...configure(seat, chain), ...snapshotPart(SEED, seat) };
        seats.set(configured.peerId, seat.index);
        return configured;
      },
      openDriver(options) {
        if (seats.get(options.configuration.peerId) !== UNLUCKY) return openDriver(options);
        const driver = openDriver({
          ...options,
          store: between(options.store, instead, () => held.world?.nodes[UNLUCKY]?.disk),
          perform(effect: Effect) {
            if (effect.type === "log" && effect.event === "store does not load") later(startAgain);
            const method = orderedBy[effect.type];
            const answer = method === undefined ? undefined : instead(method);
            if (answer === undefined) return options.perform(effect);
            later(() => driver.accept(answer(effect as never) as Fact));
            // Who sent a transaction that was not taken sends it again.
            if (effect.type === "chain.submit") later(() => options.perform(effect));
          },
        });
        return driver;
      },
    },
  );
  return { result, calls, failed: held.failed };
}

/** A store on a disk that fails one call. */
function between(
  store: StorePort,
  instead: (method: string) => Failure["answer"] | undefined,
  disk: () => NodeDisk | undefined,
): StorePort {
  const call = (method: string, act: () => void): void => {
    const failing = instead(method)?.(undefined as never);
    if (failing !== undefined) disk()?.setConditions({ ...healthyDisk, ...(failing as Partial<DiskConditions>) });
    act();
    if (failing !== undefined) disk()?.setConditions(healthyDisk);
  };
  return {
    commit: (writes, done) => call("store.commit", () => store.commit(writes, done)),
    load: (page) => call("store.load", () => store.load(page)),
    close: (done) => store.close(done),
  };
}
