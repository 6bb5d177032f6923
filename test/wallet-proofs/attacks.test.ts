/**
 * Goal: no proof opens anything but to the holder of the key, once, in time, at the node that asked, for the read that
 * was signed for, whatever read it is (protocol 03 B.5, W-12, W-13; 05 §2.3).
 * Method: every read of the method table that a proof opens is attacked in every way that the simulator's attackers
 * know; a control shows that there was something to open; bugs are planted.
 */
import { describe, expect, test } from "vitest";
import type * as CoreIndex from "../../core/index.ts";
import { otherRow, proofRows } from "../../sim/proof-rows.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { attacked, attacksOn, opened, owned, twoNodes, victim } from "./attacked.ts";

const forms = ["base64", "base58"] as const;
const nodes = twoNodes();
const cases = proofRows.flatMap((row) =>
  attacksOn(row).map((attack) => ({ method: row.method, name: attack.name, row, attack })),
);

describe("every read that a proof opens", () => {
  test("is attacked: those that open to nothing else, those that show more to a proof, and those of services", () => {
    const attackedReads = new Set(cases.map(({ method }) => method));
    for (const method of ["getMyTrades", "getNotificationDispatchesByWallet", "getProviderEarnings"])
      expect(attackedReads).toContain(method);
    for (const row of proofRows) expect(otherRow(row).domain).not.toBe(row.domain);
  });

  test("opens to its holder, and most then show the people of a trade", () => {
    const answers = forms.flatMap((form) => proofRows.map((row) => owned(row, form, nodes)));
    for (const answer of answers) expect(answer).toMatchObject({ type: "result" });
    expect(answers.filter((answer) => JSON.stringify(answer).includes(victim.peer)).length).toBeGreaterThanOrEqual(8);
  });

  test.each(cases)("$method refuses $name", ({ row, attack }) => {
    for (const form of forms)
      expect(attacked(row, attack, form, nodes), form).toMatchObject({ type: "refused", name: attack.refusal });
  });
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text
const bugs: readonly (readonly [string, PlantedBug, RegExp])[] = [
  [
    "a key that is not bound to the wallet",
    bug(" || peerOfKey(key) !== wallet.peer)", ")"),
    /^getMyTrades opens to a stolen challenge, answered with one's own key$/m,
  ],
  [
    "a challenge that is not bound to its wallet",
    {
      file: "core/domains/wallet-proofs/nonce.ts",
      find: "zero, issue.subject, zero, expiry",
      replace: "zero, zero, expiry",
    },
    /^getMyTrades opens to a stolen challenge, answered for oneself$/m,
  ],
  [
    "a nonce that is good for ever",
    bug("if (expiry < context.now) return", "if (expiry < 0n) return"),
    /^getMyTrades opens to an expired nonce$/m,
  ],
  [
    "a nonce that is good twice",
    bug(" || context.draft.get(SpentNonces, params.nonce) !== undefined)", ")"),
    /^getMyTrades opens to a used nonce$/m,
  ],
  [
    "a proof that is good for every read",
    bug(
      "utf8(`${domain}:${text}:${params.nonce}`)",
      "utf8(`${context.number % 2 ? domain : 'openfiat-my-reservations'}:${text}:${params.nonce}`)",
    ),
    /^getMy\w+ opens to a proof for another read$/m,
  ],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: source text

test.each(bugs)("%s is found", async (_, planted, finds) => {
  const found = await withPlantedBug(planted, async (load) => opened(await load<typeof CoreIndex>("core/index.ts")));
  expect(found.join("\n")).toMatch(finds);
});

function bug(find: string, replace: string): PlantedBug {
  return { file: "core/domains/wallet-proofs/queries.ts", find, replace };
}
