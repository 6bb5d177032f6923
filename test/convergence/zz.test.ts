import { test } from "vitest";
import { storyOf } from "./workload.ts";
import { openReplica } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";
import { ChainFacts, Settlements } from "../../core/settlements/tables.ts";
test("x", () => {
  const heard = storyOf([[7869,5466,8,1,0],[8477,0,0,1,0],[0,0,0,0,0]]).heard;
  const random = shuffleOf(0);
  const parts = random.parts(random.shuffled(heard));
  const other = openReplica();
  const known: any[] = [];
  const n = (h: any) => heard.indexOf(h);
  for (const part of parts) {
    known.push(...part);
    const one = random.shuffled(part);
    const batch = [...random.shuffled(part), ...random.some(known)];
    other.hear(batch);
    console.log("batch", batch.map(n).join(), "facts", [...other.store().keys(ChainFacts)].length, other.store().find(ChainFacts, "reservation", "2886899198840148370").length, [...other.store().keys(Settlements)].map((k) => other.store().get(Settlements, k)?.state));
    if (random.below(4) === 0) {
      other.restart();
      console.log("restart", [...other.store().keys(ChainFacts)].length, [...other.store().keys(Settlements)].map((k) => other.store().get(Settlements, k)?.state));
    }
  }
});
