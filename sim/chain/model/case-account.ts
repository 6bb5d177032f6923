/**
 * How our program keeps a dispute case: the fields of protocol 03 D.3, zeros behind them, and in the last sixteen
 * bytes a mark of the buyer. A commit names neither party (D.4), yet must refuse both (6002, ours): the buyer is
 * known by the mark, the seller by the vault that the deposit comes from. While seats can still be taken the fields
 * leave the mark its room; a decoder of D.3 never reads that far.
 */

import type { DisputeCase } from "../../../core/index.ts";
import { addressBytes, concat, disputeCase, equalBytes, known, utf8 } from "../../../core/index.ts";
import type { Call } from "./call.ts";
import { addressAt, stored } from "./call.ts";

const MARK_BYTES = 16;
const MARK_AT = disputeCase.bytesAllocated - MARK_BYTES;

/** s(`openfiat-dispute-buyer` ‖ case address ‖ buyer), first 16 bytes. Source: ours. */
function buyerMark(call: Call, caseAddress: string, buyer: string): Uint8Array {
  const preimage = concat(utf8("openfiat-dispute-buyer"), addressBytes(caseAddress), addressBytes(buyer));
  return call.sha256(preimage).slice(0, MARK_BYTES);
}

/** The bytes of a new case. */
export function newCaseBytes(call: Call, caseAddress: string, value: DisputeCase, buyer: string): Uint8Array {
  const data = written(disputeCase.fields.write(value));
  data.set(buyerMark(call, caseAddress, buyer), MARK_AT);
  return data;
}

/**
 * Writes the fields, zeros behind them; the mark stays as long as the fields leave it room, and comes back when a
 * round opens with `buyer`.
 */
export function saveCase(call: Call, index: number, value: DisputeCase, buyer?: string): void {
  const account = known(stored(call, index), "the case exists");
  const fields = disputeCase.fields.write(value);
  const data = written(fields);
  const end = disputeCase.discriminator.length + fields.length;
  if (end <= MARK_AT) data.set(account.data.subarray(MARK_AT), MARK_AT);
  if (buyer !== undefined) data.set(buyerMark(call, addressAt(call, index), buyer), MARK_AT);
  call.ledger.set(addressAt(call, index), { ...account, data });
}

/** Whether `wallet` is the buyer or the seller of the case's trade. */
export function isParty(call: Call, index: number, value: DisputeCase, wallet: string): boolean {
  const account = known(stored(call, index), "the case exists");
  if (equalBytes(account.data.slice(MARK_AT), buyerMark(call, addressAt(call, index), wallet))) return true;
  return call.at.liquidityVault(wallet, value.deposit_mint).address === value.deposit_vault;
}

function written(fields: Uint8Array): Uint8Array {
  const data = new Uint8Array(disputeCase.bytesAllocated);
  data.set(disputeCase.discriminator);
  data.set(fields, disputeCase.discriminator.length);
  return data;
}
