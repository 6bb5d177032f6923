/**
 * The reference's governance. Source: protocol 04 §3.5, §3.7, §3.8, §3.11.
 */

import { readingsThatCount } from "../domains/governance/agreeing-readings.ts";
import { chainVotingEnded, lastReading } from "../domains/governance/chain-links.ts";
import { againstProposals } from "../domains/governance/methods.ts";
import type { ProposalCreate } from "../domains/governance/schema.ts";
import { hasBoundedTexts, ProposalChainLink, TimedChainLink } from "../domains/governance/schema.ts";
import { askMinima, minimumFor, READ_EVERY_MS, waitMsAfter } from "../domains/governance/vote-checks.ts";
import { override, overrideResult } from "../engine/overrides.ts";
import { contenders } from "../engine/statements/table.ts";

export const governanceOverrides = [
  /** Titles and summaries have no bounds. Source: protocol 04 §3.11. */
  override(hasBoundedTexts, () => true),
  /** Every signed vote is taken; one without a proposal comes to nothing. Source: protocol 04 §3.5. */
  override(againstProposals, ({ reader }, { payload }) => {
    const named = contenders<ProposalCreate>(reader, "proposal", payload.proposal_id);
    return named.length === 0 ? "unchanged" : undefined;
  }),
  /** A proposal is withdrawn whatever the chain's own vote is at. Source: protocol 04 §3.5. */
  override(chainVotingEnded, () => false),
  /** A link is answered without a reading, whatever was adopted, and has no time. Source: protocol 04 §3.7. */
  override(lastReading, () => undefined),
  overrideResult(TimedChainLink, ProposalChainLink),
  /** A stake weighs what it is, whatever its role needs. Source: protocol 04 §3.8. */
  override(askMinima, () => undefined),
  override(minimumFor, () => null),
  /** The first reading counts. Source: protocol 04 §3.5. */
  override(readingsThatCount, () => 1),
  /** A stake is read again at every tick. Source: protocol 04 §3.8. */
  override(waitMsAfter, () => READ_EVERY_MS),
];
