/**
 * The tables of content: node-local, in no root. Blocks alone are durable; the rest is found again at start.
 * Source: protocol 02 G.6, G.7.
 */

import { table } from "../../../kernel/table.ts";
import { Block, Round, Served, UnlistedFile, Usage, Want } from "./schema.ts";

/** Held blocks by canonical CID. */
export const Blocks = table<Block>("content_blocks", Block, {
  root: "local",
  durable: true,
  indexes: { uploads: (block) => (block.uploaded_at === null ? [] : ["recent"]) },
});

/** Blocks to ask for, by canonical CID. */
export const Wants = table<Want>("content_wants", Want, {
  root: "local",
  indexes: {
    asked: (want) => (want.asked === null ? [] : [want.asked]),
    root: (want) => [want.root],
    claimed: (want) => (want.claimed ? ["claimed"] : []),
  },
});

/** Files of which more is lacking than the list of wanted blocks had room for, by their roots. */
export const Unlisted = table<UnlistedFile>("content_unlisted", UnlistedFile, {
  root: "local",
  indexes: { claimed: (file) => (file.claimed ? ["claimed"] : []) },
});

/** Two rows: `held` is all that is held, `claimed` what of it claims alone name. */
export const Usages = table<Usage>("content_usage", Usage, { root: "local" });
/** One row, `now`. */
export const Rounds = table<Round>("content_rounds", Round, { root: "local" });
/** What was served, by peer. */
export const Serving = table<Served>("content_served", Served, { root: "local" });
