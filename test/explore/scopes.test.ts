// Goal: walks find what they are there for, meet the same states with and without reduction, and what they write down
// can be played again. Method: each scope is walked without its faults or up to a bound; a bug is planted for each.
import { describe, expect, test } from "vitest";
import type * as Usual from "../../sim/backends.ts";
import { openBackends } from "../../sim/backends.ts";
import type * as Explore from "../../sim/explore/explore.ts";
import { explore, openScope } from "../../sim/explore/explore.ts";
import type { FaultBudget, Scope } from "../../sim/explore/scope.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import type * as Walks from "../../sim/explore/walk-file.ts";
import { replayWalk, walkOf } from "../../sim/explore/walk-file.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";

const within = (states: number, reduced = true) => ({ states, seconds: 1, reduced, elapsed: () => 0 });
const scopeOf = (name: string, faults: FaultBudget = {}): Scope => {
  const scope = scopes.find((each) => each.name === name);
  if (scope === undefined) throw new RangeError(`no scope ${name}`);
  return { ...scope, faults, ticks: 0 };
};

describe("reduced and unreduced walks meet the same states", () => {
  test.each([
    ["two-takers", {}],
    ["crashes", {}],
    ["disputed-trade", { drops: 1 }],
    ["fork-before-final", {}],
    ["snapshot-join", {}],
  ] as const)("%s", async (name, faults) => {
    const scope = scopeOf(name, faults);
    const [whole, reduced] = await Promise.all(
      [false, true].map((is) => explore(scope, openBackends(), within(30_000, is))),
    );
    expect(whole).toMatchObject({ complete: true, broken: undefined });
    expect({ ...reduced, transitions: 0, opened: 0 }).toEqual({ ...whole, transitions: 0, opened: 0 });
    expect(reduced?.transitions).toBeLessThan(whole?.transitions ?? 0);
  });
});

test("a walk that meets its bound says how far it came", async () => {
  const seen = await explore(scopeOf("panel"), openBackends(), within(2_000));
  expect(seen).toMatchObject({ complete: false, broken: undefined });
  expect(seen.states).toBeGreaterThan(2_000);
  expect(seen.depth).toBeGreaterThan(1);
});

interface Row {
  readonly scope: Scope;
  readonly check: string;
  readonly bug: PlantedBug;
}

const TRADE = "core/domains/trade";
const rows: readonly Row[] = [
  {
    scope: scopeOf("two-takers"),
    check: "records-follow-the-papers",
    bug: {
      file: `${TRADE}/advertisements/ledger.ts`,
      find: "return held + allocation.units <= free ? GRANTED : CROWDED;",
      replace: "return held <= free ? GRANTED : CROWDED;",
    },
  },
  {
    scope: scopeOf("disputed-trade"),
    check: "records-follow-the-papers",
    bug: {
      file: `${TRADE}/settlements/rules.ts`,
      find: 'if (acts.opens.length > 0) return "Disputed";\n  if (everPaid && acts.approves.length > 0) return "Approved";',
      replace:
        'if (everPaid && acts.approves.length > 0) return "Approved";\n  if (acts.opens.length > 0) return "Disputed";',
    },
  },
  {
    scope: scopeOf("panel"),
    check: "no-party-sits",
    bug: {
      file: `${TRADE}/disputes/methods.ts`,
      find: '    () => refuseWhen(ruleOf(view.configuration, isPartyOfAll)(cases, candidate), "INVALID_IDENTITY_CLAIM"),\n',
      replace: "",
    },
  },
  {
    scope: scopeOf("crashes", { crashes: 1 }),
    check: "nothing-acknowledged-is-lost",
    bug: {
      file: "core/engine/driver.ts",
      find: "    flying = batch;\n    commit(batch);",
      replace:
        "    flying = batch;\n    for (const effect of batch.effects.splice(0)) perform(effect);\n    commit(batch);",
    },
  },
  {
    scope: scopeOf("spent-nonces"),
    check: "proofs-open-once",
    bug: {
      file: "core/domains/wallet-proofs/queries.ts",
      find: "  context.draft.put(SpentNonces, nonce, { expires_at: expiry as never });\n",
      replace: "",
    },
  },
  {
    scope: scopeOf("sealing-edge"),
    check: "what-is-sealed-stays",
    bug: {
      file: `${TRADE}/sealing/hours.ts`,
      find: "return (end + SEAL_AGE_MS) / SEAL_EVERY_MS + 1n;",
      replace: "return (end + SEAL_AGE_MS) / SEAL_EVERY_MS;",
    },
  },
  {
    scope: scopeOf("fork-before-final"),
    check: "facts-are-final",
    bug: {
      file: "core/domains/chain-bridge/chain-facts.ts",
      find: "if (held.final) return takeFinal(context, id, held.escrow, fact);",
      replace: "if (fact !== undefined) return takeFinal(context, id, held.escrow, fact);",
    },
  },
  {
    scope: scopeOf("fork-before-final"),
    check: "replicas-converge",
    bug: {
      file: "core/domains/chain-bridge/follow.ts",
      find: ">= held.slot) drop(context, id);",
      replace: ">= held.slot) context.draft.put(PendingFacts, id, undefined);",
    },
  },
  {
    scope: scopeOf("snapshot-join", { drops: 1 }),
    check: "files-are-taken",
    bug: {
      file: "core/domains/snapshots/search.ts",
      find: "  context.draft.put(Imports, IMPORT, undefined);\n  if (context.now > search.until) return;",
      replace: "  if (context.now > search.until) return;",
    },
  },
];

test.each(rows)("$scope.name finds a planted bug, and its way can be taken again", async ({ scope, check, bug }) => {
  const text = await withPlantedBug(bug, async (load) => {
    const planted = await load<typeof Explore>("sim/explore/explore.ts");
    const { openBackends: open } = await load<typeof Usual>("sim/backends.ts");
    const walks = await load<typeof Walks>("sim/explore/walk-file.ts");
    const { broken, opened } = await planted.explore(scope, open(), within(60_000));
    if (broken === undefined) throw new Error("the walk found nothing");
    expect(broken.check).toBe(check);
    const written = walks.walkText(scope.name, opened, broken);
    const read = walks.walkOf(written);
    if (!read.ok) throw new Error(read.error);
    expect(walks.replayWalk(read.value, await planted.openScope(scope, open()))).toMatchObject({ verdict: "same" });
    return written;
  });
  const walk = walkOf(text);
  if (!walk.ok) throw new Error(walk.error);
  expect(replayWalk(walk.value, await openScope(scope, openBackends()))).toMatchObject({ verdict: "gone" });
});
