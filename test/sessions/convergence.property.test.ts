// Goal: equal sets of session statements give equal records and roots on every node (DESIGN L2).
// Method: random statements by two wallets and a stranger on few ids, versions and dates, contested ids, wrong
// signers and names by identity among them; any order, batches, repeats and restarts against the set at once.

import fc from "fast-check";
import { assert, test } from "vitest";
import type { Statement } from "../../core/kernel/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, nameOf, rival, stranger, taker } from "../convergence/actors.ts";
import { divergence } from "../convergence/convergence-law.ts";
import { received } from "../convergence/replica.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import { establish, migrate, renew, revoke } from "./fixtures.ts";

const arbActor = fc.constantFrom<Actor>(taker, rival, stranger);
const arbAt = fc.integer({ min: 0, max: 12 }).map((tens) => at(tens * 10));
const arbVersion = fc.bigInt({ min: 0n, max: 4n });
const arbId = fc.constantFrom("one", "two");
const arbCreate = fc
  .record({ by: arbActor, date: arbAt, id: arbId, until: arbAt, host: arbActor })
  .map(({ by, date, id, until, host }) => establish(by, date, { id, until, host }));

function arbStory(): fc.Arbitrary<readonly Statement[]> {
  return fc.array(arbCreate, { minLength: 1, maxLength: 4 }).chain((creates) => {
    const names = [...new Set(["one", "two", ...creates.map(nameOf)])];
    const arbName = fc.constantFrom(...names);
    const arbAct = fc.oneof(
      fc.tuple(arbActor, arbAt, arbVersion, arbAt, arbName).map((args) => renew(...args) as Statement),
      fc.tuple(arbActor, arbAt, arbVersion, arbActor, arbName).map((args) => migrate(...args) as Statement),
      fc.tuple(arbActor, arbAt, arbName).map((args) => revoke(...args) as Statement),
    );
    return fc.array(arbAct, { maxLength: 14 }).map((acts) => [...creates, ...acts]);
  });
}

test("no order, batch, repeat or restart changes what sessions read", () => {
  const holds = (statements: readonly Statement[], schedule: number) => {
    const problem = divergence(received(...statements), schedule);
    if (problem !== undefined) assert.fail(problem);
  };
  forAll([arbStory(), fc.nat()], holds, {
    runs: 150,
    classes: (statements) => statementLabels(statements),
    shares: {
      "more than ten": 0.3,
      "one id by two signers": 0.4,
      "named by content": 0.4,
      SessionRenew: 0.6,
      SessionMigrate: 0.6,
      SessionRevoke: 0.6,
    },
  });
});
