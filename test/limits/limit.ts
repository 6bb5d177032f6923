/**
 * Limits as data: a constant of the sources, and what comes of one less, of exactly as many and of one more. A row says
 * the number again, so that a constant that moved fails here. `limits.test.ts` tries every row, and finds the constants
 * that have none.
 */

/** Where a constant stands: `core/engine/rpc.ts BATCH_MEMBERS_MAX`. */
type ConstantName = `${"core" | "adapters" | "sim"}/${string}.ts ${string}`;
/** A bound that a record brings with it, such as the amount of an offer. */
type RuleName = `rule: ${string}`;

/** What comes of so many, so long or so late; a text says which of two things happened. */
type Outcome = string | ((n: bigint) => string);

export interface Limit {
  readonly of: ConstantName | RuleName;
  /** Which of several things that one constant bounds, when there are several. */
  readonly where?: string;
  /** `most`: the value is the greatest that is within; `least`: the smallest. */
  readonly kind: "most" | "least";
  readonly value: bigint;
  /** What the product makes of a value, through whatever enforces the limit. */
  readonly comesOf: (n: bigint) => string | Promise<string>;
  readonly within: Outcome;
  readonly beyond: Outcome;
}

/** A constant without a row, and why. */
export interface Untried {
  readonly of: ConstantName;
  readonly because: string;
}

interface Tried {
  /** What of the constant's several uses is tried. */
  readonly where?: string;
  readonly within: Outcome;
  readonly beyond: Outcome;
}

/** The greatest value that passes. */
export function most(
  of: ConstantName | RuleName,
  value: number | bigint,
  comesOf: (n: number) => string | Promise<string>,
  tried: Tried,
): Limit {
  return { of, kind: "most", value: BigInt(value), comesOf: (n) => comesOf(Number(n)), ...tried };
}

/** The smallest value that passes. */
export function least(
  of: ConstantName | RuleName,
  value: number | bigint,
  comesOf: (n: number) => string | Promise<string>,
  tried: Tried,
): Limit {
  return { of, kind: "least", value: BigInt(value), comesOf: (n) => comesOf(Number(n)), ...tried };
}

/** The same for values that a double does not hold. */
export function mostOf(
  of: ConstantName | RuleName,
  value: bigint,
  comesOf: (n: bigint) => string | Promise<string>,
  tried: Tried,
): Limit {
  return { of, kind: "most", value, comesOf, ...tried };
}

/** For lists that are cut: all of them, or as many as may be. */
export function cutAt(of: ConstantName, value: number, kept: (n: number) => number | Promise<number>): Limit {
  const comesOf = async (n: number) => {
    const left = await kept(n);
    return left === n ? "all" : `${left} are left`;
  };
  return most(of, value, comesOf, { within: "all", beyond: `${value} are left` });
}

/** For what is held while there is room: the one that comes is taken or left. */
export const TAKEN_OR_LEFT = { within: "taken", beyond: "left" } as const;
/** For what a send checks itself. */
export const OK_OR_PARAMETER = { within: "ok", beyond: "INVALID_PARAMETER" } as const;
/** For what has no more room. */
export const OK_OR_RATE = { within: "ok", beyond: "RATE_LIMIT_EXCEEDED" } as const;
