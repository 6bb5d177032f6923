// Goal: what one node takes over RPC, every peer takes by gossip (DESIGN L6, L2): a statement that only one node would
// hold keeps it apart for good. Method: wild payloads of every type, and words of random stories, really signed, sent
// to one node over RPC; what it keeps is found again at another once they are linked.
import fc from "fast-check";
import { assert, test } from "vitest";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { methods } from "../../core/methods.ts";
import { Statements } from "../../core/statements/table.ts";
import { arbPayload, memberRead } from "../../sim/arbitraries/signed.ts";
import type { End } from "../gossip/two-nodes.ts";
import { linkedNodes } from "../gossip/two-nodes.ts";
import type { Person } from "../rpc/lone-node.ts";
import { signedData } from "../rpc/lone-node.ts";
import { at } from "./actors.ts";
import { cases, countCases } from "./cases.ts";
import { everyone } from "./story.ts";
import { storyText } from "./story-text.ts";
import { arbDomains, arbIntents, storyOf } from "./workload.ts";

const tried = countCases();
/** When the nodes live: after every story, within what every door takes. */
const NOW = at(180);
/** The method that takes each type. */
const sends: ReadonlyMap<string, string> = new Map(
  Object.entries(methods).flatMap(([name, { mutation }]) =>
    (mutation?.signed ?? []).map((type) => [type.name, name] as const),
  ),
);

function send(end: End, type: SignedType, payload: unknown, by: Person): void {
  end.call(sends.get(type.name) ?? "", { data: signedData(type, payload as RecordOf<Fields>, by) });
}

/** What the first end holds and the second does not, once they are linked. */
function keptApart({ ends, connect }: ReturnType<typeof linkedNodes>): readonly Statement[] {
  connect();
  const [one, other] = [ends[0].driver.view, ends[1].driver.view];
  return [...one.keys(Statements)].flatMap((key) => {
    const statement = one.get(Statements, key);
    return statement === undefined || other.get(Statements, key) !== undefined ? [] : [statement];
  });
}

test("wild payloads of every type", () => {
  const taken = new Set<string>();
  for (const row of Object.values(methods)) {
    for (const type of row.mutation?.signed ?? []) {
      const by = everyone[0] as Person & (typeof everyone)[0];
      const arb = arbPayload(type, { secretKey: by.secret, publicKey: by.key, peer: by.peer });
      fc.assert(
        fc.property(fc.array(arb, { minLength: 1, maxLength: 12 }), (payloads) => {
          tried("wild payloads");
          const link = linkedNodes(undefined, { now: NOW });
          for (const payload of payloads) {
            const time = memberRead(payload, type.timeOf as never) ?? "";
            send(link.ends[0], type, { ...payload, [time]: NOW as EpochMillis }, by);
          }
          if (link.ends[0].driver.view.size(Statements) > 1) taken.add(type.name);
          assert.deepEqual(
            keptApart(link).map(({ payload }) => payload),
            [],
          );
        }),
        { numRuns: cases(4, 300) },
      );
    }
  }
  assert.isAtLeast(taken.size, 3, [...taken].join(", "));
}, 600_000);

test("words of random stories", () => {
  const taken = new Set<string>();
  fc.assert(
    fc.property(arbDomains(), arbIntents(10, 60), (about, intents) => {
      tried("stories");
      const link = linkedNodes(undefined, { now: NOW });
      const { heard } = storyOf(intents, about);
      for (const each of heard) {
        if (each.type !== "said") continue;
        const { type, payload, signer, identity } = each.statement;
        const by = everyone.find(({ peer }) => peer === signer);
        if (by === undefined || !sends.has(type.name)) continue;
        send(link.ends[0], type, payload, by as Person);
        if (link.ends[0].driver.view.get(Statements, identity) !== undefined) taken.add(type.name);
      }
      const apart = keptApart(link).map((statement) => ({ type: "said" as const, statement }));
      if (apart.length > 0) assert.fail(`kept by one node alone:\n${storyText(apart)}`);
      assert.deepEqual(link.ends[0].driver.roots(), link.ends[1].driver.roots());
    }),
    { numRuns: cases(15, 1_000) },
  );
  assert.isAtLeast(taken.size, 15, [...taken].join(", "));
}, 600_000);
