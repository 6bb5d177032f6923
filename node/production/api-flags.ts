/**
 * What an operator says about clients: how many, how much each may ask, and which proxies stand before them; checked
 * before anything is opened. Source: protocol 01 §10.4, W21.
 */
import { clientFinder } from "../../adapters/http/client-address.ts";
import type { ApiLimits, RateLimitBounds } from "../../adapters/http/limits.ts";
import { DEFAULT_LIMITS } from "../../adapters/http/limits.ts";
import { Refusal } from "./usage.ts";

export interface ApiFlags {
  readonly trustedProxy?: readonly string[];
  readonly rateLimit: string;
  readonly asideRate: string;
  readonly connectionRate: string;
  readonly maxConnections: string;
}

/** Checked flags. */
export interface ApiPlan {
  readonly trustedProxies: readonly string[];
  readonly limits: Pick<ApiLimits, "rate" | "asides" | "newConnections" | "connectionsMax">;
}

/** The flags, or one line about what is wrong with them. */
export function apiPlanOf(flags: ApiFlags): ApiPlan {
  const { trustedProxy = [], maxConnections } = flags;
  const finder = clientFinder(trustedProxy);
  if ("wrong" in finder)
    throw new Refusal(`--trusted-proxy takes an address or a network such as 10.0.0.0/8, not "${finder.wrong}".`);
  if (!/^[1-9]\d{0,5}$/.test(maxConnections))
    throw new Refusal(`--max-connections takes a number from 1 to 999999, not "${maxConnections}".`);
  return {
    trustedProxies: trustedProxy,
    limits: {
      rate: rateOf("--rate-limit", flags.rateLimit, "120/2"),
      asides: rateOf("--aside-rate", flags.asideRate, "240/4"),
      newConnections: rateOf("--connection-rate", flags.connectionRate, "240/4"),
      connectionsMax: Number(maxConnections),
    },
  };
}

/** `120/2`: a burst of 120, then two a second. */
function rateOf(flag: string, text: string, example: string): RateLimitBounds | null {
  if (text === "off") return null;
  const [, burst, perSecond] = /^([1-9]\d{0,5})\/(\d{1,4}(?:\.\d{1,3})?)$/.exec(text) ?? [];
  const intervalMs = 1_000 / Number(perSecond);
  if (burst === undefined || !Number.isFinite(intervalMs))
    throw new Refusal(`${flag} takes BURST/PER_SECOND such as ${example}, or off, not "${text}".`);
  const clientsMax = DEFAULT_LIMITS.rate?.clientsMax ?? 0;
  return { burst: Number(burst), intervalMs, clientsMax };
}
