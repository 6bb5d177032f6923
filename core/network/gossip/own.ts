/**
 * Statements that a node makes about itself, under its own key: the only ones it ever signs.
 * Source: protocol 01 §7.4; 05 §1.10; DESIGN "Node signs its own records".
 */

import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import type { Fields, RecordOf } from "../../kernel/schema-composites.ts";
import type { SignedType } from "../../kernel/signed.ts";
import { statementOf, tagged, transcript } from "../../kernel/signed.ts";
import { toBase58 } from "../../kernel/text.ts";
import type { Signature } from "../../kernel/values.ts";
import { emitEvent } from "./originate.ts";

/** Signs, folds and puts on the wire a payload whose signer is this node; its priority is its type's unless said. */
export function publishOwn<F extends Fields>(
  context: StepContext,
  type: SignedType<F>,
  payload: RecordOf<F>,
  priority: number = type.priority,
): void {
  const { crypto, configuration } = context;
  const json = transcript(type, payload);
  const form = type.forms === "tagged" || configuration.signOwn === "tagged" ? "tagged" : "bare";
  const bytes = form === "tagged" ? tagged(type as SignedType, json) : json;
  const signature = toBase58(crypto.sign(configuration.secretKey, bytes)) as Signature;
  const statement = statementOf(crypto, type, payload, signature, form);
  const fold = foldOf(context);
  const admission = fold.admit(statement);
  fold.run();
  if (admission !== "admitted") return;
  const wire = encodeCompact(type.wire, { [type.outer]: payload, signature } as never);
  const event = { event_type: type.eventOf(payload), ofs_spec: type.ofs, priority, payload: wire };
  emitEvent(context, event, statement.identity);
}
