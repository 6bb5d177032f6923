/**
 * Conditions as scenario data: which of a link's, a disk's, an endpoint's or a directory's properties a fault changes.
 * What is left out stays as it is. Source: DESIGN section 5 "Faults".
 */
import { enumeration, option, struct, u32, u64 } from "../../core/index.ts";
import { DistributionData, Millionths } from "./values.ts";

export const LinkChanges = struct("LinkChanges", {
  latency: option(DistributionData),
  loss: option(Millionths),
  duplication: option(Millionths),
  jitter: option(struct("Jitter", { chance: Millionths, delay: DistributionData })),
  bytesPerMs: option(u32),
  corruption: option(Millionths),
});

export const DiskChanges = struct("DiskChanges", {
  sync: option(DistributionData),
  read: option(DistributionData),
  lie: option(Millionths),
  full: option(Millionths),
  torn: option(Millionths),
  unreadable: option(Millionths),
});

export const FileChanges = struct("FileChanges", {
  write: option(DistributionData),
  fetch: option(DistributionData),
  full: option(Millionths),
  unreachable: option(Millionths),
  cut: option(Millionths),
  damaged: option(Millionths),
});

export const EndpointChanges = struct("EndpointChanges", {
  latency: option(DistributionData),
  failure: option(Millionths),
  timeout: option(Millionths),
  requestsPerSecond: option(u32),
  lagSlots: option(u64),
  follows: option(enumeration("main", "rival", "either")),
  lie: option(Millionths),
  repeat: option(Millionths),
  withhold: option(Millionths),
  forge: option(Millionths),
});

/** What submitted transactions meet. */
export const SubmissionChanges = struct("SubmissionChanges", {
  drop: option(Millionths),
  fail: option(Millionths),
  late: option(Millionths),
  lateSlots: option(u64),
});

/** A change as programs write it: members that stay as they are may be left out. */
export type Given<C> = { readonly [K in keyof C]?: Exclude<C[K], null> };

/** Only what is changed. */
export function changesOf<C extends object>(changes: C): Given<C> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)) as Given<C>;
}
