/**
 * Values that many kinds of scenario data have in common: instants, chances, numbers of nodes, distributions.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Schema } from "../../core/index.ts";
import { enumeration, isNumber, list, struct } from "../../core/index.ts";
import { small, text, toldApartBy } from "../../core/testing.ts";
import type { Distribution } from "../distributions.ts";

/** The longest that anything lasts in virtual milliseconds: a thousand years. Source: DESIGN "Simulated world". */
export const MILLISECONDS_MAX = 1_000 * 365 * 86_400_000;
/** All of a million: chances are millionths. */
export const MILLION = 1_000_000;

const CLOCK = /^(?:(?:(\d{1,6}):)?(\d{1,6}):)?(\d{1,9})(?:\.(\d{3}))?$/;

/** More than 32 bits, and yet a number: what a double holds. */
const whole = small(32, { least: 0, most: MILLISECONDS_MAX }) as Schema<unknown>;
const clock: unknown = text("plain", "a clock such as 1:30", (received) =>
  CLOCK.test(received) ? received : undefined,
);

/**
 * Virtual milliseconds as a number, or as a clock shows them: `"5"` is five seconds, `"1:30"` a minute and a half,
 * `"2:00:00.250"` two hours and a quarter of a second.
 */
export const Milliseconds: Schema<number> = {
  ...small(32),
  shape: { type: "either", of: [whole, clock as Schema<unknown>] },
  decode(node, decoder) {
    const value = isNumber(node) ? Number(node.text) : typeof node === "string" ? millisecondsOf(node) : undefined;
    if (value !== undefined && Number.isSafeInteger(value) && value >= 0 && value <= MILLISECONDS_MAX) return value;
    decoder.fail(`expected milliseconds from 0 to ${MILLISECONDS_MAX}, or a clock such as "1:30"`);
    return 0;
  },
};

function millisecondsOf(received: string): number | undefined {
  const parts = CLOCK.exec(received);
  if (parts === null) return undefined;
  const [hours, minutes, seconds, rest] = parts.slice(1).map((part) => Number(part ?? 0));
  return (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1_000 + (rest ?? 0);
}

/** What people, trades and cases go by. */
export const Name: Schema<string> = text("plain", "a name", (received) => (received === "" ? undefined : received));

/** A chance in millionths. */
export const Millionths: Schema<number> = small(32, { least: 0, most: MILLION });

/** The index of a node, from 0 on. */
export const NodeIndex: Schema<number> = small(32, { least: 0, most: 99_999 });

/** Groups of nodes; who is in none is in no group. */
export const NodeGroups = list(list(NodeIndex));

/** How long things take. */
export const DistributionData: Schema<Distribution> = toldApartBy<"type", Distribution>("type", {
  constant: struct("constant", { type: enumeration("constant"), ms: Milliseconds }),
  uniform: struct("uniform", { type: enumeration("uniform"), least: Milliseconds, most: Milliseconds }),
  exponential: struct("exponential", { type: enumeration("exponential"), least: Milliseconds, mean: Milliseconds }),
  bell: struct("bell", { type: enumeration("bell"), mean: Milliseconds, spread: Milliseconds }),
  heavy: struct("heavy", { type: enumeration("heavy"), least: Milliseconds, most: Milliseconds }),
  steady: struct("steady", {
    type: enumeration("steady"),
    least: Milliseconds,
    most: Milliseconds,
    jitter: Milliseconds,
  }),
  quantiles: struct("quantiles", { type: enumeration("quantiles"), points: list(Milliseconds) }),
});

/** A member that may be left out, and then has this value. */
export function otherwise<T>(schema: Schema<T>, absent: T): Schema<T> {
  return { ...schema, absent };
}
