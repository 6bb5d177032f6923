/**
 * What decides the order of each list that a read answers. A list that is sorted is not named here: the test sees that
 * without the sort its order follows what a node heard first.
 */
import type { Observation } from "../convergence/replica.ts";
import { ofMirrors } from "../mirrors.ts";
import type { Place } from "./lists.ts";

/** What the folder of a domain brings in its `reads.ts`: several entries of each list, and their order. */
export interface MirrorReads {
  readonly story: readonly Observation[];
  readonly goldenOrders: Readonly<Record<Place, string>>;
}

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
  ...["getReferenceData .payment_methods[]", "getPaymentMethod "].flatMap(parametersOf),
  ...["suggested", "others"].flatMap((part) => [
    `getPaymentMethods .${part}[]`,
    ...parametersOf(`getPaymentMethods .${part}[]`),
  ]),
];

function parametersOf(methods: string): readonly Place[] {
  return ["aliases", "countries"].map((member) => `${methods}.${member}[]`);
}

/** Lists of what one signer said about a record, which an index has in order: no node has them otherwise, unsorted. */
export const indexedPlaces: readonly Place[] = ["getMyTradeChannel .grants[]", "getMyTradeChannel .entries[]"];

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

/** How the longest list of each place stands: the rank of each entry among all of them by their texts. */
export const goldenOrders: Readonly<Record<Place, string>> = {
  "getAdvertisements .advertisements[]": "2 1 3 0",
  "getAdvertisements []": "2 1 3 0",
  "getCounterparties []": "1 0",
  "getDeliveryReceiptsByWallet []": "0 1 2 3",
  "getDispute .revealed_votes[]": "1 2 0",
  "getDisputes .disputes[]": "0 1 2",
  "getDisputes .disputes[].revealed_votes[]": "1 2 0",
  "getDisputes []": "0 1 2",
  "getDisputes [].revealed_votes[]": "1 2 0",
  "getIdentityClaimsByWallet []": "1 0",
  "getMyDisputes []": "1 2 0",
  "getMyDisputes [].arbitrator_keys[]": "0 2 1",
  "getMyDisputes [].arbitrators[]": "0 2 1",
  "getMyDisputes [].commitments[]": "0 2 1",
  "getMyDisputes [].reveals[]": "0 2 1",
  "getMyReservations []": "0 3 2 1",
  "getMyReviews []": "1 0",
  "getMySettlements []": "3 2 1 0",
  "getMyTradeChannel .entries[]": "0 2 1 3",
  "getMyTradeChannel .grants[]": "0 2 1 3",
  "getMyTrades []": "3 2 1 0",
  "getNotificationDispatchesByWallet []": "0 1 2 3",
  "getOracleRecords []": "0 1",
  "getPaymentMethods .merchant[]": "0 1",
  "getPeers .peers[]": "7 6 1 3 4 0 5 8 2",
  "getProposal .votes[]": "0 1",
  "getProposals []": "1 0",
  "getProposals [].votes[]": "0 1",
  "getProviders []": "0 3 1 4 2 5",
  "getReputation .total_volume[]": "1 0",
  "getReputation .volume_by_mint[]": "1 0",
  "getReservations .reservations[]": "0 2 1",
  "getReservations []": "0 4 3 2 1",
  "getReviews []": "1 0",
  "getRewardObservations .peers[]": "1 6 2 7 3 0 8 4 5",
  "getRiskRecordsByWallet []": "0 1 2 3",
  "getSessionsByWallet []": "1 0",
  "getSettledVolume .assets[]": "0 1",
  "getSettlementAttachments []": "0 1 2 3",
  "getSettlements .settlements[]": "2 1 0",
  "getSettlements []": "4 3 2 1 0",
  "getSnapshots []": "0 1",
  "getTrades .trades[]": "0 2 1",
  "getTrades []": "0 4 3 2 1",
  "getWalletScreening .active_flags[]": "3 1 2 0",
  ...Object.assign({}, ...(await ofMirrors<MirrorReads>("reads.ts")).map((mirror) => mirror.goldenOrders)),
};
