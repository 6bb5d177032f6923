/**
 * What an executor needs of a transaction's bytes: its signatures, its message, who must sign, and where the
 * message names its blockhash. Callers hand over only transactions that parse. Source: protocol 03 C.3.
 */
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const HEADER_BYTES = 3;

export interface WireParts {
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
  /** Public keys of the required signers, in order; the first pays. */
  readonly signers: readonly Uint8Array[];
  /** Offset of the 32-byte blockhash within the message. */
  readonly blockhashAt: number;
}

/** Takes a transaction apart. Throws RangeError on bytes that end too early. */
export function splitWire(wire: Uint8Array): WireParts {
  const [signatureCount, signaturesAt] = compactU16(wire, 0);
  const messageAt = signaturesAt + signatureCount * SIGNATURE_BYTES;
  const signatures = Array.from({ length: signatureCount }, (_, index) => {
    return wire.slice(signaturesAt + index * SIGNATURE_BYTES, signaturesAt + (index + 1) * SIGNATURE_BYTES);
  });
  const message = wire.slice(messageAt);
  const headerAt = (byteAt(message, 0) & 0x80) === 0 ? 0 : 1; // the version stands before the header
  const [accountCount, accountsAt] = compactU16(message, headerAt + HEADER_BYTES);
  const blockhashAt = accountsAt + accountCount * KEY_BYTES;
  const required = byteAt(message, headerAt);
  if (required > accountCount || blockhashAt + KEY_BYTES > message.length) throw new RangeError("truncated message");
  const signers = Array.from({ length: required }, (_, index) => {
    return message.slice(accountsAt + index * KEY_BYTES, accountsAt + (index + 1) * KEY_BYTES);
  });
  return { signatures, message, signers, blockhashAt };
}

/** Signatures, counted, then the message. */
export function joinWire(signatures: readonly Uint8Array[], message: Uint8Array): Uint8Array {
  const wire = new Uint8Array(1 + signatures.length * SIGNATURE_BYTES + message.length);
  wire[0] = signatures.length; // a message has far fewer than 128 signers, so the count is one byte
  for (const [index, signature] of signatures.entries()) wire.set(signature, 1 + index * SIGNATURE_BYTES);
  wire.set(message, 1 + signatures.length * SIGNATURE_BYTES);
  return wire;
}

/** The value at `at` and the offset after it. */
function compactU16(bytes: Uint8Array, at: number): readonly [number, number] {
  let value = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = byteAt(bytes, at + index);
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return [value, at + index + 1];
  }
  throw new RangeError("count above 16 bits");
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError("truncated transaction");
  return byte;
}
