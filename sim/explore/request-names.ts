/**
 * Names of requests. The core counts its requests to peers; the count of two nodes that did the same in another order
 * differs, and with it everything that is under way. So what counts here is what a request says: it is renamed after
 * its content, and the count begins again. The core uses the number as a name and for nothing else, which a property
 * test holds. Source: DESIGN section 5.1.
 */
import type { Effect, EpochMillis, HeldDriver, Network, StoreWrite } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { openStore } from "../../core/testing.ts";
import { canonicalText, digestOf } from "./canonical.ts";

/** Numbers from here on are names after content; counts stay below. */
const NAMED_FROM = 2 ** 40;
/** Hexadecimal digits of a digest that a name is made of: 44 bits. */
const NAME_DIGITS = 11;
const REQUESTS = "requests";
const COUNTERS = "counters";
const COUNT = "request";

type Send = Extract<Effect, { readonly type: "message.send" }>;

interface Naming {
  readonly network: Network;
  readonly crypto: CryptoPort;
  readonly now: EpochMillis;
}

/** The memory and the effects with every new request under the name of its content. */
export function renamedRequests(
  held: HeldDriver,
  performed: readonly Effect[],
  { network, crypto, now }: Naming,
): { readonly held: HeldDriver; readonly effects: readonly Effect[] } {
  const batches = [performed, held.flying?.effects ?? [], held.open.effects];
  const sends = batches.flatMap((effects) => effects.filter(isNew));
  const counters = held.memory.tables.get(COUNTERS);
  if (sends.length === 0 && counters?.rows.has(COUNT) !== true) return { held, effects: performed };
  const requests = held.memory.tables.get(REQUESTS);
  const taken = new Set(requests?.rows.keys());
  const names = new Map<number, number>();
  const changes: { table: string; key: string; record: unknown }[] = [
    { table: COUNTERS, key: COUNT, record: undefined },
  ];
  for (const { to, request, bytes } of sends) {
    const name = freeName(taken, canonicalText([to, bytes, now]));
    names.set(request, name);
    const record = requests?.rows.get(String(request))?.record;
    if (record === undefined) continue;
    changes.push({ table: REQUESTS, key: String(request), record: undefined });
    changes.push({ table: REQUESTS, key: String(name), record });
  }
  openStore(crypto, network.tables, { from: held.memory }).commit(changes);
  const renamed = (effects: readonly Effect[]) =>
    effects.map((effect) => (isNew(effect) ? { ...effect, request: names.get(effect.request) as number } : effect));
  const flying = held.flying && { writes: held.flying.writes as StoreWrite[], effects: renamed(held.flying.effects) };
  return {
    held: { ...held, flying, open: { ...held.open, effects: renamed(held.open.effects) } },
    effects: renamed(performed),
  };
}

function isNew(effect: Effect): effect is Send {
  return effect.type === "message.send" && effect.request < NAMED_FROM;
}

/** The same said twice at one instant, and not answered, bears two names. */
function freeName(taken: Set<string>, content: string): number {
  let name = NAMED_FROM + Number.parseInt(digestOf(content).slice(0, NAME_DIGITS), 16);
  while (taken.has(String(name))) name += 1;
  taken.add(String(name));
  return name;
}
