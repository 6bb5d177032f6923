/**
 * The oracle fold: what each provider published last under each id. Who counts, and what has run out, is
 * asked when read. Source: protocol 05 §14.11; CONVERGENCE "Small folds", "Joins".
 */

import type { FoldUnit } from "../../engine/statements/fold.ts";
import { inRegister } from "../../engine/statements/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { OraclePublish } from "./schema.ts";
import { OracleRecords, oracleKey } from "./tables.ts";

const ORACLE_UNIT = "oracle";

export const oracleFold: FoldUnit = {
  name: ORACLE_UNIT,
  touches: {
    [OraclePublish.name](_, { signer, payload }, mark) {
      mark(ORACLE_UNIT, oracleKey(signer, (payload as OraclePublish).id));
    },
  },
  refold(draft, key) {
    const slash = key.indexOf("/");
    const provider = key.slice(0, slash) as PeerId;
    const published = inRegister<OraclePublish>(draft, OraclePublish, provider, key.slice(slash + 1));
    if (published === undefined) return;
    const { timestamp, ...rest } = published.payload;
    draft.put(OracleRecords, key, { ...rest, published_at: timestamp, publication: published.identity });
  },
};
