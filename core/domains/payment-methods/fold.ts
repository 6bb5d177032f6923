/**
 * The payment method fold: each definition stands by itself, so nothing else has to be looked at; which of a
 * merchant's are shown is decided when they are read. Source: protocol 02 I.2; CONVERGENCE "Bounds".
 */

import type { FoldUnit } from "../../engine/statements/fold.ts";
import { Statements } from "../../engine/statements/table.ts";
import { toHex } from "../../kernel/bytes.ts";
import type { Statement } from "../../kernel/signed.ts";
import { transcript } from "../../kernel/signed.ts";
import { compareText } from "../../kernel/text.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import { isUsableName } from "./names.ts";
import type { PaymentMethodId, PaymentMethodRow } from "./schema.ts";
import { PaymentMethodDefine } from "./schema.ts";
import { PaymentMethods } from "./tables.ts";

/** Bytes of the digest in a definition's id. Source: protocol 02 I.2. */
const DIGEST_BYTES = 8;

/** The payment method fold; ids are hashed with the node's own SHA-256. */
export function paymentMethodFold(hash: CryptoPort["sha256"]): FoldUnit {
  return {
    name: "payment-method",
    touches: {
      [PaymentMethodDefine.name]: (_, statement, mark) => mark("payment-method", statement.identity),
    },
    refold(draft, identity) {
      const statement = draft.get(Statements, identity) as Statement<PaymentMethodDefine> | undefined;
      if (statement === undefined) return;
      const { merchant, name, category } = statement.payload;
      const id = definitionId(hash, statement.payload);
      const row = { id, merchant, name, category, usable: isUsableName(name) };
      const held = draft.get(PaymentMethods, id);
      if (held === undefined || compareNamesakes(row, held) < 0) draft.put(PaymentMethods, id, row);
    },
  };
}

/** An id has eight bytes, so half an hour of one processor finds two definitions of one: the smaller words are its. */
function compareNamesakes(a: PaymentMethodRow, b: PaymentMethodRow): number {
  return compareText(a.name, b.name) || compareText(a.category, b.category);
}

/** The id that a definition's words give it: its merchant and a digest of the bare transcript. */
export function definitionId(hash: CryptoPort["sha256"], payload: PaymentMethodDefine): PaymentMethodId {
  const digest = hash(transcript(PaymentMethodDefine, payload)).subarray(0, DIGEST_BYTES);
  return `${payload.merchant}:${toHex(digest)}` as PaymentMethodId;
}
