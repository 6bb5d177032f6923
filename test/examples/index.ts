/**
 * Where every worked example of the protocol is tested: by its number, the files that run it, and the text by which
 * each file shows that it does. `published-examples.ts` says which numbers there are.
 */

/** A file under `test/`, and what stands in it: the example's number, or a value that only the example has. */
export type Cover = readonly [file: string, mark: string];

const stories = (name: string, mark: string): Cover => [`examples/${name}.json`, mark];
const vector = (mark: string): Cover => ["vectors/statements.json", `"source": "protocol ${mark}"`];
const market = (number: string): Cover => stories("02-marketplace", `02 ${number}"`);

/** Sends that need nothing but the trade's own domains: 02 P.2.1 to P.2.17, and P.2.20. */
const trade = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20].map(
  (number) => [`02 P.2.${number}`, [market(`P.2.${number}`), vector(`02 P.2.${number}`)]] as const,
);

export const covers: Readonly<Record<string, readonly Cover[]>> = {
  "01 §16.1": [stories("01-foundations", "§16.1"), vector("01 §16.1-16.3"), ["sim/wallet.test.ts", "01 §16.1"]],
  "01 §16.2": [stories("01-foundations", "§16.2"), vector("01 §16.1-16.3")],
  "01 §16.3": [["gossip/envelope.test.ts", "01 §16.3"]],
  "01 §16.4": [stories("01-foundations", "§16.4"), vector("01 §16.4, a mid")],
  "01 §16.5": [vector("01 §16.5, 129.52"), vector("01 §16.5, 130.0"), vector("01 §16.5, 130")],
  "01 §16.6": [["kernel/text.test.ts", "7b2273223a22"]],
  "01 §16.7": [stories("04-sessions", "01 §16.7"), vector("01 §16.7")],
  "01 §16.8": [["examples/wallet-proofs.test.ts", "01 §16.8"]],
  "01 §16.9": [stories("01-foundations", "§16.9"), ["examples/node-information.test.ts", "01 §16.9"]],
  "01 §16.10": [["examples/transport-errors.test.ts", "01 §16.10"]],
  "02 P.1": [["vectors/people.json", "02 P.1"]],
  ...Object.fromEntries(trade),
  "02 P.2.18": [stories("02-content", "P.2.18"), vector("02 P.2.18")],
  "02 P.2.19": [stories("04-reviews", "P.2.19"), vector("02 P.2.19")],
  "02 P.2.21": [stories("02-trade-channel", "P.2.21"), vector("02 P.2.21")],
  "02 P.2.22": [stories("02-trade-channel", "P.2.22"), vector("02 P.2.22")],
  "02 P.2.23": [stories("02-content", "P.2.23")],
  "02 P.3 getAdvertisement": [market("P.3 getAdvertisement")],
  "02 P.3 getAdvertisements": [stories("02-floating-prices", "P.3 second row page")],
  "02 P.3 getReservation": [market("P.3 getReservation (public)")],
  "02 P.3 getSettlement": [market("P.3 getSettlement (public)")],
  "02 P.3 getSettlement, unknown": [market("P.3 getSettlement, unknown id")],
  "02 P.3 getTrade": [market("P.3 getTrade")],
  "02 P.3 getMySettlements": [["examples/wallet-proofs.test.ts", '"getMySettlements"']],
  "02 P.3 getMyReservations": [["examples/wallet-proofs.test.ts", '"getMyReservations"']],
  "02 P.3 getSettledVolume": [["volume/volume.test.ts", "P.3"]],
  "02 P.3 getSettlementAttachments": [stories("02-content", "P.3 getSettlementAttachments")],
  "02 P.3 getHeldContent": [stories("02-content", "P.3 getHeldContent")],
  "02 P.3 getReviews": [stories("04-reviews", "P.3 getReviews")],
  "02 P.3 getPaymentMethod": [market("P.3 getPaymentMethod")],
  "02 P.4": [market("P.4")],
  "02 P.5, rows 1 to 34 and 37 to 39": [market("P.5 rows 1 to 34, 37 to 39")],
  "02 P.5, rows 35 and 36": [
    ["examples/chain-outcomes.test.ts", "P.5 row 35"],
    ["examples/chain-outcomes.test.ts", "P.5 row 36"],
  ],
  "02 P.5, rows 40 and 41": [stories("02-content", "P.5 rows 40, 41")],
  "02 P.6": [
    ["vectors/statements.json", "0461642d3126002408011220d04ab232742bb4ab"],
    ["trade-channel/crypto.test.ts", "P.6"],
  ],
  "03 H.1": [
    ["vectors/commitments.json", "4d414fa05fdd09eb"],
    ["chain/program/published.contract.ts", "03 H.1"],
  ],
  "03 H.2": [stories("03-disputes-and-chain", "H.2"), vector("03 H.2")],
  "03 H.3": [stories("03-disputes-and-chain", "H.3"), vector("03 H.3")],
  "03 H.4": [stories("03-disputes-and-chain", "H.4"), vector("03 H.4")],
  "03 H.5": [stories("03-disputes-and-chain", "H.5"), vector("03 H.5")],
  "03 H.6": [vector("03 H.6")],
  "03 H.7": [stories("03-disputes-and-chain", "H.7"), ["examples/chain-outcomes.test.ts", "03 H.7"]],
  "03 H.8": [
    ["examples/wallet-proofs.test.ts", "03 H.8"],
    ["wallet-proofs/examples.test.ts", "H.8"],
  ],
  "03 H.9": [stories("03-disputes-and-chain", "H.9"), ["chain-bridge/transaction.test.ts", "H.9"]],
  "03 H.10": [
    ["chain-bridge/addresses.test.ts", "H.10"],
    ["chain-bridge/accounts.test.ts", "H.10"],
    ["chain/program/published.contract.ts", "H.10"],
  ],
  "04 §10.1": [stories("04-identity", "§10.1-10.3"), vector("04 §10.1")],
  "04 §10.2": [stories("04-identity", "§10.1-10.3"), vector("04 §10.2")],
  "04 §10.3": [stories("04-identity", "§10.1-10.3"), vector("04 §10.3")],
  "04 §10.4": [stories("04-governance", "§10.4"), vector("04 §10.4")],
  "04 §10.5": [stories("04-governance", "§10.5"), vector("04 §10.5")],
  "04 §10.6": [stories("04-governance", "§10.6"), vector("04 §10.6")],
  "04 §10.7": [stories("04-governance", "§10.7"), vector("04 §10.7")],
  "04 §10.8": [["risk/examples.test.ts", "04 §10.8"], vector("04 §10.8")],
  "04 §10.9": [stories("04-sessions", "§10.9-10.12"), vector("04 §10.9")],
  "04 §10.10": [stories("04-sessions", "§10.9-10.12"), vector("04 §10.10")],
  "04 §10.11": [stories("04-sessions", "§10.9-10.12"), vector("04 §10.11")],
  "04 §10.12": [stories("04-sessions", "§10.9-10.12"), vector("04 §10.12")],
  "04 §10.13": [stories("04-notifications", "§10.13"), vector("04 §10.13")],
  "04 §10.14": [stories("04-notifications", "§10.14"), vector("04 §10.14")],
  "04 §10.15": [["notifications/worked-examples.test.ts", "§10.15"], vector("04 §10.15")],
  "04 §10.16": [stories("04-reviews", "§10.16"), vector("04 §10.16")],
  "04 §10.17": [stories("04-reputation", "§10.17")],
  "04 §10.18": [stories("04-identity", "§10.18"), stories("04-governance", "§10.18"), stories("04-sessions", "§10.18")],
  "05 §15.1": [stories("05-providers", "§15.1"), ["providers/bytes.test.ts", "05 §15.1-15.6"]],
  "05 §15.2": [stories("05-providers", "§15.2"), ["providers/bytes.test.ts", "05 §15.1-15.6"]],
  "05 §15.3": [stories("05-providers", "§15.3"), ["providers/bytes.test.ts", "05 §15.1-15.6"]],
  "05 §15.4": [stories("05-providers", "§15.4"), ["providers/bytes.test.ts", "05 §15.1-15.6"]],
  "05 §15.5": [["providers/bytes.test.ts", "05 §15.1-15.6"]],
  "05 §15.6": [["fees/fees.test.ts", "05 §15.6"]],
  "05 §15.7": [stories("05-oracles", "§15.7"), vector("05 §15.7")],
  "05 §15.8": [stories("05-snapshots", "§15.8"), vector("05 §15.8")],
  "05 §15.9": [["snapshots/contents.test.ts", "48902792e051006b925ad6d45136812669a1fe53863764b47acda9dd7e447202"]],
  "05 §15.10": [["rewards/observations.test.ts", "05 §15.10"]],
  "05 §15.11": [["examples/discovery-bytes.test.ts", "05 §15.11"]],
  "05 §15.12": [stories("05-providers", "§15.12"), stories("05-oracles", "§15.12"), stories("05-snapshots", "§15.12")],
};
