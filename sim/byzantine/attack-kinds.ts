/**
 * What each kind of attack does: once, spreading itself over the whole while, or each time that its turn has come. One
 * row a kind; the compiler demands each. Source: DESIGN section 5 "Faults".
 */
import type { EpochMillis } from "../../core/index.ts";
import { AdvertisementCreate, identityOf } from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import { WORLD_START } from "../world.ts";
import { claimAddresses } from "./address-claims.ts";
import type { Attacker } from "./attacker.ts";
import type { AttackData, AttackKind, AttackOf } from "./attacks.ts";
import { backDate } from "./back-dating.ts";
import { crowdBallot } from "./ballot-crowd.ts";
import { sendBrokenFrames } from "./broken-frames.ts";
import { crowdCase } from "./case-crowd.ts";
import { claimHoldings } from "./claimed-holdings.ts";
import { claimPayment } from "./claimed-payment.ts";
import { claimVerdict } from "./claimed-verdict.ts";
import { equivocate } from "./equivocation.ts";
import { alwaysHaveMore } from "./ever-more.ts";
import { bringNext } from "./every-order.ts";
import { publishAtFalseDates } from "./false-dates.ts";
import { announceSlot } from "./forged-slots.ts";
import { comeAnew } from "./fresh-peers.ts";
import { voteHollow } from "./hollow-votes.ts";
import { deflateHops, inflateHops } from "./hop-counts.ts";
import { grindIds } from "./id-grinding.ts";
import { stealIds } from "./id-theft.ts";
import { floodLink } from "./link-flood.ts";
import { lieAboutSets } from "./lying-reconciliation.ts";
import { recoverWithRubbish } from "./lying-recovery.ts";
import type { EventMaker } from "./market-events.ts";
import { offer, offerEvent } from "./market-events.ts";
import { crowdName } from "./name-crowd.ts";
import { crowdNumber } from "./number-crowd.ts";
import { askOldPrice } from "./old-price.ts";
import { floodOrphans } from "./orphan-flood.ts";
import { casePanel } from "./panel-events.ts";
import { askForEverything } from "./recovery-amplification.ts";
import { crowdRequests } from "./request-crowd.ts";
import { actLast } from "./sealing-edge.ts";
import { splitOrphans } from "./split-orphans.ts";
import { floodTrade } from "./stranger-flood.ts";
import type { ActedOn } from "./unchecked-acts.ts";
import { publishAnything, publishChosen } from "./unchecked-acts.ts";

/** How often an attack acts, and over what while. */
export interface AttackSpan {
  readonly times: number;
  readonly overMs: number;
}

interface AttackRow<A> {
  /** Begins an attack that spreads itself. In a held world that it was part of it is called again, and only listens. */
  readonly once?: (attacker: Attacker, attack: A, span: AttackSpan) => void;
  /** Acts one of several times, from 0 on. */
  readonly act?: (attacker: Attacker, attack: A, time: number) => void;
}

/** An offer of nobody's that the attacker made up. */
function madeUp(attacker: Attacker, name: string, at: EpochMillis = attacker.now()): EventMaker {
  return offerEvent(attacker.world.crypto, attacker.sybil(`author of ${name}`), name, at);
}

function person({ world }: Attacker, name: string): Wallet {
  return world.person(name);
}

/** A trade with the wallets of everybody who may speak about it. */
function actedOn(attacker: Attacker, about: Omit<AttackOf<"unchecked-acts">, "kind">): ActedOn {
  const { merchant, buyer, seller, others, ...trade } = about;
  const of = (name: string) => person(attacker, name);
  return { ...trade, merchant: of(merchant), buyer: of(buyer), seller: of(seller), others: others.map(of) };
}

/** When an attack that spreads itself began. */
function began({ kept, now }: Attacker): EpochMillis {
  kept.began ??= now();
  return kept.began;
}

const rows: { readonly [K in AttackKind]: AttackRow<AttackOf<K>> } = {
  "claimed-addresses": {
    once(attacker, _, { times, overMs }) {
      const honest = attacker.world.nodes.slice(0, 2).map(({ wallet }) => wallet);
      claimAddresses(attacker, honest, times, overMs);
    },
  },
  "back-dating": {
    act(attacker, { merchant, offer, byMs }) {
      backDate(attacker, person(attacker, merchant), offer, (attacker.now() - BigInt(byMs)) as EpochMillis);
    },
  },
  "ballot-crowd": {
    once: (attacker, { proposal }, { times, overMs }) => crowdBallot(attacker, proposal, times, overMs),
  },
  "broken-frames": {
    once: (attacker, _, { times, overMs }) =>
      sendBrokenFrames(attacker, madeUp(attacker, "broken", began(attacker)), times, overMs),
  },
  "case-crowd": {
    once: (attacker, { dispute }, { times, overMs }) => crowdCase(attacker, dispute, times, overMs),
  },
  "chosen-acts": {
    act(attacker, { acts, ...attack }, time) {
      const chosen = acts[time];
      if (chosen !== undefined) publishChosen(attacker, actedOn(attacker, attack), chosen);
    },
  },
  "claimed-holdings": {
    once(attacker, { many }, { times, overMs }) {
      const { crypto } = attacker.world;
      const [by, at] = [attacker.sybil("author of holdings"), began(attacker)];
      const holdings = Array.from({ length: many }, (_, n) => ({
        identity: identityOf(crypto, AdvertisementCreate, offer(by, `held-${n}`, at)),
        event: offerEvent(crypto, by, `held-${n}`, at)({ origin: attacker.wallet, at }),
      }));
      claimHoldings(attacker, holdings, times, overMs);
    },
  },
  "claimed-payment": {
    act: (attacker, { merchant, offer }) => claimPayment(attacker, person(attacker, merchant), offer),
  },
  "claimed-verdict": {
    act: (attacker, { dispute, settlement, signature }) => claimVerdict(attacker, dispute, settlement, signature),
  },
  equivocation: {
    act(attacker, _, time) {
      const [author, at] = [attacker.sybil("two-faced"), attacker.now()];
      const told = (liquidity: bigint) => offerEvent(attacker.world.crypto, author, `two ${time}`, at, liquidity);
      equivocate(attacker, told(1_000n), told(2_000n));
    },
  },
  "ever-more": {
    once: (attacker) =>
      alwaysHaveMore(attacker, () => {
        attacker.made.things += 1;
        return madeUp(attacker, `more ${attacker.made.things}`)({ origin: attacker.wallet, at: attacker.now() });
      }),
  },
  "every-order": {
    act(attacker, { dispute, settlement, opener, arbitrators }, time) {
      attacker.kept.events ??= casePanel(attacker, {
        ...{ id: dispute, settlement, opener: person(attacker, opener) },
        arbitrators: arbitrators.map(({ name, vote }) => ({ wallet: person(attacker, name), vote })),
      });
      bringNext(attacker, attacker.kept.events, time);
    },
  },
  "false-dates": {
    act: (attacker, _, time) => publishAtFalseDates(attacker, (name, at) => madeUp(attacker, `${name} ${time}`, at)),
  },
  "forged-slots": { act: (attacker, { slot, origins }) => announceSlot(attacker, slot, origins) },
  "fresh-peers": {
    once: (attacker, { many }, span) => {
      const [author, at] = [attacker.sybil("author"), began(attacker)];
      const next = (n: number) => offerEvent(attacker.world.crypto, author, `fresh ${n}`, at);
      void comeAnew(attacker, next, many, span);
    },
  },
  "hollow-votes": {
    once: (attacker, { dispute }, { times, overMs }) => voteHollow(attacker, dispute, times, overMs),
  },
  "hop-counts": {
    act(attacker, _, time) {
      inflateHops(attacker, madeUp(attacker, `inflated ${time}`));
      deflateHops(attacker, madeUp(attacker, `deflated ${time}`));
    },
  },
  "id-grinding": {
    once: (attacker, _, { times, overMs }) =>
      grindIds(attacker, madeUp(attacker, "ground", began(attacker)), times, overMs),
  },
  "id-theft": { act: (attacker, ids) => stealIds(attacker, ids, attacker.now()) },
  "link-flood": {
    once: (attacker, _, { times, overMs }) => floodLink(attacker, (n) => madeUp(attacker, `flood ${n}`), times, overMs),
  },
  "lying-reconciliation": { once: (attacker) => lieAboutSets(attacker) },
  "lying-recovery": {
    once(attacker) {
      const at = began(attacker);
      const rubbish = madeUp(attacker, "rubbish", at)({ origin: attacker.wallet, at });
      recoverWithRubbish(attacker, [{ ...rubbish, version: 2 }]);
    },
  },
  "name-crowd": {
    once: (attacker, attack, { times, overMs }) => crowdName(attacker, attack, times, overMs),
  },
  "number-crowd": {
    once: (attacker, { reservation }, { times, overMs }) => crowdNumber(attacker, reservation, times, overMs),
  },
  "old-price": {
    act: (attacker, attack, time) => void askOldPrice(attacker, attack, time),
  },
  "orphan-flood": {
    once: (attacker, { settlement }, { times, overMs }) => floodOrphans(attacker, settlement, times, overMs),
  },
  "recovery-amplification": {
    once: (attacker, _, { times, overMs }) => askForEverything(attacker, attacker.world.profile, times, overMs),
  },
  "request-crowd": {
    once: (attacker, { offer: id }, { times, overMs }) => crowdRequests(attacker, id, times, overMs),
  },
  "sealing-edge": {
    act(attacker, { act: what, party, settlement, dated, told }) {
      actLast(attacker, {
        ...{ act: what, by: person(attacker, party), settlement, to: attacker.world.nodes[told]?.wallet.peer },
        dated: (WORLD_START + BigInt(dated)) as EpochMillis,
      });
    },
  },
  "split-orphans": { once: (attacker, _, { times, overMs }) => splitOrphans(attacker, times, overMs) },
  "stranger-flood": {
    once: (attacker, { merchant, ...ids }, { times, overMs }) =>
      floodTrade(attacker, { ...ids, merchant: person(attacker, merchant) }, times, overMs),
  },
  "unchecked-acts": {
    act: (attacker, attack, time) => publishAnything(attacker, actedOn(attacker, attack), time),
  },
  withholding: {},
};

/** Acts one of several times, from 0 on; an attack that spreads itself begins the first time. */
export function act(attacker: Attacker, attack: AttackData, span: AttackSpan, time: number): void {
  const row = rowOf(attack);
  if (time === 0) row.once?.(attacker, attack, span);
  row.act?.(attacker, attack, time);
}

/** Goes on with an attack in a held world; `acted` says whether its first time had come. */
export function goOnWith(attacker: Attacker, attack: AttackData, span: AttackSpan, acted: boolean): void {
  if (acted) rowOf(attack).once?.(attacker, attack, span);
}

function rowOf(attack: AttackData): AttackRow<AttackData> {
  return rows[attack.kind] as unknown as AttackRow<AttackData>;
}
