/**
 * Goal: a double has one text in each spelling, and either text is that double again (protocol 01 §2.3, §2.4).
 * Method: the published table, then a layout of its own from exact decimal digits.
 */
import { expect, test } from "vitest";
import { floatText, parseFloatToken } from "../../core/kernel/float.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { arbFloat } from "../../sim/arbitraries/numbers.ts";
import { forAll } from "../property/for-all.ts";

test.each([
  [0, "0.0", "0"],
  [-0, "-0.0", "0"],
  [1, "1.0", "1"],
  [-1, "-1.0", "-1"],
  [130, "130.0", "130"],
  [129.52, "129.52", "129.52"],
  [-129.52, "-129.52", "-129.52"],
  [0.5, "0.5", "0.5"],
  [0.001, "0.001", "0.001"],
  [0.00001, "0.00001", "0.00001"],
  [0.0000123, "0.0000123", "0.0000123"],
  [0.000001, "1e-6", "0.000001"],
  [0.0000012345, "1.2345e-6", "0.0000012345"],
  [1e-7, "1e-7", "1e-7"],
  [1e15, "1000000000000000.0", "1000000000000000"],
  [1234567890123456, "1234567890123456.0", "1234567890123456"],
  [9007199254740992, "9007199254740992.0", "9007199254740992"],
  [1e16, "1e+16", "10000000000000000"],
  [1.2345e16, "1.2345e+16", "12345000000000000"],
  [1e20, "1e+20", "100000000000000000000"],
  [1e21, "1e+21", "1e+21"],
  [1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"],
  [5e-324, "5e-324", "5e-324"],
  [Number.NaN, "null", "null"],
  [Number.POSITIVE_INFINITY, "null", "null"],
  [Number.NEGATIVE_INFINITY, "null", "null"],
])("%d", (value, protocol, ecmascript) => {
  expect(floatText(value, "protocol")).toBe(protocol);
  expect(floatText(value, "ecmascript")).toBe(ecmascript);
});

test.each([
  ["130", 130],
  ["-0", -0],
  ["9007199254740993", 9007199254740992],
  ["1781.5320455759613", 1781.5320455759613],
  ["129.12345678901234", 129.12345678901235],
  ["1e-400", 0],
  ["1e400", undefined],
  ["-1e400", undefined],
])("token %s", (token, value) => {
  expect(parseFloatToken(token)).toBe(value);
});

/** Where the spelling changes, and both of its forms (protocol 01 §2.3). */
const plan = {
  classes: (value: number) => {
    const exponent = Number(value.toExponential().split("e")[1]);
    const digits = value.toExponential().split("e")[0]?.replace(/[-.]/g, "").length ?? 0;
    return [
      value < 0 || Object.is(value, -0) ? "negative" : "positive",
      value === 0 ? "zero" : exponent < -5 ? "small" : exponent > 15 ? "large" : "plain",
      `exponent ${exponent}`,
      digits > exponent + 1 ? "with a fraction" : "whole",
      digits === 1 ? "one digit" : digits >= 16 ? "sixteen digits" : "several digits",
    ];
  },
  shares: {
    ...{ negative: 0.3, positive: 0.3, zero: 0.05, small: 0.1, large: 0.1, plain: 0.3, whole: 0.1 },
    ...{ "with a fraction": 0.2, "one digit": 0.05, "several digits": 0.3, "sixteen digits": 0.1 },
    ...{ "exponent -6": 0.005, "exponent -5": 0.005, "exponent -1": 0.01, "exponent 15": 0.01, "exponent 16": 0.01 },
  },
};

test("the layout agrees with one made from the shortest digits and the position of their point", () => {
  const holds = (value: number) => {
    expect(floatText(value, "protocol")).toBe(layout(value));
    expect(floatText(value, "ecmascript")).toBe(JSON.stringify(value));
  };
  forAll([arbFloat()], holds, { runs: 5_000, ...plan });
});

test("either spelling is JSON and the same double again", () => {
  const holds = (value: number) => {
    const text = floatText(value, "protocol");
    expect(parseJson(text)).toEqual({ ok: true, value: { type: "number", text } });
    expect(parseFloatToken(text)).toBe(value);
    expect(parseFloatToken(floatText(value, "ecmascript"))).toBe(value === 0 ? 0 : value);
  };
  forAll([arbFloat()], holds, { runs: 2_000, ...plan });
});

/** The table of protocol 01 §2.3 from `String(value)`: significant digits, and where their point stands. */
function layout(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [number = "", power = "0"] = String(Math.abs(value)).split("e");
  const [whole = "", fraction = ""] = number.split(".");
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "").replace(/0+$/, "");
  if (digits === "") return `${sign}0.0`;
  const leading = all.length - all.replace(/^0+/, "").length;
  const exponent = whole.length - leading - 1 + Number(power);
  if (exponent >= -5 && exponent <= 15) {
    if (exponent < 0) return `${sign}0.${digits.padStart(digits.length - exponent - 1, "0")}`;
    const padded = digits.padEnd(exponent + 2, "0");
    return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1)}`;
  }
  const point = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${sign}${point}e${exponent > 0 ? "+" : ""}${exponent}`;
}
