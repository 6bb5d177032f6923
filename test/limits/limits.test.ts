/**
 * Goal: every limit of core, adapters and simulator lies exactly where its constant says.
 * Method: each has a row that tries the value below, at and above through whatever enforces it.
 */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Limit } from "./limit.ts";

const folder = new URL("./rows/", import.meta.url);
const lists = await Promise.all(
  readdirSync(folder)
    .sort()
    .map((name) => import(new URL(name, folder).href) as Promise<{ limits: readonly Limit[] }>),
);
const limits = lists.flatMap((list) => list.limits);

describe.each(limits.map((limit) => [[limit.of, limit.where].filter(Boolean).join(", "), limit] as const))(
  "%s",
  (_, limit) => {
    const { kind, value, within, beyond, comesOf } = limit;
    const said = (outcome: Limit["within"], n: bigint) => (typeof outcome === "string" ? outcome : outcome(n));
    const outward = kind === "most" ? 1n : -1n;

    test(`${value} and one ${kind === "most" ? "less" : "more"} are within`, async () => {
      for (const n of [value - outward, value]) expect(await comesOf(n), `${n}`).toBe(said(within, n));
    });

    test(`${value + outward} is beyond`, async () => {
      expect(await comesOf(value + outward)).toBe(said(beyond, value + outward));
    });
  },
);
