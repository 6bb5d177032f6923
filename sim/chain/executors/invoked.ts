/**
 * What programs called, as the two virtual machines tell it: LiteSVM records every call; bankrun records none, so the
 * forwarder's are read off what it was given. What the escrow program and the staking program called is left out.
 * Source: DESIGN "Simulated world".
 */
import type { TransactionMetadata } from "litesvm";
import type { ParsedMessage } from "../../../core/testing.ts";
import { systemProgram } from "../../../core/testing.ts";
import type { Invoked, LoadedAddresses } from "../executor.ts";
import { keysOf } from "../lookup-tables.ts";
import { forwardedCall } from "../model/forwarder.ts";
import { ownPrograms } from "./sysvars.ts";

/** The recorded calls of a transaction. */
export function recordedCalls(
  outcome: TransactionMetadata,
  message: ParsedMessage,
  loaded: LoadedAddresses,
): readonly Invoked[] {
  const keys = keysOf(message, loaded);
  const named = (index: number) => keys[index] ?? systemProgram;
  return outcome.innerInstructions().flatMap((calls, instruction) => {
    const callers = [named(message.instructions[instruction]?.programIndex ?? 0)];
    return calls.flatMap((call): readonly Invoked[] => {
      const [compiled, height] = [call.instruction(), call.stackHeight()];
      const program = named(compiled.programIdIndex());
      callers.splice(height - 1);
      const ofOwn = callers.some((caller) => ownPrograms.includes(caller));
      callers.push(program);
      if (ofOwn) return [];
      const accounts = [...compiled.accounts()].map(named);
      return [{ instruction, height, program, accounts, data: new Uint8Array(compiled.data()) }];
    });
  });
}

/** The calls that a transaction which succeeded must have made. */
export function forwardedCalls(message: ParsedMessage, loaded: LoadedAddresses): readonly Invoked[] {
  const keys = keysOf(message, loaded);
  const named = (index: number) => ({ address: keys[index] ?? systemProgram });
  return message.instructions.flatMap(({ programIndex, accounts, data }, instruction) => {
    const made: Invoked[] = [];
    let call = forwardedCall({ program: named(programIndex).address, accounts: accounts.map(named), data });
    for (let height = 2; call !== undefined; height += 1) {
      const { program } = call;
      made.push({ instruction, height, program, accounts: call.accounts.map(({ address }) => address), data });
      call = forwardedCall(call);
    }
    return made;
  });
}
