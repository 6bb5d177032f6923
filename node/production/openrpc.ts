/**
 * The static copy of the OpenRPC document, equal to the live one but for `servers`. Source: DESIGN section 6.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Story } from "../../core/index.ts";
import { methods, openRpcDocument } from "../../core/index.ts";
import type { Terminal } from "./usage.ts";
import { packageVersion, Refusal } from "./usage.ts";

/** The document of this version, with the examples beside this file. */
export function openRpcText(server: { readonly name: string; readonly url: string }): string {
  const story = JSON.parse(readFileSync(new URL("./examples.json", import.meta.url), "utf8")) as Story;
  return openRpcDocument(methods, packageVersion(), server, story);
}

export function openrpcCommand(out: string, terminal: Terminal): void {
  const text = openRpcText({ name: "a node", url: "http://127.0.0.1:7080/rpc" });
  try {
    writeFileSync(out, `${text}\n`);
  } catch (error) {
    throw new Refusal(`Cannot write ${out}: ${(error as Error).message}`);
  }
  terminal.out(`${out}\n`);
}
