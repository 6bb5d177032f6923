/**
 * A review that is read, by anybody or by whom it concerns, is one that a party of a settled trade wrote of the other:
 * not a stranger's, and not of a trade that is not over. Who wrote it does not show to everybody, so each statement
 * that may be meant is looked at.
 * Source: protocol 02 H; 04 §2.12; CONVERGENCE "Joins".
 */
import type { Reader } from "../../core/index.ts";
import { ReviewPublish, Settlements, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { exchangesOf } from "./exchanges.ts";

const ASKED = /"get(?:My)?Reviews"/;
const DAY_MS = 86_400_000n;
/** States in which the parties of a trade may speak of each other. Source: protocol 02 H row 2. */
const OVER: readonly string[] = ["Approved", "Completed"];

interface Shown {
  readonly about: string;
  readonly rating: number;
  readonly comment: string;
  readonly created_on: number;
}

/** The same as the two whom it concerns are shown it. */
interface Own {
  readonly settlement: string;
  readonly author: string;
  readonly about: string;
}

/** Nobody but the other party of a settled trade is read about somebody. */
export function reviewsAreOfParties({ violate, profile }: CheckContext): Checker {
  return {
    name: "reviews-are-of-parties",
    onStep({ node, input, effects, view }) {
      if (profile.parity || input.type !== "rpc.called" || !ASKED.test(input.body)) return;
      const reply = effects.find((effect) => effect.type === "rpc.reply");
      if (reply?.type !== "rpc.reply" || reply.body === null) return;
      for (const { method, result } of exchangesOf(input.body, reply.body)) {
        if (!Array.isArray(result)) continue;
        if (method === "getMyReviews")
          for (const { settlement, author, about } of result as readonly Own[])
            if (!isParty(view, settlement, author, about))
              violate(`node ${node} shows a review by ${author} about ${about} of ${settlement}, which is not theirs`);
        if (method !== "getReviews") continue;
        for (const shown of result as readonly Shown[])
          if (!mayBeShown(view, shown)) violate(`node ${node} shows a review about ${shown.about} of no settled trade`);
      }
    },
  };
}

/** Whether one of the statements that may be meant is a party's; what is not folded yet is not judged. */
function mayBeShown(view: Reader, shown: Shown): boolean {
  const meant = statementsMeant(view, shown);
  return meant.length === 0 || meant.some(({ settlement, author }) => isParty(view, settlement, author, shown.about));
}

function statementsMeant(view: Reader, { rating, comment, created_on }: Shown): readonly ReviewPublish[] {
  const meant: ReviewPublish[] = [];
  for (const key of view.keys(Statements)) {
    const statement = view.get(Statements, key);
    if (statement?.type.name !== ReviewPublish.name) continue;
    const payload = statement.payload as unknown as ReviewPublish;
    const day = payload.created_at - (payload.created_at % DAY_MS);
    if (Number(payload.rating) === rating && payload.comment === comment && Number(day) === created_on)
      meant.push(payload);
  }
  return meant;
}

/** A trade is named by its id, which several may have, or by its identity. */
function isParty(view: Reader, settlement: string, author: string, about: string): boolean {
  const keys = view.get(Settlements, settlement) ? [settlement] : view.find(Settlements, "id", settlement);
  const rows = keys.flatMap((key) => view.get(Settlements, key) ?? []);
  return (
    rows.length === 0 ||
    rows.some(({ state, buyer, seller }) => {
      const [one, other] = [author, about];
      const areBoth = (buyer === one && seller === other) || (buyer === other && seller === one);
      return areBoth && one !== other && OVER.includes(state);
    })
  );
}
