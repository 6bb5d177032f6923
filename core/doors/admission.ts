/**
 * What a payload itself must keep to be admitted, the same at every door but loading. RPC refuses it with
 * the code at its row; what a peer sends is neither kept nor forwarded. The fold never asks.
 * Source: CONVERGENCE "Door policy"; protocol 05 §3.4 (6, 6b), §6.3 (6b), §14.13, §14.24.
 */

import type { ErrorCode } from "../errors.ts";
import type { Statement } from "../kernel/signed.ts";
import { isPublishable } from "../oracles/bounds.ts";
import { OraclePublish } from "../oracles/schema.ts";
import { announcementFlaw } from "../snapshots/bounds.ts";
import { SnapshotAnnounce } from "../snapshots/schema.ts";
import type { DoorView } from "./door.ts";

type Flaw = (view: Pick<DoorView, "reader" | "now" | "configuration">, payload: never) => ErrorCode | undefined;

const flaws: Readonly<Record<string, Flaw>> = {
  [OraclePublish.name]: ({ configuration }, payload: OraclePublish) =>
    isPublishable(payload, configuration.profile.parity) ? undefined : "INVALID_PARAMETER",
  [SnapshotAnnounce.name]: ({ reader, now, configuration }, payload: SnapshotAnnounce) =>
    configuration.profile.parity ? undefined : announcementFlaw(reader, payload, now),
};

/** Why a statement is not admitted, if it is not. */
export function flawOf(
  view: Pick<DoorView, "reader" | "now" | "configuration">,
  { type, payload }: Pick<Statement, "type" | "payload">,
): ErrorCode | undefined {
  return flaws[type.name]?.(view, payload as never);
}
