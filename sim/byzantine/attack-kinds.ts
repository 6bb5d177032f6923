/**
 * What each kind of attack does: once when the attacker has joined, and each time that its turn has come. One row a
 * kind; the compiler demands each. Source: DESIGN section 5 "Faults".
 */
import type { EpochMillis } from "../../core/index.ts";
import type { GossipEvent } from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import { claimAddresses } from "./address-claims.ts";
import type { Attacker } from "./attacker.ts";
import type { AttackData, AttackKind, AttackOf } from "./attacks.ts";
import { backDate } from "./back-dating.ts";
import { sendBrokenFrames } from "./broken-frames.ts";
import { claimPayment } from "./claimed-payment.ts";
import { claimVerdict } from "./claimed-verdict.ts";
import { equivocate } from "./equivocation.ts";
import { alwaysHaveMore } from "./ever-more.ts";
import { bringNext } from "./every-order.ts";
import { publishAtFalseDates } from "./false-dates.ts";
import { announceSlot } from "./forged-slots.ts";
import { deflateHops, inflateHops } from "./hop-counts.ts";
import { grindIds } from "./id-grinding.ts";
import { stealIds } from "./id-theft.ts";
import { floodLink } from "./link-flood.ts";
import { lieAboutSets } from "./lying-reconciliation.ts";
import { recoverWithRubbish } from "./lying-recovery.ts";
import type { EventMaker } from "./market-events.ts";
import { offerEvent } from "./market-events.ts";
import { floodOrphans } from "./orphan-flood.ts";
import { casePanel } from "./panel-events.ts";
import { askForEverything } from "./recovery-amplification.ts";
import { floodTrade } from "./stranger-flood.ts";

/** One time of several that an attack acts, spread over a while. */
export interface AttackTime {
  /** From 0 on. */
  readonly time: number;
  readonly times: number;
  readonly overMs: number;
  /** What the attack keeps from one time to the next. */
  readonly kept: { events?: readonly (readonly GossipEvent[])[] };
}

type AttackRow<A> = (attacker: Attacker, attack: A, at: AttackTime) => void;

/** For attacks that spread themselves over the whole while: they begin once. */
function once<A>(begin: AttackRow<A>): AttackRow<A> {
  return (attacker, attack, at) => {
    if (at.time === 0) begin(attacker, attack, at);
  };
}

/** An offer of nobody's that the attacker made up. */
function madeUp(attacker: Attacker, name: string, at: EpochMillis = attacker.now()): EventMaker {
  return offerEvent(attacker.world.crypto, attacker.sybil(`author of ${name}`), name, at);
}

function person({ world }: Attacker, name: string): Wallet {
  return world.person(name);
}

const rows: { readonly [K in AttackKind]: AttackRow<AttackOf<K>> } = {
  "claimed-addresses": once((attacker, _, { times, overMs }) => {
    const honest = attacker.world.nodes.slice(0, 2).map(({ wallet }) => wallet);
    claimAddresses(attacker, honest, times, overMs);
  }),
  "back-dating": (attacker, { merchant, offer, byMs }) => {
    backDate(attacker, person(attacker, merchant), offer, (attacker.now() - BigInt(byMs)) as EpochMillis);
  },
  "broken-frames": once((attacker, _, { times, overMs }) => {
    sendBrokenFrames(attacker, madeUp(attacker, "broken"), times, overMs);
  }),
  "claimed-payment": (attacker, { merchant, offer }) => {
    claimPayment(attacker, person(attacker, merchant), offer);
  },
  "claimed-verdict": (attacker, { dispute, settlement, signature }) => {
    claimVerdict(attacker, dispute, settlement, signature);
  },
  equivocation: (attacker, _, { time }) => {
    const [author, at] = [attacker.sybil("two-faced"), attacker.now()];
    const told = (liquidity: bigint) => offerEvent(attacker.world.crypto, author, `two ${time}`, at, liquidity);
    equivocate(attacker, told(1_000n), told(2_000n));
  },
  "ever-more": once((attacker) => {
    let made = 0;
    alwaysHaveMore(attacker, () => {
      made += 1;
      return madeUp(attacker, `more ${made}`)({ origin: attacker.wallet, at: attacker.now() });
    });
  }),
  "every-order": (attacker, { dispute, settlement, opener, arbitrators }, { time, kept }) => {
    kept.events ??= casePanel(attacker, {
      ...{ id: dispute, settlement, opener: person(attacker, opener) },
      arbitrators: arbitrators.map(({ name, vote }) => ({ wallet: person(attacker, name), vote })),
    });
    bringNext(attacker, kept.events, time);
  },
  "false-dates": (attacker, _, { time }) => {
    publishAtFalseDates(attacker, (name, at) => madeUp(attacker, `${name} ${time}`, at));
  },
  "forged-slots": (attacker, { slot, origins }) => announceSlot(attacker, slot, origins),
  "hop-counts": (attacker, _, { time }) => {
    inflateHops(attacker, madeUp(attacker, `inflated ${time}`));
    deflateHops(attacker, madeUp(attacker, `deflated ${time}`));
  },
  "id-grinding": once((attacker, _, { times, overMs }) => {
    grindIds(attacker, madeUp(attacker, "ground"), times, overMs);
  }),
  "id-theft": (attacker, ids) => stealIds(attacker, ids, attacker.now()),
  "link-flood": once((attacker, _, { times, overMs }) => {
    floodLink(attacker, (n) => madeUp(attacker, `flood ${n}`), times, overMs);
  }),
  "lying-reconciliation": once((attacker) => lieAboutSets(attacker)),
  "lying-recovery": once((attacker) => {
    const rubbish = madeUp(attacker, "rubbish")({ origin: attacker.wallet, at: attacker.now() });
    recoverWithRubbish(attacker, [{ ...rubbish, version: 2 }]);
  }),
  "orphan-flood": once((attacker, { settlement }, { times, overMs }) => {
    floodOrphans(attacker, settlement, times, overMs);
  }),
  "recovery-amplification": once((attacker, _, { times, overMs }) => {
    askForEverything(attacker, attacker.world.profile, times, overMs);
  }),
  "stranger-flood": once((attacker, { merchant, ...ids }, { times, overMs }) => {
    floodTrade(attacker, { ...ids, merchant: person(attacker, merchant) }, times, overMs);
  }),
  withholding: () => undefined,
};

/** Acts once. */
export function act(attacker: Attacker, attack: AttackData, at: AttackTime): void {
  (rows[attack.kind] as unknown as AttackRow<AttackData>)(attacker, attack, at);
}
