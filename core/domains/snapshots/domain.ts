/**
 * Snapshots: files of the whole state, announced, made, searched for and taken. Source: protocol 05 §6.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { AdmissionView, StepContext } from "../../engine/step-context.ts";
import { onChangeOf } from "../../engine/step-context.ts";
import { NewestSlots } from "../chain-bridge/newest-slot.ts";
import { announcementError } from "./bounds.ts";
import { snapshotFold } from "./fold.ts";
import { forgetImplausible } from "./forget.ts";
import { snapshotMethods } from "./methods.ts";
import { onWritten, producePage, produceSnapshot, startProduction } from "./produce.ts";
import { SnapshotAnnounce } from "./schema.ts";
import { noteFreshness, noteNewest, searchSnapshot, startSearching } from "./search.ts";
import { Checkpoints, Freshnesses, Imports, Productions, ProviderStakes, Snapshots, StakeFloors } from "./tables.ts";
import { onFetched, takePage } from "./take.ts";
import { onProviderAccount, readProviderStakes } from "./trust.ts";

export const snapshots = defineDomain({
  name: "snapshots",
  types: [typeRow(SnapshotAnnounce, COMMON_LIMITS, { validate: refusalOf })],
  records: [Snapshots],
  tables: [Checkpoints, Productions, Imports, Freshnesses, ProviderStakes, StakeFloors],
  folds: () => [snapshotFold],
  methods: snapshotMethods,
  onStart: [startProduction, readProviderStakes, startSearching],
  onChange: [onChangeOf([NewestSlots], (context) => ruleOf(context.configuration, forgetImplausible)(context))],
  afterChange: [onChangeOf([Statements], noteFreshness)],
  afterCatchUp: [noteNewest],
  onInput: { "snapshot.written": onWritten, "snapshot.fetched": onFetched },
  timers: {
    "snapshot-production": produceSnapshot,
    "snapshot-bootstrap": searchSnapshot,
    "snapshot-page": nextPage,
    "provider-stakes": readProviderStakes,
  },
  onChain(context, observation) {
    if (observation.type === "account") onProviderAccount(context, observation);
  },
});

/** Why an announcement is admitted at no ingress under the rules of its network. */
function refusalOf(view: AdmissionView, payload: SnapshotAnnounce): ReturnType<typeof announcementError> {
  return ruleOf(view.configuration, announcementError)(view, payload);
}

/** A file that is made and one that is taken both go on. */
function nextPage(context: StepContext): void {
  producePage(context);
  takePage(context);
}
