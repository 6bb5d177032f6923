/**
 * Floating prices as the paper tells them: mid, premium in basis points, decimals, and base units, or nothing where the
 * price is out of range. Source: protocol 02 B.4.
 */
export const FLOATING_PRICES = [
  [129.52, 150, 2, 13146n],
  [129.52, -250, 2, 12628n],
  [129.52, 0, 2, 12952n],
  [129.52, 150, 0, 131n],
  [129.52, 150, 6, 131462800n],
  [129.52, -10000, 2, 0n],
  [129.52, -10001, 2, undefined],
  [129.4649, 200, 2, 13205n],
  [129, 150, 2, 13093n],
  [0.25, 0, 1, 2n],
  [0.35, 0, 1, 4n],
  [1e30, 2147483647, 0, undefined],
] as const;
