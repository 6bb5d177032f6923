/**
 * Sending transactions as a wallet does: on a blockhash from the person's own node, signed by the person, through
 * that node's `sendTransaction`. The node only says that it was queued; so one who needs the effect waits until it
 * must be final. Source: protocol 03 C.3, DESIGN section 4.
 */

import { toBase58, toBase64 } from "../../core/index.ts";
import type { ChainAddresses } from "../../core/testing.ts";
import { chainAddresses, parseAddress, simulatedProfile } from "../../core/testing.ts";
import type { SignatureStatus } from "../chain/chain-view.ts";
import type { ExecutionError } from "../chain/executor.ts";
import type { LookupTable } from "../chain/lookup-tables.ts";
import type { Instruction } from "../chain/transaction.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import { ScriptFailure, sleep } from "../script.ts";
import { OTHERS_MS } from "./trade-terms.ts";

/** Time in which a transaction that was sent is in a finalized block: 32 slots, a way there, and skipped slots. */
export const FINAL_MS = 20_000;
const SIGNATURE_BYTES = 64;

/** The chain of a scene; a scenario without one is a mistake of its author. */
export function chainOf(scene: Scene): ChainAddresses {
  return chainAddresses(scene.world.crypto, simulatedProfile);
}

/** Sends one transaction; `tag` says what it is about, true or not; what tables list is looked up there. */
export function* transact(
  person: Person,
  instructions: readonly Instruction[],
  tag?: string,
  tables?: readonly LookupTable[],
): Script {
  const data = yield* signed(person, instructions, tables);
  yield* person.must("sendTransaction", { data, ...(tag !== undefined && { correlation: tag }) });
}

/** One transaction on a fresh blockhash of the person's own node, as `sendTransaction` takes it. */
export function* signed(
  person: Person,
  instructions: readonly Instruction[],
  tables: readonly LookupTable[] = [],
): Script<string> {
  const known = (result: unknown) => {
    const { blockhash } = result as { readonly blockhash: string };
    // No wallet signs over what is no hash at all, whatever its node says.
    return parseAddress(blockhash) === undefined ? undefined : blockhash;
  };
  const blockhash = yield* person.poll("getLatestBlockhash", {}, known, OTHERS_MS);
  return toBase64(person.wallet.transaction({ instructions, blockhash, tables }));
}

/** Sends one transaction, waits until it must be final, and looks at what became of it on the chain. */
export function* transactAndWait(
  person: Person,
  scene: Scene,
  instructions: readonly Instruction[],
): Script<SignatureStatus> {
  const data = yield* signed(person, instructions);
  yield* person.must("sendTransaction", { data });
  yield* sleep(FINAL_MS);
  const status = scene.witness(() => scene.world.chain()?.signatureStatus(firstSignature(data)));
  if (status === undefined) throw new ScriptFailure(`${person.wallet.name}: the transaction is in no block`);
  return status;
}

/** The same for one that must succeed. */
export function* transactAndSucceed(person: Person, scene: Scene, instructions: readonly Instruction[]): Script {
  const { err } = yield* transactAndWait(person, scene, instructions);
  if (err !== null) throw new ScriptFailure(`${person.wallet.name}: the transaction failed: ${failureText(err)}`);
}

/** Why a transaction failed, for people. */
export function failureText(error: ExecutionError): string {
  return error.type === "custom" ? `program error ${error.code}` : error.name;
}

/** The signature that names a transaction: the first, behind their count. Source: protocol 03 D.9. */
function firstSignature(base64: string): string {
  return toBase58(Buffer.from(base64, "base64").subarray(1, 1 + SIGNATURE_BYTES));
}
