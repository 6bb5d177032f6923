/**
 * The settled volume that this node can attest. Source: OFS-8200 §6; protocol 02 F.
 */

import { noParams, query } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { unfoldedSettlements } from "../trade/settlements/views.ts";
import { settledVolume } from "./queries.ts";
import { SettledVolume } from "./schema.ts";

export const volumeMethods = {
  getSettledVolume: query({
    params: noParams,
    need: "none",
    result: SettledVolume,
    source: "OFS-8200 §6; protocol 02 F",
    doc: "Volume confirmed on chain, one row for each asset and no total, with what could not be attributed and the scope of it all.",
    read: (reader, _, { configuration }) =>
      settledVolume(reader, configuration.profile.mints, ruleOf(configuration, unfoldedSettlements)(reader)),
  }),
};
