/**
 * The table of sessions: one record for each establishing statement. Source: CONVERGENCE "Records and ids".
 */

import { table } from "../../kernel/table.ts";
import { Session } from "./schema.ts";

/** Sessions by their establishing statement's identity. */
export const Sessions = table<Session>("sessions", Session, {
  root: "state",
  indexes: { id: (session) => [session.id], wallet: (session) => [session.wallet] },
});
