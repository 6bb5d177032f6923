/**
 * Goal: the date is looked at right after the signature: of what is wrong besides, a payload too old or too new is
 * told nothing (protocol 01 §13.1).
 * Method: one trade at every stage; random payloads of every dated send, well signed by anybody and dated out of
 * bounds, are refused for their date, or as they are without their signature: by a check that comes before it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { person } from "../rpc/lone-node.ts";
import { answerTo, arbAttempt, everybody, labelsOf, openWorlds, takenTypes, worldNames } from "./sends-about-trades.ts";

/** Sends with checks of their own between signature and date. Source: protocol 02 C.4 rows 4 to 6. */
const LATER = ["sendReservationRequest"];
const dated = takenTypes.filter(({ method, type }) => type.dated && !LATER.includes(method));

/** What has to be in one case of the sample at least. */
const SOMEWHERE = 0.001;
const sends = Object.fromEntries(dated.map(({ method }) => [method, SOMEWHERE]));

test("what is dated out of bounds is refused for its date, or before its signature", () => {
  const open = openWorlds();
  forAll(
    [fc.constantFrom(...worldNames), arbAttempt(dated, 86_400_001n, -300_001n), fc.constantFrom(...everybody)],
    (stage, attempt, named) => {
      const node = open[stage] as LoneNode;
      const answer = answerTo(node, attempt, { named });
      const isDate = answer.includes(attempt.ageMs > 0n ? `"date-behind"` : `"date-ahead"`);
      if (!isDate) expect(answer).toBe(answerTo(node, attempt, { named, by: person(0x77) }));
      return [isDate ? "date" : "before", ...labelsOf(attempt, answer)];
    },
    { runs: 150, sample: 600, shares: { ...sends, date: 0.4, before: SOMEWHERE } },
  );
});
