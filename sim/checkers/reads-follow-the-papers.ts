/**
 * What is read of people is what the papers make of the statements that the node holds: flags, records of oracles,
 * reviews, channels, who traded with whom, and a merchant's ways to be paid, computed by a model that shares no code
 * with the core (papers-model). Such answers are made when somebody asks and kept in no record, so nothing else sees
 * a wrong one. Source: protocol 02 H, I, J; 03 B.2; 04 §4.6; 05 §3.6.
 */
import type { Reader, RootTexts } from "../../core/index.ts";
import { Seals, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker } from "../checker.ts";
import { exchangesOf } from "./exchanges.ts";
import type { Held } from "./papers-model/held.ts";
import { heldBy } from "./papers-model/held.ts";
import { readModels } from "./papers-model/reads.ts";
import { recentlyMade } from "./recently-made.ts";

/** A node with more statements is not looked at: a look goes through all. Source: DESIGN "Simulated world". */
const STATEMENTS_LOOKED_THROUGH = 400;
/** Sets that are remembered as the model reads them. Source: DESIGN "Simulated world". */
const SETS_REMEMBERED = 8;
const ASKED = new RegExp(`"(?:${Object.keys(readModels).join("|")})"`);

/** Whoever asks about people is told what the papers say. */
export function readsFollowThePapers({ violate, profile, tables }: CheckContext): Checker {
  // The reference reads otherwise, and a network of other domains has methods of its own.
  if (profile.parity || tables !== undefined) return { name: "reads-follow-the-papers" };
  const sets = recentlyMade<Held>(SETS_REMEMBERED);
  const heldIn = (view: Reader, { statements, archive }: RootTexts) =>
    sets.of(`${statements} ${archive}`, () => heldBy(view));
  return {
    name: "reads-follow-the-papers",
    onStep({ node, input, effects, roots, view }) {
      if (input.type !== "rpc.called" || !ASKED.test(input.body)) return;
      const reply = effects.find((effect) => effect.type === "rpc.reply");
      if (reply?.type !== "rpc.reply" || reply.body === null) return;
      // Records that are sealed rest on statements that are gone: the model cannot tell.
      if (view.size(Seals) > 0 || view.size(Statements) > STATEMENTS_LOOKED_THROUGH) return;
      const asked = { held: heldIn(view, roots), view, now: input.now };
      for (const exchange of exchangesOf(input.body, reply.body)) {
        const compared = exchange.result === undefined ? undefined : readModels[exchange.method]?.(asked, exchange);
        if (compared === undefined || compared[0] === compared[1]) continue;
        violate(`node ${node}: ${exchange.method} shows "${compared[0]}", the papers say "${compared[1]}"`);
      }
    },
  };
}
