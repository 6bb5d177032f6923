/**
 * How our program keeps a dispute case: the fields of protocol 03 D.3, zeros behind them, and in the last sixteen
 * bytes a mark of the buyer. A commit names neither party (D.4), yet must refuse both (6002, ours): the buyer is
 * known by the mark, the seller by the vault that the deposit comes from. While seats can still be taken the fields
 * leave the mark its room; a decoder of D.3 never reads that far.
 */

import { concat, equalBytes, utf8 } from "../../../core/index.ts";
import type { DisputeCase } from "../../../core/testing.ts";
import { addressBytes, decodeAccount, disputeCase, known, simulatedProfile } from "../../../core/testing.ts";
import type { Call } from "./call.ts";
import { addressAt, stored } from "./call.ts";
import type { Codec, Content } from "./held-account.ts";
import { bytesOf, contentOf, contentOfValue, valueIn, withContent } from "./held-account.ts";
import { isPlainField } from "./program-accounts.ts";

const MARK_BYTES = 16;
const MARK_AT = disputeCase.bytesAllocated - MARK_BYTES;

/** A case, and its last sixteen bytes while the fields leave them their room. */
interface MarkedCase {
  readonly value: DisputeCase;
  readonly mark: Uint8Array;
}

/** The program's cases; nothing of earlier data stays. */
const caseCodec: Codec<MarkedCase> = {
  read: (data) => {
    const result = decodeAccount(disputeCase, simulatedProfile, { owner: simulatedProfile[disputeCase.owner], data });
    return result.ok && seatsAgree(result.value) ? { value: result.value, mark: data.slice(MARK_AT) } : undefined;
  },
  write: ({ value, mark }) => {
    const data = written(disputeCase.fields.write(value));
    data.set(mark, MARK_AT);
    return data;
  },
};

/** Whether every seat has a commitment, a vote or none yet, and a weight. */
function seatsAgree({ arbitrators, commitments, revealed_outcomes, weights }: DisputeCase): boolean {
  return [commitments, revealed_outcomes, weights].every(({ length }) => length === arbitrators.length);
}

/** s(`openfiat-dispute-buyer` ‖ case address ‖ buyer), first 16 bytes. Source: DESIGN "Formats". */
function buyerMark(call: Call, caseAddress: string, buyer: string): Uint8Array {
  const preimage = concat(markTag, addressBytes(caseAddress), addressBytes(buyer));
  return call.sha256(preimage).slice(0, MARK_BYTES);
}

const markTag = utf8("openfiat-dispute-buyer");

/** The data of a new case. */
export function newCase(call: Call, caseAddress: string, value: DisputeCase, buyer: string): Content {
  return caseContent(value, buyerMark(call, caseAddress, buyer));
}

/** The case that an account's data holds; undefined when it is none. */
export function caseOf(content: Content): DisputeCase | undefined {
  return valueIn(caseCodec, content)?.value;
}

/**
 * Writes the fields, zeros behind them; the last sixteen bytes stay as they are as long as the fields leave them room.
 */
export function saveCase(call: Call, index: number, value: DisputeCase): void {
  const account = known(stored(call, index), "the case exists");
  call.ledger.set(addressAt(call, index), withContent(account, caseContent(value, markOf(account.content))));
}

/** Whether `wallet` is the buyer or the seller of the case's trade. */
export function isParty(call: Call, index: number, value: DisputeCase, wallet: string): boolean {
  const account = known(stored(call, index), "the case exists");
  if (equalBytes(markOf(account.content), buyerMark(call, addressAt(call, index), wallet))) return true;
  return call.at.liquidityVault(wallet, value.deposit_mint).address === value.deposit_vault;
}

/** The last sixteen bytes, whatever they are. */
function markOf(content: Content): Uint8Array {
  return valueIn(caseCodec, content)?.mark ?? bytesOf(content).slice(MARK_AT);
}

/** The value and the mark, which fields without room for it write over. */
function caseContent(value: DisputeCase, mark: Uint8Array): Content {
  if (isPlainCase(value) && endOf(value) <= MARK_AT)
    return contentOfValue(caseCodec, disputeCase.bytesAllocated, { value, mark });
  const fields = disputeCase.fields.write(value);
  const data = written(fields);
  if (disputeCase.discriminator.length + fields.length <= MARK_AT) data.set(mark, MARK_AT);
  return contentOf(data);
}

/** More than the fields of a case ever take, seats and barred wallets apart. */
const FIELDS_WITHOUT_LISTS_MAX = disputeCase.discriminator.length + disputeCase.fields.bytesMin + 8;
/** An address, a commitment, an outcome, a weight and a claim. */
const SEAT_BYTES = 32 + 32 + 2 + 8 + 1;

/** An offset that the fields do not reach beyond. */
function endOf(value: DisputeCase): number {
  return FIELDS_WITHOUT_LISTS_MAX + SEAT_BYTES * value.arbitrators.length + 32 * value.barred.length;
}

/** Whether every field surely holds its value whole, so that reading it back would answer the same. */
function isPlainCase(value: DisputeCase): boolean {
  const fields = value as unknown as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    const field = fields[name];
    if (field === null || field instanceof Uint8Array) continue;
    if (!(Array.isArray(field) ? arePlain(field) : isPlainField(field))) return false;
  }
  return true;
}

function arePlain(items: readonly unknown[]): boolean {
  for (const item of items) {
    if (item !== null && !(item instanceof Uint8Array) && !isPlainField(item)) return false;
  }
  return true;
}

function written(fields: Uint8Array): Uint8Array {
  const data = new Uint8Array(disputeCase.bytesAllocated);
  data.set(disputeCase.discriminator);
  data.set(fields, disputeCase.discriminator.length);
  return data;
}
