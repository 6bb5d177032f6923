/**
 * Published bytes of the chain for reservation 42, used by the tests of this folder. Source: protocol 03 H.9, H.10.
 */

/** Decided case: 3 seats, outcome BuyerWins, 492 bytes. */
export const decidedCaseBase64 =
  "pMg2715MM4IqAAAAAAAAAAGDpaa5bhGdTKtuZEY0n7cyH2hnqPmj13alURM4fU42APFTZQAAAAA88VNlAAAAAHjxU2UAAAAAAQA8" +
  "AAAAAAAAADwAAAAAAAAAVCDECGCzXZUgNHSx4olY23HHLrXDuRwdBvr2wglYrE8A8VNlAAAAAAMAAACBOXcOqH0XX1ajVGbDTH7M" +
  "y42KkbTuN6Jd9g9bj8mzlO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfRypOsFwUYcHHWe4PH/w7+gQjo7EUwV113JoeT" +
  "M9vavnwDAAAATUFPoF/dCev3NzkAqshS03t0yZdyHfnARxLBuUDCxQOwir2aqktfpJvIJ4hvLy0yd+Fu4xfNxTg4IXkapsbJHWJP" +
  "T3J+KA/klbSD9McJy6yFOSibhjo9Yv+r0zoVNcGmAwAAAAEAAQABAQMAAAAAdDukCwAAAACQL1AJAAAAAFhH+A0AAAADAAAAAAAA" +
  "AAAAAN/wJiOVpbyfg/L30uNxJI8kjhYavfIRiGOW3jSMPsPq7OPAf2yi7pJqowrcvys5DQQgbW+ZBIZ2Bi/ThC4CLe2AlpgAAAAA" +
  "AAAAAAAAAAAAAQAABGv0FAAAAICWmAAAAAAAgJaYAAAAAAAB/gMAAAAA";

/** Terminal split: round 2, two barred, no outcome, reason 2, 405 bytes. */
export const terminalSplitBase64 =
  "pMg2715MM4IqAAAAAAAAAAGDpaa5bhGdTKtuZEY0n7cyH2hnqPmj13alURM4fU42APFTZQAAAAA88VNlAAAAAHjxU2UAAAAAAQI8" +
  "AAAAAAAAADwAAAAAAAAAVCDECGCzXZUgNHSx4olY23HHLrXDuRwdBvr2wglYrE8A8VNlAAAAAAEAAACBOXcOqH0XX1ajVGbDTH7M" +
  "y42KkbTuN6Jd9g9bj8mzlAEAAABNQU+gX90J6/c3OQCqyFLTe3TJl3Id+cBHEsG5QMLFAwEAAAABAAEAAAAAdDukCwAAAAAAAAAC" +
  "AAAA7UkoxijRwsbq6QM4kFmVYSlZJzpcY/k2NsFGFKyHN9HKk6wXBRhwcdZ7g8f/Dv6BCOjsRTBXXXcmh5Mz29q+fN/wJiOVpbyf" +
  "g/L30uNxJI8kjhYavfIRiGOW3jSMPsPq7OPAf2yi7pJqowrcvys5DQQgbW+ZBIZ2Bi/ThC4CLe2AlpgAAAAAAAAAAAAAAAAAAAAA" +
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH+BQAAAAEC";

/** `DisputeResolved` of the decided case, 116 bytes. */
export const disputeResolvedBase64 =
  "eUD5mYuA7LsqAAAAAAAAAIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29cp/bfr484uJuozmSbWU+R5NAf3Ff5yUk99Dte" +
  "UKmYc2cBAAAABGv0FAAAAAOAlpgAAAAAAAAAAAAAAAAAffFTZQAAAAA=";

/** A transaction that is accepted: one signature, legacy, no instruction, 134 bytes. */
export const acceptedTransactionBase64 =
  "AbeyKEXgRzhjx0o9Qyj0Gym5L7KfbpqAbKEz6fxR+eGUhoSl8Zp/H+orehmnhcwgmPqhH0gwT/JyufljUcE+HgEBAAABiojj3XQJ" +
  "8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

export const buyer = "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9";
export const seller = "CJfRUQxyonG6B5mnztsNUqxknbFT89DJdrdrzV9F96mU";
export const arbitrators = [
  "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu",
  "GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse",
  "EdmxWPmx2WH6WgFfTdu9xfkYf3k1g5wD1zccTVySEEh1",
] as const;
export const tradeEscrowAddress = "6uqYoFjzSrHWCVbdD6hC77e4ZJLKifryd1roQY92trh";
export const disputeCaseAddress = "DajV6mo1VFy3MEmfM1vg9qieEV4Kmb2CDiYxMN9dAzGN";
export const sellerOpenVault = "G5AJixeEBorU7NRAJQArAdnWEDEmo2VQrf3tDjCxVUz5";
export const caseSeedHex = "5420c40860b35d95203474b1e28958db71c72eb5c3b91c1d06faf6c20958ac4f";
