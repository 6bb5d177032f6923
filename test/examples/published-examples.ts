/**
 * Every worked example that protocol 01 to 05 number, in their order. A new one belongs here first.
 */

const numbered = (prefix: string, last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, n) => `${prefix}${first + n}`);

/** What 02 P.3 reads, in its order. */
const reads = [
  "getAdvertisement",
  "getAdvertisements",
  "getReservation",
  "getSettlement",
  "getSettlement, unknown",
  "getTrade",
  "getMySettlements",
  "getMyReservations",
  "getSettledVolume",
  "getSettlementAttachments",
  "getHeldContent",
  "getReviews",
  "getPaymentMethod",
].map((name) => `02 P.3 ${name}`);

export const publishedExamples: readonly string[] = [
  ...numbered("01 §16.", 10),
  "02 P.1",
  ...numbered("02 P.2.", 23),
  ...reads,
  "02 P.4",
  "02 P.5, rows 1 to 34 and 37 to 39",
  "02 P.5, rows 35 and 36",
  "02 P.5, rows 40 and 41",
  "02 P.6",
  ...numbered("03 H.", 10),
  ...numbered("04 §10.", 18),
  ...numbered("05 §15.", 12),
];
