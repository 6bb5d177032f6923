/**
 * Goal: no order of arrival, batch, repeat or restart changes a record, a root, or what a settlement shows.
 * Method: random attachments of parties and strangers under contested ids and names, heard in random orders.
 * Source: DESIGN L2.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { attachmentsOfSettlement } from "../../core/domains/content/attachments/queries.ts";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { Settlements } from "../../core/domains/trade/settlements/tables.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at, merchant, nameOf, sign, stranger, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import type { Replica } from "../convergence/replica.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { statementLabels } from "../convergence/statement-labels.ts";
import { forAll } from "../property/for-all.ts";
import { cidOf, png } from "../rpc/node-with-settlement.ts";

const first = fixtures.initiate(taker, merchant, at(2));
const rival = fixtures.initiate(taker, merchant, at(2), { amount: 9 });
const opening: readonly Statement[] = [
  fixtures.advertisement(merchant, at(0)),
  fixtures.request(taker, at(1)),
  first,
  rival,
];

const arbAttachment = fc
  .record({
    by: fc.constantFrom(taker, merchant, stranger),
    id: fc.constantFrom("a", "b", ""),
    name: fc.constantFrom("s", "nobody", nameOf(first), nameOf(rival)),
    file: fc.constantFrom("x", "y"),
    size_bytes: fc.constantFrom(0n, 1n, 10n),
    minute: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ by, id, name, file, size_bytes, minute }) =>
    sign(AttachmentPublish, {
      id,
      subject: { Settlement: name },
      author: by.peer,
      author_public_key: by.key,
      cid: cidOf(png(file)),
      media_type: "Png",
      size_bytes,
      caption: "",
      created_at: at(minute),
    }),
  );

function shownText(replica: Replica): string {
  const store = replica.store();
  const lines = [...store.keys(Settlements)].map((key) => {
    return `${key} ${attachmentsOfSettlement(store, key as never).map(({ identity }) => identity)}`;
  });
  return lines.sort((a, b) => (a < b ? -1 : 1)).join("\n");
}

test("every order gives the same records, roots and reads", () => {
  const holds = (attachments: readonly Statement[], order: number) => {
    const all = [...opening, ...attachments];
    const whole = replicaOf(received(...all));
    const { shuffled, parts, some, below } = shuffleOf(order);
    const replica = openReplica();
    for (const batch of parts(shuffled([...all, ...some(all)]))) {
      replica.receive(received(...batch));
      if (below(3) === 0) replica.restart();
    }
    expect(rootsOf(replica)).toBe(rootsOf(whole));
    expect(shownText(replica)).toBe(shownText(whole));
  };
  forAll([fc.array(arbAttachment, { maxLength: 14 }), fc.nat()], holds, {
    runs: 200,
    classes: (attachments) => [...statementLabels(attachments), ...strangers(attachments)],
    shares: {
      "one id twice by one signer": 0.5,
      "one id by two signers": 0.5,
      "by a stranger": 0.7,
      repeated: 0.02,
      "equal dates": 0.2,
    },
  });
});

function strangers(attachments: readonly Statement[]): readonly string[] {
  return attachments.some(({ signer }) => signer === stranger.peer) ? ["by a stranger"] : [];
}
