/**
 * The story that the document's examples are taken from, told to a node in memory.
 */
import { readFileSync } from "node:fs";
import type { Story } from "../../../core/index.ts";
import { toHex } from "../../../core/kernel/bytes.ts";
import { person } from "../../rpc/lone-node.ts";
import { aboutTheNode, isTold, publicLife, services, subscribes } from "./services.ts";
import type { Listener } from "./teller.ts";
import { openTeller } from "./teller.ts";
import { offers, quarrels, sale } from "./trades.ts";

/** Everybody who signs: secrets of 32 equal bytes. */
const people = [1, 2, 7, 8, 0x11, 0x22, 0x41, 0x42];

/** Where the story is kept for the node. */
export const storyFile = new URL("../../../node/production/examples.json", import.meta.url);

/** The story as it is kept. */
export function keptStory(): Story {
  return JSON.parse(readFileSync(storyFile, "utf8")) as Story;
}

/** The story as this build tells it. */
export function toldStory(listener?: Listener): Story {
  const tell = openTeller(listener);
  aboutTheNode(tell);
  services(tell);
  subscribes(tell);
  offers(tell);
  sale(tell);
  quarrels(tell);
  isTold(tell);
  publicLife(tell);
  const keys = people.map((byte) => {
    const { secret, key, peer } = person(byte);
    return { secret: toHex(secret), publicKey: key, peer };
  });
  return { keys, calls: tell.calls };
}

/** The file's text: one line a call. */
export function storyText({ keys, calls }: Story): string {
  const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row, exact)).join(",\n");
  return `{"keys":[\n${lines(keys)}\n],"calls":[\n${lines(calls)}\n]}\n`;
}

/** Parameters of the story are small enough for a double. */
function exact(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
