/**
 * The reference's disputes. Source: protocol 03 A.
 */

import {
  DisputeAnswer,
  DisputesAnswer,
  hasBoundedReason,
  isClosed,
  isPartyOfAll,
  OwnDisputesAnswer,
  secondCommitment,
  takesStep,
  waitingAbout,
} from "../domains/trade/disputes/methods.ts";
import { FiledDispute, PublicDispute } from "../domains/trade/disputes/schema.ts";
import { disputeAsFolded, mayArbitratorRead, unfoldedDisputes } from "../domains/trade/disputes/views.ts";
import { override, overrideResult } from "../engine/overrides.ts";
import { listOrPage } from "../engine/pages.ts";
import { list, option, reveal } from "../kernel/schema-composites.ts";
import { disputeToReference } from "./undecided-disputes.ts";
import { unreservedDisputes, waitingInCase } from "./unreserved-disputes.ts";

/** What a stranger may read without the two members that are ours. Source: protocol 03 A.2.2. */
const ReferencePublicDispute = reveal(
  "ReferencePublicDispute",
  PublicDispute,
  "id",
  "settlement_id",
  "status",
  "required_arbitrators",
  "arbitrators_seated",
  "commitments",
  "reveals",
  "resolution",
  "onchain_execution_signature",
  "opened_at",
  "updated_at",
);

export const disputeOverrides = [
  /** A reason has no bound. Source: protocol 03 W-7. */
  override(hasBoundedReason, () => true),
  /** A settlement takes one case, and none once it is cancelled. Source: protocol 03 A.5. */
  override(isClosed, (_view, { row }) => row.state === "Cancelled" || row.state === "Disputed"),
  /** Each step is taken in one status only. Source: protocol 03 A.5. */
  override(takesStep, ({ isDecided, status }, phase) => (phase === undefined ? !isDecided : status() === phase)),
  /** A party may judge its own case. Source: protocol 03 A.5. */
  override(isPartyOfAll, () => false),
  /** A second commitment is ignored, and nothing said. Source: protocol 03 W-15. */
  override(secondCommitment, () => "unchanged"),
  /** One about a settlement that needs no reservation is a case too. Source: protocol 03 A.5; DESIGN §7 #21. */
  override(unfoldedDisputes, unreservedDisputes),
  override(waitingAbout, (reader, { dispute_id, arbitrator }) =>
    waitingInCase(reader, dispute_id).filter(({ signer }) => signer === arbitrator),
  ),
  /** An arbitrator reads a case in full once he is seated. Source: protocol 03 A.7. */
  override(mayArbitratorRead, () => true),
  /** The chain changes no date, and some decisions are not read. Source: protocol 03 A.2.1, W-3. */
  override(disputeAsFolded, disputeToReference),
  /** Without the members that are ours. Source: protocol 03 A.2.1, A.2.2. */
  overrideResult(DisputeAnswer, option(ReferencePublicDispute)),
  overrideResult(DisputesAnswer, listOrPage("DisputePage", "disputes", ReferencePublicDispute)),
  overrideResult(OwnDisputesAnswer, list(FiledDispute)),
];
