/**
 * The snapshot fold: the newest announcements of each producer.
 * Source: protocol 05 §6.14; CONVERGENCE "Small folds".
 */

import type { FoldUnit } from "../../engine/statements/fold.ts";
import { allInRegister } from "../../engine/statements/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { SnapshotAnnounce } from "./schema.ts";
import { Snapshots } from "./tables.ts";

export const SNAPSHOT_UNIT = "snapshot";

export const snapshotFold: FoldUnit = {
  name: SNAPSHOT_UNIT,
  touches: {
    [SnapshotAnnounce.name]: (_, { signer }, mark) => mark(SNAPSHOT_UNIT, signer),
  },
  // Announcements of slots that cannot be are dropped.
  leaves: {
    [SnapshotAnnounce.name]: (_, { signer }, mark) => mark(SNAPSHOT_UNIT, signer),
  },
  refold(draft, producer) {
    const held = allInRegister<SnapshotAnnounce>(draft, SnapshotAnnounce, producer as PeerId, "");
    const identities = new Set<string>(held.map(({ identity }) => identity));
    for (const key of draft.find(Snapshots, "producer", producer)) {
      if (!identities.has(key)) draft.put(Snapshots, key, undefined);
    }
    for (const { identity, payload } of held) draft.put(Snapshots, identity, payload);
  },
};
