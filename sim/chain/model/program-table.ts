/**
 * A program as one table: discriminator to rules. Source: protocol 03 D.4.
 */
import { fromHex } from "../../../core/index.ts";
import { known, startsWith } from "../../../core/testing.ts";
import type { InstructionName } from "../instruction-parts.ts";
import { instructionDiscriminators } from "../instruction-parts.ts";
import type { Handler } from "./call.ts";
import { invalidData } from "./call.ts";

export const DISCRIMINATOR_BYTES = 8;

interface Row {
  readonly discriminator: Uint8Array;
  readonly handler: Handler;
}

/** Runs the instruction that the first eight bytes of the data name; the arguments begin behind them. */
export function programOf(handlers: Readonly<Partial<Record<InstructionName, Handler>>>): Handler {
  const all = Object.entries(handlers).map(([name, handler]): Row => {
    return { discriminator: known(fromHex(instructionDiscriminators[name as InstructionName]), name), handler };
  });
  /** By the first byte of the discriminator. */
  const rows: readonly (readonly Row[])[] = Array.from({ length: 256 }, (_, first) => {
    return all.filter(({ discriminator }) => discriminator[0] === first);
  });
  return (call) => {
    const row = rows[call.data[0] ?? 0]?.find(({ discriminator }) => startsWith(call.data, discriminator));
    return row === undefined ? invalidData : row.handler(call);
  };
}
