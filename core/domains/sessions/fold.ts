/**
 * The session fold: one record for each establishing statement, under its wallet's own acts.
 * Source: CONVERGENCE "Small folds"; protocol 04 §5.11.
 */

import type { FoldUnit, Mark } from "../../engine/statements/fold.ts";
import { childrenBySigner } from "../../engine/statements/own-statements.ts";
import { parentsOf, Statements } from "../../engine/statements/table.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { Statement } from "../../kernel/signed.ts";
import { sessionOf } from "./rules.ts";
import { isWithinBounds, SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "./schema.ts";
import { Sessions } from "./tables.ts";

const SESSION_UNIT = "session";

export const sessionFold: FoldUnit = {
  name: SESSION_UNIT,
  touches: {
    [SessionCreate.name]: (_, statement, mark) => mark(SESSION_UNIT, statement.identity),
    [SessionRenew.name]: markParents,
    [SessionRevoke.name]: markParents,
    [SessionMigrate.name]: markParents,
  },
  refold(draft, identity) {
    const create = draft.get(Statements, identity) as Statement<SessionCreate> | undefined;
    if (create === undefined || create.idForm === "void" || !isWithinBounds(create.payload)) return;
    draft.put(Sessions, identity, sessionOf(create, childrenBySigner(draft, create, create.signer), "are inert"));
  },
};

function markParents(draft: Draft, statement: Statement, mark: Mark): void {
  for (const create of parentsOf<SessionCreate>(draft, statement)) mark(SESSION_UNIT, create.identity);
}
