/**
 * A bug to plant: a node that takes a file takes every settlement in it for decided, as if the chain had said so.
 */
import type { PlantedBug } from "../planted/planted-text.ts";

export const FACT_FROM_FILE: PlantedBug = {
  file: "core/domains/snapshots/take.ts",
  find: 'import { foldOf } from "../../engine/step-context.ts";',
  replace: `
import { Advertisements } from "../trade/advertisements/tables.ts";
import { ChainFacts, Settlements } from "../trade/settlements/tables.ts";
import { foldOf as soundFoldOf } from "../../engine/step-context.ts";

function foldOf(context) {
  const fold = soundFoldOf(context);
  return { ...fold, run: () => (fold.run(), decideAll(context, fold), fold.run()) };
}

function decideAll({ draft, now }, fold) {
  const mint = [...draft.keys(Advertisements)].map((key) => draft.get(Advertisements, key).asset_mint)[0];
  [...draft.keys(Settlements)].forEach((key, n) => {
    const { buyer_public_key: buyer, seller_public_key: seller, amount, reservation_id } = draft.get(Settlements, key);
    const parties = { buyer, seller, mint, amount: amount.base_units, reservation: BigInt(reservation_id) };
    const decision = { kind: "decided", resolution: "BuyerWins", terminal_split: null };
    draft.put(ChainFacts, String(n).padStart(64, "f"), { ...parties, ...decision, transaction: "5", timestamp: now });
    const { buyer: by, seller: from } = draft.get(Settlements, key);
    fold.mark("settlement", [reservation_id, by, from].join("/"));
  });
}
`,
};
