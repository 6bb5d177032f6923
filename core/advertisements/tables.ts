/**
 * The tables of advertisements: records under their creating statement, and the sweeps' outcomes, which
 * are computed and never stored. Source: CONVERGENCE "Records and ids", "Bounds" (ours).
 */

import { assert } from "../kernel/assert.ts";
import type { RecordCodec } from "../kernel/table.ts";
import { table } from "../kernel/table.ts";
import { AdvertisementRow } from "./schema.ts";
import type { Sweep } from "./sweep.ts";

/** Advertisements by their create's identity. */
export const Advertisements = table<AdvertisementRow>("advertisements", AdvertisementRow, {
  root: "state",
  indexes: { id: (row) => [row.id], merchant: (row) => [row.merchant] },
});

/** Never leaves memory. */
const inMemoryOnly: RecordCodec<Sweep> = {
  encode: () => assert(false, "a sweep is never stored"),
  read(reader) {
    reader.fail();
    return { granted: new Set(), barred: new Set(), acknowledged: 0n };
  },
};

/** What each advertisement's sweep granted, by the advertisement's identity. */
export const Sweeps = table<Sweep>("sweeps", inMemoryOnly, { root: "local" });
