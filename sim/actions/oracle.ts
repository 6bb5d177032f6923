/**
 * Market data: providers register, publish rates that run out, and leave; everybody asks at the instants that matter.
 * Source: protocol 05 §1.6, §3.4.
 */
import type { EpochMillis, Infer } from "../../core/index.ts";
import { u64 } from "../../core/index.ts";
import { f64, OraclePublish, Registration, Withdrawal } from "../../core/testing.ts";
import { Milliseconds, Name } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
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

const pair = { base: Name, quote: Name };
export const oracleForms = {
  "register-oracle": actionForm("register-oracle", {}),
  "publish-rate": actionForm("publish-rate", { ...pair, id: Name, rate: f64, version: u64, lifetime: Milliseconds }),
  "withdraw-oracle": actionForm("withdraw-oracle", {}),
  "ask-rates": actionForm("ask-rates", pair),
};

type Of<K extends keyof typeof oracleForms> = Infer<(typeof oracleForms)[K]>;

/** Registers a provider of rates, again when it withdrew before. */
export function registerOracle(provider: string, when: When): Of<"register-oracle"> {
  return begins("register-oracle", provider, when);
}

/** Publishes a rate, and has every node asked just before, when and just after it runs out. */
export function publishRate(provider: string, observation: Observation, when: When): Of<"publish-rate"> {
  const { base, quote, id, rate, version, lifetime } = observation;
  return { ...begins("publish-rate", provider, when), base, quote, id, rate, version, lifetime };
}

/** Leaves: what it published counts no longer. */
export function withdrawOracle(provider: string, when: When): Of<"withdraw-oracle"> {
  return begins("withdraw-oracle", provider, when);
}

/** Asks every node at one instant what a pair and the advertisements are worth. */
export function askRates(reader: string, { base, quote }: Pair, when: When): Of<"ask-rates"> {
  return { ...begins("ask-rates", reader, when), base, quote };
}

export const oracleRows: ActionRows<typeof oracleForms> = {
  "register-oracle": {
    title: () => "register",
    *run(person, scene, { actor }) {
      const registration = {
        service_id: serviceOf(actor),
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
      const data = person.wallet.data(Registration, registration);
      yield* attempt(person, scene, "sendProviderRegister", "registers", data);
    },
  },
  "publish-rate": {
    title: ({ id, version }) => `publish ${id} ${version}`,
    *run(person, scene, observation) {
      const { id, base, quote, rate, version, lifetime } = observation;
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
      const ends = scene.time.now() + lifetime;
      for (const off of AROUND) scene.probe(ends + off, ratesAsked(observation));
      yield* attempt(person, scene, "sendOraclePublish", `publishes ${base}/${quote} ${rate} for ${lifetime} ms`, data);
    },
  },
  "withdraw-oracle": {
    title: () => "withdraw",
    *run(person, scene, { actor }) {
      const withdrawal = {
        service_id: serviceOf(actor),
        provider: person.wallet.peer,
        timestamp: person.now(),
      } as const;
      yield* attempt(person, scene, "sendProviderWithdraw", "withdraws", person.wallet.data(Withdrawal, withdrawal));
    },
  },
  "ask-rates": {
    title: ({ base, quote }) => `ask ${base}/${quote}`,
    // biome-ignore lint/correctness/useYield: a script that waits for nothing
    *run(_, scene, { base, quote }) {
      scene.probe(scene.time.now(), ratesAsked({ base, quote }));
    },
  },
};

/** What a rate is now, and what shows it: asked of nodes past every client, at one very instant. */
function ratesAsked({ base, quote }: Pair): string {
  const params = { base, quote };
  return JSON.stringify([
    { jsonrpc: "2.0", id: 1, method: "getExchangeRate", params },
    { jsonrpc: "2.0", id: 2, method: "getMedianExchangeRate", params },
    { jsonrpc: "2.0", id: 3, method: "getAdvertisements" },
  ]);
}

/** A send that its node may refuse: who withdrew publishes nothing, and versions go up. */
function* attempt(person: Person, scene: Scene, method: string, what: string, data: string): Script {
  const answer = yield* person.ask(method, { data });
  if (answer.type === "result") told(scene, person, what);
  else told(scene, person, `${what}: ${answer.type === "refused" ? answer.name : answer.type}`);
}
