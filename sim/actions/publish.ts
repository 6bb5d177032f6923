/**
 * Somebody says everything he can about a trade and about himself: one statement of each type that a method takes,
 * its content random, its ids those of the trade. What a node refuses is refused; what it takes is out.
 * Source: protocol 01 §4.3, §11 (ours: the action).
 */
import fc from "fast-check";
import type { SignedType } from "../../core/index.ts";
import { methods } from "../../core/index.ts";
import { arbPayload } from "../arbitraries/signed.ts";
import type { Person } from "../person.ts";
import type { Action } from "../scenario.ts";

/** The ids by which statements may speak of one trade. */
export interface TradeIds {
  readonly advertisement: string;
  readonly reservation: string;
  readonly settlement: string;
  readonly dispute: string;
}

/** Sends that would end the trade, which its own actions do. */
const ENDINGS =
  /^send(Settlement|Payment(Submitted|Reversed)|Dispute|Advertisement|Reservation|VoteReveal|ProviderWithdraw|SessionRevoke)/;
/** How long what is said with an end stays true, in milliseconds. */
const LIFETIME_MS = 3_600_000n;

export function publishEverything(
  actor: string,
  ids: TradeIds,
  options: { readonly at: number; readonly via: number; readonly seed: number },
): Action {
  const { at, via, seed } = options;
  return {
    ...{ name: "publish everything", actor, at, via },
    *run(person) {
      for (const [method, row] of Object.entries(methods)) {
        if (ENDINGS.test(method)) continue;
        for (const type of row.mutation?.signed ?? []) {
          const payload = aboutTrade(type, person, ids, seed);
          yield* person.ask(method, { data: person.wallet.data(type, payload as never) });
        }
      }
    },
  };
}

/** A random payload of somebody's, its ids and dates put right. */
function aboutTrade(type: SignedType, person: Person, ids: TradeIds, seed: number): object {
  const { peer, publicKey, keypair } = person.wallet;
  const signer = { peer, publicKey, secretKey: keypair.secretKey };
  const [drawn] = fc.sample(arbPayload(type, signer), { numRuns: 1, seed });
  const members = Object.entries((drawn ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    settled(name, value, person, ids) ?? value,
  ]);
  return Object.fromEntries(members) as object;
}

function settled(name: string, value: unknown, person: Person, ids: TradeIds): unknown {
  const now = person.now();
  switch (name) {
    case "id":
      return `${person.wallet.name}-${String(now)}`;
    case "service_id":
      return `${person.wallet.name}-service`;
    case "settlement":
    case "settlement_id":
      return ids.settlement;
    case "dispute_id":
      return ids.dispute;
    case "subject":
      return { Settlement: ids.settlement };
    case "timestamp":
    case "created_at":
      return now;
    case "expires_at":
    case "new_expires_at":
      return value === null ? null : now + LIFETIME_MS;
    default:
      return undefined;
  }
}
