/**
 * Admission: the one way of a verified statement into the set, whatever brought it. An ingress is a set of values,
 * never another pipeline; over RPC a method's own validation order has answered before, with the code of its row.
 * Source: CONVERGENCE "Door policy"; DESIGN section 3.0, L6.
 */

import type { ErrorCode } from "../../errors.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { rowOf } from "../domain.ts";
import { ruleOf } from "../overrides.ts";
import type { Admission, Fold } from "../statements/fold.ts";
import { isAboutSealed, isOutsideLife, Pending, Statements } from "../statements/table.ts";
import type { StepContext } from "../step-context.ts";
import { pushOutWaiting, withinPendingLimits } from "./bounds.ts";
import type { Ingress } from "./ingress.ts";
import { GOSSIP_ID_BYTES_MAX, idsWithin, ingresses, isInTime } from "./ingress.ts";

/** Why a statement is not admitted: `ids` no honest node sends; everything else may come again. */
export type Refused = { readonly refused: "ids" | "date" | "life" | "sealed" | "space" | ErrorCode };

/** Puts a verified statement into the set, or says why not. The caller runs the fold. */
export function admit(context: StepContext, fold: Fold, ingress: Ingress, statement: Statement): Admission | Refused {
  const { draft: reader, now, configuration, registry } = context;
  const { type, payload } = statement;
  if (!idsWithin(type, payload, GOSSIP_ID_BYTES_MAX)) return { refused: "ids" };
  if (!ruleOf(configuration, isInTime)(ingress, statement, now)) return { refused: "date" };
  const invalid = rowOf(registry, statement).validate?.({ reader, now, configuration }, payload as never);
  if (invalid !== undefined) return { refused: invalid };
  const isNew = !isHeld(reader, statement);
  if (isNew) {
    // From a peer it waits, as any child does: a record that it is about may come after another of that name.
    if (ingress === ingresses.checked && isOutsideLife(reader, statement)) return { refused: "life" };
    if (isAboutSealed(reader, statement)) return { refused: "sealed" };
    const waits = fold.waits(statement);
    if (!withinPendingLimits({ registry, reader }, statement, waits)) return { refused: "space" };
    if (waits && !pushOutWaiting(reader, statement)) return { refused: "space" };
  }
  const admission = fold.admit(statement);
  if (isNew && ingress !== ingresses.snapshot && isHeld(reader, statement))
    rowOf(registry, statement).onReceived?.(context, statement);
  return admission;
}

/** Whether the set has a statement already, or it waits: taking it again takes no room. */
export function isHeld(reader: Reader, { identity }: Statement): boolean {
  return reader.get(Statements, identity) !== undefined || reader.get(Pending, identity) !== undefined;
}
