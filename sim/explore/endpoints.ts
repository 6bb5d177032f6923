/**
 * A node's endpoint as a value: how much of the chain's tale it shows, and what the node has watched. What it answers
 * is a function of that. It goes on stage by stage, behind the chain; what is asked of it as of a slot that it does not
 * show yet waits. Source: protocol 03 A.10.3 R3–R8; DESIGN section 5.1.
 */
import type { ChainObservation, Commitment, Effect } from "../../core/index.ts";
import { observationOf } from "../chain/confirmed-transaction.ts";
import { byUnits } from "./canonical.ts";
import type { ChainStage, ChainTale } from "./chain-tale.ts";

/** Never changed once made. */
export interface Endpoint {
  readonly stage: number;
  /** By address. */
  readonly watches: readonly Watch[];
}

interface Watch {
  readonly address: string;
  readonly commitment: Commitment;
}

/** What a node asks of its endpoint, on its way. */
export type Ask =
  /** The newest slot, as every process hears it once. */
  | { readonly about: "slot" }
  /** All of a watched address so far. */
  | { readonly about: "history"; readonly address: string }
  | {
      readonly about: "account";
      readonly address: string;
      readonly slot: bigint;
      readonly commitment: Commitment;
    }
  | { readonly about: "transaction"; readonly signature: string };

/** What an endpoint shows: a stage, and blocks without anything since, one in 0.4 s. */
export interface Shown {
  readonly tale: ChainTale;
  readonly stage: number;
  /** Slots that passed without a block that matters. */
  readonly idle: bigint;
}

/** The endpoint after its node ordered something, and what is asked of it. */
export function ordered(endpoint: Endpoint, effect: Effect): { readonly endpoint: Endpoint; readonly ask?: Ask } {
  switch (effect.type) {
    case "chain.watch": {
      const { address, commitment = "finalized" } = effect;
      const watches = [...without(endpoint, address), { address, commitment }];
      watches.sort((a, b) => byUnits(a.address, b.address));
      return { endpoint: { ...endpoint, watches }, ask: { about: "history", address } };
    }
    case "chain.unwatch":
      return { endpoint: { ...endpoint, watches: without(endpoint, effect.address) } };
    case "chain.read": {
      const { address, slot, commitment = "finalized" } = effect;
      return { endpoint, ask: { about: "account", address, slot, commitment } };
    }
    case "chain.check":
      return { endpoint, ask: { about: "transaction", signature: effect.signature } };
    default:
      return { endpoint };
  }
}

function without({ watches }: Endpoint, address: string): readonly Watch[] {
  return watches.filter((watch) => watch.address !== address);
}

/** Whether an endpoint can answer already. */
export function canAnswer(ask: Ask, shown: Shown): boolean {
  return ask.about !== "account" || slotOf(shown, ask.commitment) >= ask.slot;
}

/** What an endpoint answers. */
export function answersTo(ask: Ask, { watches }: Endpoint, shown: Shown): readonly ChainObservation[] {
  const stage = stageOf(shown);
  switch (ask.about) {
    case "slot":
      return [{ type: "slot", slot: stage.slots.finalized, blockhash: stage.blockhash }];
    case "history":
      return watches.filter(({ address }) => address === ask.address).flatMap((watch) => toldOf(watch, stage));
    case "account": {
      const { address, commitment } = ask;
      const account = stage.accounts[commitment].get(address) ?? null;
      return [{ type: "account", address, slot: slotOf(shown, commitment), commitment, account }];
    }
    case "transaction": {
      const { signature } = ask;
      const found = [...stage.transactions.values()].flat().find((each) => each.signature === signature);
      if (found !== undefined) return [observationOf(null, found, levelIn(stage, found.slot))];
      const [confirmed, finalized] = [slotOf(shown, "confirmed"), slotOf(shown, "finalized")];
      return [{ type: "absent", signature, confirmed, finalized }];
    }
  }
}

/** What an endpoint tells of watched addresses when it comes to the next stage; of `unheard` it tells all later. */
export function toldBetween(
  { watches }: Endpoint,
  before: ChainStage,
  after: ChainStage,
  unheard: readonly string[],
): readonly ChainObservation[] {
  return watches
    .filter(({ address }) => !unheard.includes(address))
    .flatMap((watch) => {
      const known = new Set(toldOf(watch, before).map(placeOf));
      return toldOf(watch, after).filter((each) => !known.has(placeOf(each)));
    });
}

type Told = Extract<ChainObservation, { readonly type: "transaction" }>;

function placeOf({ signature, slot, commitment }: Told): string {
  return `${signature} ${slot} ${commitment}`;
}

function toldOf({ address, commitment }: Watch, stage: ChainStage): readonly Told[] {
  const seen = (stage.transactions.get(address) ?? []).filter(({ slot }) => slot <= stage.slots[commitment]);
  return seen.map((transaction) => observationOf(address, transaction, levelIn(stage, transaction.slot)) as Told);
}

function levelIn({ slots }: ChainStage, slot: bigint): Commitment {
  return slot <= slots.finalized ? "finalized" : "confirmed";
}

function stageOf({ tale, stage }: Shown): ChainStage {
  const found = tale[stage];
  if (found === undefined) throw new RangeError(`the tale has no stage ${stage}`);
  return found;
}

/** Where all is final, finality goes on with the blocks; else it waits for the tale's next stage. */
function slotOf(shown: Shown, level: Commitment): bigint {
  const { slots, event } = stageOf(shown);
  const isStill = event === "final" || event === "funded";
  return slots[level] + (level === "confirmed" || isStill ? shown.idle : 0n);
}
