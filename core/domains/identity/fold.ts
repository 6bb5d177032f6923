/**
 * The claim fold: each claim is its creating statement and what its own wallet said about it since. Supersession and
 * the cap are read from the claims beside it and are no part of a record, so no order of arrival shows.
 * Source: protocol 04 §1.5, §1.6; CONVERGENCE "Small folds".
 */

import type { FoldUnit, Mark } from "../../engine/statements/fold.ts";
import { childrenBySigner } from "../../engine/statements/own-statements.ts";
import { parentsOf, Statements } from "../../engine/statements/table.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { Statement } from "../../kernel/signed.ts";
import { latest } from "../../kernel/values.ts";
import { takesValue } from "./claim-values.ts";
import type { Claim } from "./schema.ts";
import { ClaimPublish, ClaimRevoke, ClaimVerify } from "./schema.ts";
import { Claims } from "./tables.ts";

export const claimFold: FoldUnit = {
  name: "claim",
  touches: {
    [ClaimPublish.name]: (_, statement, mark) => mark("claim", statement.identity),
    [ClaimVerify.name]: markParents,
    [ClaimRevoke.name]: markParents,
  },
  refold(draft, identity) {
    const publish = draft.get(Statements, identity) as Statement<ClaimPublish> | undefined;
    if (publish === undefined || publish.idForm === "void") return;
    const { claim_type, value } = publish.payload;
    if (takesValue(claim_type, value)) draft.put(Claims, identity, claimOf(publish, ownStatements(draft, publish)));
  },
};

/** The record: verified by any word of its wallet, revoked by any, whatever the dates. */
function claimOf(publish: Statement<ClaimPublish>, statements: readonly Statement[]): Claim {
  const { id, wallet, wallet_public_key, claim_type, value, verified, supersedes, expires_at } = publish.payload;
  const attested = verified || statements.some((statement) => statement.type.name === ClaimVerify.name);
  return {
    id,
    wallet,
    wallet_public_key,
    claim_type,
    value,
    verification_status: attested ? "SelfAttested" : "Unverified",
    supersedes,
    expires_at,
    revoked: statements.some((statement) => statement.type.name === ClaimRevoke.name),
    created_at: publish.timestamp,
    updated_at: latest([publish.timestamp, ...statements.map((statement) => statement.timestamp)]),
  };
}

/** What the wallet itself said about its claim; a stranger's word is inert. */
function ownStatements(draft: Draft, publish: Statement<ClaimPublish>): readonly Statement[] {
  return childrenBySigner(draft, publish, publish.signer).filter(
    ({ type }) => type.name === ClaimVerify.name || type.name === ClaimRevoke.name,
  );
}

function markParents(draft: Draft, statement: Statement, mark: Mark): void {
  for (const publish of parentsOf(draft, statement)) mark("claim", publish.identity);
}
