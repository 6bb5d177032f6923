/**
 * Floats as text: the protocol's spelling and the ECMAScript one, digits shared, layout not.
 * Source: protocol 01 §2.3 (spelling), §2.4 (reading), §3.4 (both spellings verify).
 */

export type FloatSpelling = "protocol" | "ecmascript";

/** Largest and smallest decimal exponent written without `e`. Source: protocol 01 §2.3. */
const PLAIN_EXPONENT_MAX = 15;
const PLAIN_EXPONENT_MIN = -5;

/** The text of a double; non-finite values are `null`. */
export function floatText(value: number, spelling: FloatSpelling): string {
  if (!Number.isFinite(value)) return "null";
  if (spelling === "ecmascript") return String(value);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace("-", "").replace(".", "");
  const exponent = Number.parseInt(power, 10);
  if (exponent < PLAIN_EXPONENT_MIN || exponent > PLAIN_EXPONENT_MAX) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits.charAt(0)}${fraction}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** What the printed decimal of a finite double is in exact arithmetic: `units` times ten to the `exponent`. */
export function printedDecimal(value: number): { readonly units: bigint; readonly exponent: number } {
  const [mantissa = "0", power = "0"] = floatText(value, "protocol").split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { units: BigInt(whole + fraction), exponent: Number.parseInt(power, 10) - fraction.length };
}

/** Ten to a power that is not negative, exactly. */
export function tenTo(exponent: number): bigint {
  return BigInt(`1${"0".repeat(exponent)}`);
}

/** The double nearest to a JSON number token, or nothing when it overflows. */
export function parseFloatToken(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
