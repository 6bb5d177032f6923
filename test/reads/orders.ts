/**
 * What decides the order of each list that a read answers. A list that is sorted is not named here: the test sees that
 * without the sort its order follows what a node heard first.
 */
import type { Place } from "./lists.ts";

/** Lists that stand as their signer wrote them. */
const SIGNED: readonly Place[] = [
  "getAdvertisement .payment_methods[]",
  "getAdvertisements [].payment_methods[]",
  "getAdvertisements .advertisements[].payment_methods[]",
  "getSession .permissions[]",
  "getSessionsByWallet [].permissions[]",
  "getWalletScreening .active_flags[].evidence[]",
  "getRiskRecordsByWallet [].evidence[]",
  "getSubscription .enabled_categories[]",
  "getSubscription .destinations[]",
  ...["getProvider ", "getProviders []"].flatMap((read) =>
    ["endpoints", "supported_ofs", "capabilities"].map((member) => `${read}.${member}[]`),
  ),
  ...["getOracleRecord ", "getOracleRecords []"].flatMap((read) =>
    ["supported_fiat", "payment_methods"].map((member) => `${read}.data.RegionalMetadata.${member}[]`),
  ),
  "getSnapshot .locations[]",
  "getSnapshots [].locations[]",
  "getLatestSnapshot .locations[]",
];

/** Lists that stand as a peer said them in its handshake, or were found one after another. */
const TOLD: readonly Place[] = ["supported_ofs", "roles", "addresses"].map((member) => `getPeers .peers[].${member}[]`);

/** Lists of tables that every node carries. */
const CATALOG: readonly Place[] = [
  ...["currencies", "countries", "countries[].alt_currencies", "payment_methods", "mints"].map(
    (member) => `getReferenceData .${member}[]`,
  ),
  ...["getReferenceData .payment_methods[]", "getPaymentMethod "].flatMap(withWords),
  ...["suggested", "others"].flatMap((part) => [
    `getPaymentMethods .${part}[]`,
    ...withWords(`getPaymentMethods .${part}[]`),
  ]),
];

function withWords(methods: string): readonly Place[] {
  return ["aliases", "countries"].map((member) => `${methods}.${member}[]`);
}

/** Lists that nothing sorts, by the reason. */
export const unsortedPlaces: ReadonlyMap<string, readonly Place[]> = new Map([
  ["as it was signed", SIGNED],
  ["as it was told", TOLD],
  ["as the catalog has it", CATALOG],
]);

/** Lists that never have two entries here, and why. */
export const shortPlaces: Readonly<Record<Place, string>> = {
  "getProviderEarnings .entries[]": "nothing meters a delivery yet",
  "getPeers .announced_addresses[]": "what the operator configured, in his order",
  "getPaymentMethods .merchant[].aliases[]": "a merchant's own method has none",
  "getPaymentMethods .merchant[].countries[]": "a merchant's own method has none",
};
