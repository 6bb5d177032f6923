/**
 * The dispute folds: each open on each settlement it belongs to, and what each person said about cases of one name.
 * Source: CONVERGENCE "Dispute", B2.
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import { allBy } from "../../../engine/statements/own-statements.ts";
import { parentsOf, Statements } from "../../../engine/statements/table.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { PeerId } from "../../../kernel/values.ts";
import type { CryptoPort } from "../../../ports/crypto.ts";
import type { SettlementInitiate } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";
import { openingBy } from "./rules.ts";
import { ArbitratorJoin, DisputeOpen, MutualSettlementAgree, VoteCommit, VoteReveal } from "./schema.ts";
import { Disputes, Panels, panelKey } from "./tables.ts";

const PANEL = "panel";

/** Both folds; what reveals open is hashed with the node's own SHA-256. */
export function disputeFolds(hash: CryptoPort["sha256"]): readonly FoldUnit[] {
  return [
    {
      name: "dispute",
      touches: { [DisputeOpen.name]: (_, statement, mark) => mark("dispute", statement.identity) },
      refold(draft, identity) {
        const open = draft.get(Statements, identity) as Statement<DisputeOpen> | undefined;
        if (open === undefined || open.idForm === "void") return;
        for (const initiate of parentsOf<SettlementInitiate>(draft, open)) refoldCase(draft, open, initiate);
      },
    },
    {
      name: PANEL,
      touches: {
        [ArbitratorJoin.name]: markPanel,
        [VoteCommit.name]: markPanel,
        [VoteReveal.name]: markPanel,
        [MutualSettlementAgree.name]: markPanel,
      },
      refold: (draft, key) => refoldPanel(hash, draft, key),
    },
  ];
}

function refoldCase(draft: Draft, open: Statement<DisputeOpen>, initiate: Statement<SettlementInitiate>): void {
  const settlement = draft.get(Settlements, initiate.identity);
  if (settlement === undefined) return;
  const { buyer, seller, decided } = settlement;
  if (open.signer !== buyer && open.signer !== seller) return;
  draft.put(Disputes, `${initiate.identity}:${open.identity}`, {
    id: open.payload.id,
    settlement: initiate.identity,
    open: open.identity,
    opener: open.signer,
    buyer,
    seller,
    decided,
    opened_at: open.timestamp,
  });
}

/** A person's own words under one name, whatever cases bear it: nothing that others sign makes this more. */
function refoldPanel(hash: CryptoPort["sha256"], draft: Draft, key: string): void {
  const opening = openingBy(hash);
  const person = key.slice(0, key.indexOf(":")) as PeerId;
  const name = key.slice(person.length + 1);
  const own = allBy(draft, { kind: "dispute", name }, person).filter(isOfPanel);
  const acts = own.sort(compareStatements);
  const ofType = <P>({ name: type }: { readonly name: string }) =>
    acts.filter((act): act is Statement<P> => act.type.name === type);
  if (acts.length === 0) return draft.put(Panels, key, undefined);
  draft.put(Panels, key, {
    name,
    person,
    joined: ofType(ArbitratorJoin).length > 0,
    acts: acts.map(({ identity }) => identity),
    commitments: ofType<VoteCommit>(VoteCommit).map(({ payload }) => payload.commitment),
    openings: ofType<VoteReveal>(VoteReveal).map((reveal) => [reveal.identity, opening(reveal)] as const),
  });
}

function isOfPanel({ type }: Statement): boolean {
  return [ArbitratorJoin.name, VoteCommit.name, VoteReveal.name, MutualSettlementAgree.name].includes(type.name);
}

function markPanel(_: Draft, statement: Statement, mark: Mark): void {
  mark(PANEL, panelKey(statement.signer, (statement.payload as ArbitratorJoin).dispute_id));
}
