/**
 * Snapshot methods: announcements, the slot of the last import, and the validation order of an announcement.
 * Source: OFS-1300; protocol 05 §6.3, §6.13.
 */

import type { ValidationOrder, ValidationView } from "../../engine/admission/validation-order.ts";
import { commonChecks, firstOf, keyChecks, outOfBounds, refuseWhen } from "../../engine/admission/validation-order.ts";
import { idParams, mutation, noParams, query, signedTypes } from "../../engine/method.ts";
import { readAt, ruleOf } from "../../engine/overrides.ts";
import { registered } from "../../engine/statements/table.ts";
import { list, option } from "../../kernel/schema-composites.ts";
import { u64 } from "../../kernel/schema-scalars.ts";
import { compareInRegister } from "../../kernel/signed.ts";
import { recordsOf } from "../../kernel/table.ts";
import { isListed } from "../providers/queries.ts";
import { announcementError } from "./bounds.ts";
import { allSnapshots, latestSnapshot, SNAPSHOT_SERVICES, snapshotById } from "./queries.ts";
import { SnapshotAnnounce, SnapshotMetadata } from "./schema.ts";
import { CHECKPOINT, Checkpoints, Snapshots } from "./tables.ts";
import { isAnchor, stakeStatusOf } from "./trust.ts";

const announceErrors = [
  "INVALID_SIGNATURE",
  "INVALID_REQUEST",
  "INVALID_PARAMETER",
  "SNAPSHOT_VERIFICATION_FAILED",
  "RESOURCE_ALREADY_EXISTS",
] as const;

/** Source: protocol 05 §6.3. The last row: the producer has announced newer ones than this. */
const announceChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as SnapshotAnnounce;
  const { statement } = candidate;
  return firstOf(
    () => keyChecks(candidate, "INVALID_REQUEST"),
    () => commonChecks(view, candidate),
    () =>
      refuseWhen(
        !isListed(view.reader, payload.producer, view.now, SNAPSHOT_SERVICES),
        "INVALID_REQUEST",
        "not-listed",
      ),
    () => refuseWhen(isShort(view, payload), "INVALID_REQUEST", "too-little-stake"),
    () => outOfBounds(ruleOf(view.configuration, announcementError)(view, payload)),
    () => refuseWhen(isKnown(view, payload), "RESOURCE_ALREADY_EXISTS"),
    () => {
      const least = registered(view.reader, statement);
      return refuseWhen(least !== undefined && compareInRegister(least, statement) > 0, "INVALID_REQUEST", "outdated");
    },
  );
};

/** Whether an id shows somebody's announcement here, or is one of the producer's own. */
function isKnown({ reader, now, configuration }: ValidationView, { id, producer }: SnapshotAnnounce): boolean {
  if (snapshotById(reader, id, readAt({ now, configuration })) !== undefined) return true;
  return recordsOf(reader, Snapshots, "id", id).some((snapshot) => snapshot.producer === producer);
}

/** Known to have too little at stake; what was not read blocks nobody. Source: protocol 05 §6.3 (6). */
function isShort(
  { reader, configuration, now }: ValidationView,
  { producer_public_key: key }: SnapshotAnnounce,
): boolean {
  return !isAnchor(configuration, key) && stakeStatusOf(reader, configuration, key, now) === "short";
}

export const snapshotMethods = {
  getSnapshot: query({
    params: idParams,
    result: option(SnapshotMetadata),
    source: "protocol 05 §6.13",
    doc: "One announcement; null when the id is unknown or its producer is not registered.",
    read: (reader, { id }, context) => snapshotById(reader, id, readAt(context)) ?? null,
  }),
  getSnapshots: query({
    params: noParams,
    need: "none",
    result: list(SnapshotMetadata),
    source: "OFS-8200 §6; protocol 05 §6.13",
    doc: "The newest announcements of registered producers, by id.",
    read: (reader, _, context) => allSnapshots(reader, readAt(context)),
  }),
  getLatestSnapshot: query({
    params: noParams,
    need: "none",
    result: option(SnapshotMetadata),
    source: "OFS-8200 §6; protocol 05 §6.13",
    doc: "The announcement of the highest slot, or null. A slot says when, not what a file contains.",
    read: (reader, _, context) => latestSnapshot(reader, readAt(context)) ?? null,
  }),
  getCheckpointSlot: query({
    params: noParams,
    need: "none",
    result: option(u64),
    source: "OFS-8200 §6; protocol 05 §6.13",
    doc: "The slot of the last snapshot that this node imported, or null.",
    read: (reader) => reader.get(Checkpoints, CHECKPOINT) ?? null,
  }),
  sendSnapshotAnnounce: mutation({
    signed: signedTypes(SnapshotAnnounce),
    checks: announceChecks,
    answers: "id",
    errors: announceErrors,
    source: "OFS-1300; protocol 05 §6.3",
    doc: "Announces a snapshot file of a registered producer.",
  }),
};
