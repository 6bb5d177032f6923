/**
 * The report of a run as one file for offline use: the page's markup, styles and script, and the recording of the run
 * inside it, deflated. It asks nobody for anything: its policy names its own parts. A page holds as many events as it
 * can bear, the last ones, and says what it leaves out.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { crc32, deflateRawSync } from "node:zlib";
import { extract } from "../../sim/travel/extract.ts";
import type { TravelRecording } from "../../sim/travel/recording-reader.ts";
import { writeOut } from "./out-file.ts";
import { escaped } from "./plain-page.ts";
import { withRecording } from "./recording-file.ts";

/** Events and bytes of a recording that one page holds: beyond, phones run out of memory. Source: DESIGN L10. */
export const PAGE_EVENTS_MAX = 100_000;
export const PAGE_BYTES_MAX = 64 << 20;

/** How many events fewer are tried where the bytes are too many. */
const FEWER = 0.7;

/** Writes the page about a recorded run. */
export async function writeReport(file: string, recordingFile: string, script: string): Promise<void> {
  await writeOut(
    file,
    withRecording(recordingFile, (recording) => reportPage(recording, script)),
  );
}

/** The page of a recording, with the script that `travelPageScript` answers. */
export function reportPage(recording: TravelRecording, script: string, most = PAGE_EVENTS_MAX): string {
  const style = ["../serve/page/page.css", "page/travel.css"].map(partOf).join("");
  const safe = script.replaceAll("</script", "<\\/script");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(safe)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const data = deflateRawSync(heldBytes(recording, most)).toString("base64");
  return partOf("page/travel.html")
    .replace("<!-- policy -->", () => `<meta http-equiv="content-security-policy" content="${policy}">`)
    .replace("<title></title>", () => `<title>${escaped(recording.notes.title)}</title>`)
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace('id="recording">', () => `id="recording">${data}`)
    .replace("<script></script>", () => `<script>${safe}</script>`);
}

/** The end of a recording, as much of it as a page holds. */
function heldBytes(recording: TravelRecording, most: number): Buffer {
  const { events } = recording;
  for (let count = most; ; count = Math.floor(count * FEWER)) {
    const from = Math.max(recording.from, events - count + 1);
    const parts: Uint8Array[] = [];
    let size = 0;
    const write = (bytes: Uint8Array) => {
      size += bytes.length;
      if (size <= PAGE_BYTES_MAX) parts.push(Uint8Array.from(bytes));
    };
    extract(recording, from, recording.notes, { write, crc32 });
    if (size <= PAGE_BYTES_MAX || count < 1) return Buffer.concat(parts);
  }
}

function partOf(name: string): string {
  return readFileSync(new URL(`../../sim/travel/${name}`, import.meta.url), "utf8");
}

/** Names a part by what it holds. Source: Content Security Policy Level 3, §8.3. */
function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
