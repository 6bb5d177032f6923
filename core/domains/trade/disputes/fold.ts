/**
 * The dispute fold: each open on each settlement it belongs to, with its own panel.
 * Source: CONVERGENCE "Dispute".
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import { childrenBySigner, childrenOfType, parentsOf, Statements } from "../../../engine/statements/table.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { CryptoPort } from "../../../ports/crypto.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";
import type { Panel } from "./rules.ts";
import { disputeOf, panelOf } from "./rules.ts";
import { ArbitratorJoin, DisputeOpen, MutualSettlementAgree, VoteCommit, VoteReveal } from "./schema.ts";
import { Disputes } from "./tables.ts";

/** The dispute fold; commitments are hashed with the node's own SHA-256. */
export function disputeFold(hash: CryptoPort["sha256"]): FoldUnit {
  return {
    name: "dispute",
    touches: {
      [DisputeOpen.name]: (_, statement, mark) => mark("dispute", statement.identity),
      [ArbitratorJoin.name]: markParents,
      [VoteCommit.name]: markParents,
      [VoteReveal.name]: markParents,
      [MutualSettlementAgree.name]: markParents,
    },
    refold(draft, identity) {
      const open = draft.get(Statements, identity) as Statement<DisputeOpen> | undefined;
      if (open === undefined || open.idForm === "void") return;
      for (const initiate of parentsOf<SettlementInitiate>(draft, open)) refoldCase(hash, draft, open, initiate);
    },
  };
}

/** What counts about a dispute on one settlement. */
export function panelAbout(
  hash: CryptoPort["sha256"],
  reader: Reader,
  open: Statement<DisputeOpen>,
  parties: SettlementInitiate,
): Panel {
  return panelOf(hash, [parties.buyer, parties.seller], statementsAbout(reader, open, parties));
}

/** What arbitrators who joined and the parties said about a case. */
export function statementsAbout(
  reader: Reader,
  open: Statement<DisputeOpen>,
  { buyer, seller }: Pick<SettlementInitiate, "buyer" | "seller">,
): readonly Statement[] {
  const joins = childrenOfType<ArbitratorJoin>(reader, open, ArbitratorJoin);
  const signers = new Set([...joins.map((join) => join.signer), buyer, seller]);
  return [...signers].flatMap((signer) => childrenBySigner(reader, open, signer));
}

function refoldCase(
  hash: CryptoPort["sha256"],
  draft: Draft,
  open: Statement<DisputeOpen>,
  initiate: Statement<SettlementInitiate>,
): void {
  const settlement = draft.get(Settlements, initiate.identity);
  if (settlement === undefined) return;
  if (open.signer !== settlement.buyer && open.signer !== settlement.seller) return;
  const panel = panelAbout(hash, draft, open, initiate.payload);
  draft.put(Disputes, `${initiate.identity}:${open.identity}`, {
    ...disputeOf(open, settlement, panel),
    settlement: initiate.identity,
    open: open.identity,
  });
}

function markParents(draft: Draft, statement: Statement, mark: Mark): void {
  for (const open of parentsOf<DisputeOpen>(draft, statement)) mark("dispute", open.identity);
}
