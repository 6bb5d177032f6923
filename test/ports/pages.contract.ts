/**
 * What every keeper of pages does: it gives back what it was given, whole, under the place that it named, in any order,
 * until it is told to forget. Each adapter passes it with a keeper of its own. Source: DESIGN §9.1.
 */
import { describe, expect, test } from "vitest";
import type { PagesPort } from "../../core/ports/pages.ts";

/** A page of so many bytes, unlike all others. */
function pageOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 7 + length) & 255);
}

export function describePages(name: string, open: () => PagesPort): void {
  describe(`pages of ${name}`, () => {
    test("each is read as it was written, in any order, as often as it is asked for", () => {
      const pages = open();
      const lengths = [1, 16_384, 3, 70_000, 0, 512];
      const places = lengths.map((length) => pages.append(pageOf(length)));
      expect(new Set(places).size).toBe(lengths.length);
      for (const at of [5, 0, 3, 3, 1, 4, 2]) {
        const read = pages.read(places[at] as number);
        expect(Buffer.from(read).equals(pageOf(lengths[at] as number))).toBe(true);
      }
    });

    test("nothing comes from where nothing is, and after a clear it begins anew", () => {
      const pages = open();
      const place = pages.append(pageOf(100));
      expect(pages.read(place + 1).length).toBe(0);
      pages.clear();
      expect(pages.read(place).length).toBe(0);
      const anew = pages.append(pageOf(200));
      expect(Buffer.from(pages.read(anew)).equals(pageOf(200))).toBe(true);
    });
  });
}
