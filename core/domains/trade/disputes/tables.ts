/**
 * The tables of disputes: one case for each open in each settlement of which its opener is a party, and what each
 * person said about cases of one name. No row holds a panel: who sits on it is found when a case is read, so that one
 * more arbitrator costs one row of his own, however many there are and however many cases bear the name.
 * Source: CONVERGENCE "Dispute", B2, B5.
 */

import { toHex } from "../../../kernel/bytes.ts";
import type { Infer } from "../../../kernel/schema.ts";
import { list, pair, struct } from "../../../kernel/schema-composites.ts";
import { bool, byteArray } from "../../../kernel/schema-scalars.ts";
import { table } from "../../../kernel/table.ts";
import { EpochMillis, PeerId, Text } from "../../../kernel/values.ts";
import type { Dispute } from "./schema.ts";

/** A case: identities of the settlement's initiate and of the open, the parties, and whether the chain decided. */
export const CaseRow = struct("CaseRow", {
  id: Text,
  settlement: Text,
  open: Text,
  opener: PeerId,
  buyer: PeerId,
  seller: PeerId,
  decided: bool,
  opened_at: EpochMillis,
});
export type CaseRow = Infer<typeof CaseRow>;

/** A dispute as it is read: its record, and what it hangs on. */
export type DisputeRow = Dispute & Pick<CaseRow, "settlement" | "open">;

/** Cases by settlement and open. */
export const Disputes = table<CaseRow>("disputes", CaseRow, {
  root: "state",
  sealedBy: "settlement",
  indexes: {
    id: (row) => [row.id],
    settlement: (row) => [row.settlement],
    open: (row) => [row.open],
    party: (row) => [row.buyer, row.seller],
  },
});

/**
 * What one person said about the cases of one name: identities in order of (timestamp, identity), and of each reveal
 * the commitment that it opens, so that it is hashed once. It tells nothing of which of them count in which case.
 */
export const PanelRow = struct("PanelRow", {
  name: Text,
  person: PeerId,
  joined: bool,
  acts: list(Text),
  commitments: list(byteArray(32)),
  openings: list(pair(Text, byteArray(32))),
});
export type PanelRow = Infer<typeof PanelRow>;

/** By `person:name`. */
export const Panels = table<PanelRow>("panels", PanelRow, {
  root: "state",
  sealedBy: "newest",
  indexes: {
    joined: ({ joined, name }) => (joined ? [name] : []),
    joiner: ({ joined, person }) => (joined ? [person] : []),
    newest: ({ acts }) => acts.slice(-1),
    commitment: ({ joined, name, commitments }) =>
      joined ? commitments.map((each) => commitmentPlace(name, each)) : [],
  },
});

/** Where those stand who took a seat under a name and handed in a commitment. */
export function commitmentPlace(name: string, commitment: Uint8Array): string {
  return `${toHex(commitment)}/${name}`;
}

/** The key of what a person said about the cases of a name. A person's id holds no colon. */
export function panelKey(person: string, name: string): string {
  return `${person}:${name}`;
}
