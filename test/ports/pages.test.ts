// Goal: whoever keeps pages gives them back as they were; of a file nothing is left whatever becomes of the process,
// and what a disk does not take is kept in memory. Method: the contract, with each keeper; a disk that fills; the
// directory, looked at while the file is open; the wiring of a node.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PageFile, PageFileOptions } from "../../adapters/pages/page-file.ts";
import { openPageFile, PAGE_FILE } from "../../adapters/pages/page-file.ts";
import { pagesInMemory } from "../../core/kernel/row-pages.ts";
import type { Line } from "../../node/production/logs.ts";
import { openNodePages } from "../../node/production/node-pages.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { describePages } from "./pages.contract.ts";

const directory = mkdtempSync(join(tmpdir(), "ofs-pages-"));
const opened: PageFile[] = [];
afterAll(() => {
  for (const file of opened) file.close();
  rmSync(directory, { recursive: true });
});

function pageFile(options: Partial<PageFileOptions> = {}, open = openPageFile): PageFile {
  const file = open({ directory, onDamage: () => undefined, ...options });
  if (!file.ok) throw new Error(file.error);
  opened.push(file.value);
  return file.value;
}

describePages("memory", pagesInMemory);
describePages("a file", () => pageFile());

describe("a file of pages", () => {
  test("has no name from the first moment on, and takes away what a killed process left", () => {
    writeFileSync(join(directory, PAGE_FILE), "left");
    const pages = pageFile();
    expect(readdirSync(directory)).toEqual([]);
    const place = pages.append(Uint8Array.of(1, 2, 3));
    expect(readdirSync(directory)).toEqual([]);
    expect([...pages.read(place)]).toEqual([1, 2, 3]);
  });

  test("keeps in memory what the disk does not take, says so once, and goes on when it takes some again", () => {
    const told: (string | undefined)[] = [];
    let room = 100;
    const pages = pageFile({
      onRefused: (reason) => void told.push(reason),
      write(length, write) {
        if (length > room) throw new Error("ENOSPC: no space left on device");
        room -= length;
        return write();
      },
    });
    const pagesOf = [60, 60, 60, 30].map((length) => new Uint8Array(length).fill(length));
    const places = pagesOf.slice(0, 3).map((page) => pages.append(page));
    room = 30;
    places.push(pages.append(pagesOf[3] as Uint8Array));
    expect(places.map((place) => Buffer.from(pages.read(place)))).toEqual(pagesOf.map((page) => Buffer.from(page)));
    expect(told).toEqual(["ENOSPC: no space left on device", undefined]);
  });

  test("of a directory that is none there is no file", () => {
    expect(openPageFile({ directory: join(directory, "none"), onDamage: () => undefined }).ok).toBe(false);
  });

  test("the contract fails where a page is read from another place", async () => {
    const bug = { file: "adapters/pages/page-file.ts", find: "lying.at + done);", replace: "done);" };
    const read = await withPlantedBug(bug, async (load) => {
      const planted = await load<typeof import("../../adapters/pages/page-file.ts")>("adapters/pages/page-file.ts");
      const pages = pageFile({}, planted.openPageFile);
      const [, second = 0] = [Uint8Array.of(1), Uint8Array.of(2)].map((page) => pages.append(page));
      return [...pages.read(second)];
    });
    expect(read).toEqual([1]);
  });
});

describe("a node's pages", () => {
  function nodePages(ledger: string) {
    const [lines, failed] = [[] as Line[], [] as string[]];
    const pages = openNodePages({
      ledger,
      log: (line) => void lines.push(line),
      fail: (line) => void failed.push(line),
    });
    if (pages !== undefined) opened.push(pages);
    return { pages, lines, failed };
  }

  test("one that is damaged ends the node with a line that names it", () => {
    const { pages, failed } = nodePages(directory);
    pages?.damaged(17, "statements");
    expect(failed.length).toBe(1);
    expect(failed[0]).toMatch(/page 17 of statements is not what was written/);
  });

  test("where there can be no file they are kept in memory, and the log says why", () => {
    const { pages, lines } = nodePages(join(directory, "none"));
    expect(pages).toBeUndefined();
    expect(lines.map(({ event }) => event)).toEqual(["sealed rows stay in memory: no file for their pages"]);
  });
});
