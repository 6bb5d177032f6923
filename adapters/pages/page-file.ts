/**
 * Pages in one file that has no name: it is opened and unlinked at once, so that nothing is left of it however the
 * process ends. Reads and writes go to places in it and answer at once. What the disk does not take stays in memory,
 * page by page, until it takes some again. Source: CONVERGENCE B7; DESIGN §9.1.
 */
import { closeSync, ftruncateSync, openSync, readSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import type { PagesPort } from "../../core/ports/pages.ts";

/** The name that the file has for an instant. */
export const PAGE_FILE = "ledger.pages";
/** Read and written by its owner. */
const OWNER_ONLY = 0o600;
const NO_BYTES = new Uint8Array(0);

/** Where the file is, and who is told what. */
export interface PageFileOptions {
  readonly directory: string;
  /** A page came back otherwise than it was written, in one line. */
  readonly onDamage: (line: string) => void;
  /** The disk takes no pages, and why; or takes them again. */
  readonly onRefused?: (reason: string | undefined) => void;
  /** Writes so many bytes: for who plays a disk that is full. */
  readonly write?: (length: number, write: () => number) => number;
}

export interface PageFile extends PagesPort {
  close(): void;
}

/** Where a page lies: in the file, or in memory. */
type Lying = { readonly at: number; readonly length: number } | Uint8Array;

/** Opens a file without a name in a directory, or says why it cannot, in one line. */
export function openPageFile(options: PageFileOptions): Result<PageFile, string> {
  const path = join(options.directory, PAGE_FILE);
  try {
    // A process that was killed between the two calls below left its own.
    rmSync(path, { force: true });
    const file = openSync(path, "wx+", OWNER_ONLY);
    unlinkSync(path);
    return ok(pagesIn(file, options));
  } catch (error) {
    return err((error as Error).message);
  }
}

function pagesIn(
  file: number,
  { onDamage, onRefused = () => undefined, write = (_, bytes) => bytes() }: PageFileOptions,
): PageFile {
  let pages: Lying[] = [];
  let end = 0;
  let refused: string | undefined;

  function written(page: Uint8Array): Lying {
    try {
      for (let done = 0; done < page.length; ) {
        const left = page.length - done;
        done += write(left, () => writeSync(file, page, done, left, end + done));
      }
      tell(undefined);
    } catch (error) {
      tell((error as Error).message);
      return page;
    }
    const lying = { at: end, length: page.length };
    end += page.length;
    return lying;
  }

  function tell(reason: string | undefined): void {
    if ((reason === undefined) !== (refused === undefined)) onRefused(reason);
    refused = reason;
  }

  return {
    append: (page) => pages.push(written(page)) - 1,
    read(place) {
      const lying = pages[place];
      if (lying === undefined) return NO_BYTES;
      if (lying instanceof Uint8Array) return lying;
      const bytes = new Uint8Array(lying.length);
      try {
        for (let done = 0; done < bytes.length; ) {
          const many = readSync(file, bytes, done, bytes.length - done, lying.at + done);
          if (many === 0) return bytes.subarray(0, done);
          done += many;
        }
      } catch {
        // Whoever asks sees that it is not what was written.
        return NO_BYTES;
      }
      return bytes;
    },
    clear() {
      [pages, end] = [[], 0];
      try {
        ftruncateSync(file, 0);
      } catch (error) {
        tell((error as Error).message);
      }
    },
    damaged: (place, table) => onDamage(`page ${place} of ${table} is not what was written`),
    close: () => closeSync(file),
  };
}
