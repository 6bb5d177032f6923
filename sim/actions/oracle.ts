/**
 * Market data: providers register, publish rates that run out, and leave; everybody asks at the instants that matter.
 * Source: protocol 05 §1.6, §3.4.
 */
import type { EpochMillis } from "../../core/index.ts";
import { OraclePublish, Registration, Withdrawal } from "../../core/testing.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import type { World } from "../world.ts";
import type { CodeAction as Action } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** An asset and a currency. */
export interface Pair {
  readonly base: string;
  readonly quote: string;
}

/** A rate as an oracle publishes it. */
export interface Observation extends Pair {
  readonly id: string;
  readonly rate: number;
  readonly version: bigint;
  /** Until it runs out, in milliseconds. */
  readonly lifetime: number;
}

const serviceOf = (provider: string) => `rates-of-${provider}`;
/** Around a boundary, in milliseconds. */
const AROUND = [-1, 0, 1];

/** Registers a provider of rates, again when it withdrew before. */
export function registerOracle(provider: string, when: When): Action {
  return {
    ...{ name: "register", actor: provider, ...when },
    *run(person, scene) {
      const registration = {
        service_id: serviceOf(provider),
        service_type: { MarketData: "FxOracle" },
        provider: person.wallet.peer,
        provider_public_key: person.wallet.publicKey,
        endpoints: [],
        supported_ofs: [7000],
        region: null,
        capabilities: [],
        branding: null,
        pricing: null,
        payout_wallet: null,
        timestamp: person.now(),
      } as const;
      yield* attempt(
        person,
        scene,
        "sendProviderRegister",
        "registers",
        person.wallet.data(Registration, registration),
      );
    },
  };
}

/** Publishes a rate, and has every node asked just before, when and just after it runs out. */
export function publishRate(provider: string, observation: Observation, when: When): Action {
  const { id, base, quote, rate, version, lifetime } = observation;
  return {
    ...{ name: `publish ${id} ${version}`, actor: provider, ...when },
    *run(person, scene) {
      const timestamp = person.now();
      const data = person.wallet.data(OraclePublish, {
        id,
        provider: person.wallet.peer,
        provider_public_key: person.wallet.publicKey,
        data: { ExchangeRate: { base, quote, rate } },
        version,
        timestamp,
        expires_at: (timestamp + BigInt(lifetime)) as EpochMillis,
      });
      const ends = scene.world.loop.now() + lifetime;
      for (const off of AROUND) scene.world.loop.at(ends + off, () => askEveryNode(scene.world, observation));
      yield* attempt(person, scene, "sendOraclePublish", `publishes ${base}/${quote} ${rate} for ${lifetime} ms`, data);
    },
  };
}

/** Leaves: what it published counts no longer. */
export function withdrawOracle(provider: string, when: When): Action {
  return {
    ...{ name: "withdraw", actor: provider, ...when },
    *run(person, scene) {
      const withdrawal = {
        service_id: serviceOf(provider),
        provider: person.wallet.peer,
        timestamp: person.now(),
      } as const;
      yield* attempt(person, scene, "sendProviderWithdraw", "withdraws", person.wallet.data(Withdrawal, withdrawal));
    },
  };
}

/** Asks every node at one instant what a pair and the advertisements are worth. */
export function askRates(reader: string, pair: Pair, when: When): Action {
  return {
    ...{ name: `ask ${pair.base}/${pair.quote}`, actor: reader, ...when },
    // biome-ignore lint/correctness/useYield: a script that waits for nothing
    *run(_, scene) {
      askEveryNode(scene.world, pair);
    },
  };
}

/** Straight to the node, so that it is asked at this very instant. */
function askEveryNode(world: World, { base, quote }: Pair): void {
  const params = { base, quote };
  const body = JSON.stringify([
    { jsonrpc: "2.0", id: 1, method: "getExchangeRate", params },
    { jsonrpc: "2.0", id: 2, method: "getMedianExchangeRate", params },
    { jsonrpc: "2.0", id: 3, method: "getAdvertisements" },
  ]);
  for (const node of world.nodes) node.call(body, () => undefined);
}

/** A send that its node may refuse: who withdrew publishes nothing, and versions go up. */
function* attempt(person: Person, scene: Scene, method: string, what: string, data: string): Script {
  const answer = yield* person.ask(method, { data });
  if (answer.type === "result") told(scene, person, what);
  else told(scene, person, `${what}: ${answer.type === "refused" ? answer.name : answer.type}`);
}
