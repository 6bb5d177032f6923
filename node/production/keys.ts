/**
 * Identity files on the command line. Source: protocol 01 §1.2.
 */
import { generateKeyFile, loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { peerOfKey } from "../../core/index.ts";
import type { Terminal } from "./usage.ts";
import { Refusal } from "./usage.ts";

export function keygenCommand(file: string, terminal: Terminal): void {
  const made = generateKeyFile(file);
  if (!made.ok) throw new Refusal(made.error.reason);
  terminal.out(`${peerOfKey(made.value.publicKey)}\n`);
}

export function addressCommand(file: string, terminal: Terminal): void {
  const held = loadKeyFile(file);
  if (!held.ok) throw new Refusal(held.error.reason);
  terminal.out(`${peerOfKey(held.value.publicKey)}\n`);
}
