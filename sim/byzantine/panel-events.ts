/**
 * A whole case off chain as signed events, ready for whoever carries them: the open, then what each arbitrator says.
 * Source: protocol 03 A.4.
 */
import type { GossipEvent, Vote } from "../../core/testing.ts";
import { ArbitratorJoin, commitmentOf, DisputeOpen, VoteCommit, VoteReveal } from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import type { Attacker } from "./attacker.ts";
import { eventAround } from "./attacker.ts";

/** A case, who opened it, and who votes how. */
export interface PanelEvents {
  readonly id: string;
  readonly settlement: string;
  readonly opener: Wallet;
  readonly arbitrators: readonly { readonly wallet: Wallet; readonly vote: Vote }[];
}

/** Four chapters: the open, the joins, the commits, the reveals. Not to be passed on. */
export function casePanel(courier: Attacker, panel: PanelEvents): readonly (readonly GossipEvent[])[] {
  const { crypto } = courier.world;
  const { id, opener, arbitrators } = panel;
  const options = { origin: courier.wallet, at: courier.now(), ttl: 1 };
  const timestamp = courier.now();
  const secretOf = (wallet: Wallet) => crypto.sha256(wallet.sign(new TextEncoder().encode(id)));
  const open = {
    ...{ id, settlement_id: panel.settlement, opener: opener.peer, opener_public_key: opener.publicKey },
    ...{ reason: "I paid, and nothing came", timestamp },
  };
  const of = ({ wallet }: PanelEvents["arbitrators"][number]) => ({
    dispute_id: id,
    arbitrator: wallet.peer,
    timestamp,
  });
  return [
    [eventAround(crypto, DisputeOpen, open, opener, options)],
    arbitrators.map((one) => {
      const join = { ...of(one), arbitrator_public_key: one.wallet.publicKey };
      return eventAround(crypto, ArbitratorJoin, join, one.wallet, options);
    }),
    arbitrators.map((one) => {
      const commitment = commitmentOf(crypto.sha256, one.vote, secretOf(one.wallet));
      return eventAround(crypto, VoteCommit, { ...of(one), commitment }, one.wallet, options);
    }),
    arbitrators.map((one) => {
      const reveal = { ...of(one), vote: one.vote, secret: secretOf(one.wallet) };
      return eventAround(crypto, VoteReveal, reveal, one.wallet, options);
    }),
  ];
}
