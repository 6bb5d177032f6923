/**
 * Sessions: which node serves a wallet, and until when. Source: protocol 04 §5.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, typeRow } from "../../engine/domain.ts";
import { sessionFold } from "./fold.ts";
import { sessionMethods } from "./methods.ts";
import { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "./schema.ts";
import { Sessions } from "./tables.ts";

export const sessions = defineDomain({
  name: "sessions",
  types: [SessionCreate, SessionRenew, SessionRevoke, SessionMigrate].map((type) => typeRow(type, COMMON_LIMITS)),
  records: [Sessions],
  folds: () => [sessionFold],
  methods: sessionMethods,
});
