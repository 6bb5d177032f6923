/**
 * The static copy of the OpenRPC document, equal to the live one but for `servers`. Source: DESIGN section 6.
 */
import { writeFileSync } from "node:fs";
import { methods, openRpcDocument } from "../../core/index.ts";
import type { Terminal } from "./usage.ts";
import { packageVersion, Refusal } from "./usage.ts";

export function openrpcCommand(out: string, terminal: Terminal): void {
  const text = openRpcDocument(methods, packageVersion(), { name: "a node", url: "http://127.0.0.1:7080/rpc" });
  try {
    writeFileSync(out, `${text}\n`);
  } catch (error) {
    throw new Refusal(`Cannot write ${out}: ${(error as Error).message}`);
  }
  terminal.out(`${out}\n`);
}
