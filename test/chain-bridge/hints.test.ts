// Goal: a tag is a hint of what to watch: ids may hold colons, and an address in it must be the expected case
// (protocol 03 A.10.3 R2). Method: tables over a step that watches nothing yet; planted bugs.

import { describe, expect, test } from "vitest";
import { hintsOf } from "../../core/domains/chain-bridge/hints.ts";
import { Watches } from "../../core/domains/chain-bridge/tables.ts";
import { watchHinted } from "../../core/domains/chain-bridge/watches.ts";
import { marketplace } from "../../core/domains.ts";
import { stepContextOf } from "../../core/engine/step-context.ts";
import { devnetNetwork } from "../../core/index.ts";
import { draftOf } from "../../core/kernel/draft.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { crypto, gossipOnly } from "../rpc/lone-node.ts";
import { at, caseNode, T } from "./case-node.ts";

const CASE = at.disputeCase(42n).address;
const OTHER = at.disputeCase(43n).address;
const dispute = (id: string, address: string | null = null) => ({ about: "dispute", id, address });

describe("a tag", () => {
  test.each([
    ["dispute:d-1", [dispute("d-1")]],
    [`dispute:d-1:${CASE}`, [dispute(`d-1:${CASE}`), dispute("d-1", CASE)]],
    [`dispute:a:b:${CASE}`, [dispute(`a:b:${CASE}`), dispute("a:b", CASE)]],
    ["dispute:a:b", [dispute("a:b")]],
    ["settlement:s:1", [{ about: "settlement", id: "s:1", address: null }]],
    ["disputes:d-1", []],
    ["nothing", []],
    ["", []],
  ])("%s", (tag, hints) => expect(hintsOf(tag)).toEqual(hints));

  test("with a colon in the id is misread by whoever splits at the first", async () => {
    const bug = {
      file: "core/domains/chain-bridge/hints.ts",
      find: 'rest.lastIndexOf(":")',
      replace: 'rest.indexOf(":")',
    };
    const found = await withPlantedBug(bug, async (load) =>
      (await load<{ hintsOf: typeof hintsOf }>("core/domains/chain-bridge/hints.ts")).hintsOf(`dispute:a:b:${CASE}`),
    );
    expect(found).not.toEqual(hintsOf(`dispute:a:b:${CASE}`));
  });
});

function restOfContext(): Parameters<typeof stepContextOf>[1] {
  const configuration = { ...gossipOnly(devnetNetwork), chain: "RpcConnected" as const };
  return {
    now: T,
    number: 0,
    bootSeed: new Uint8Array(32),
    identities: {} as never,
    crypto,
    configuration,
    registry: marketplace,
  };
}

/** Whether a tag makes a step watch the escrow of dispute d-1 that it does not watch yet. */
function watches(tag: string): boolean {
  const node = caseNode();
  const base = draftOf(node.view);
  base.put(Watches, at.tradeEscrow(42n).address, undefined);
  const context = stepContextOf(base, restOfContext());
  watchHinted(context, tag);
  return context.effects.some((effect) => effect.type === "chain.watch");
}

test.each([
  ["dispute:d-1", true],
  [`dispute:d-1:${CASE}`, true],
  [`dispute:d-1:${OTHER}`, false],
  ["dispute:d-2", false],
  ["settlement:s-1", true],
  ["settlement:d-1", false],
])("%s is followed: %s", (tag, followed) => expect(watches(tag)).toBe(followed));

test("an address that is not the expected case is followed by whoever does not compare", async () => {
  const bug = {
    file: "core/domains/chain-bridge/watches.ts",
    find: "if (hint.address !== null && hint.address !== addressesOf(context).disputeCase(number).address) continue;",
    replace: "",
  };
  const node = caseNode();
  const found = await withPlantedBug(bug, async (load) => {
    const copy = await load<{ watchHinted: typeof watchHinted }>("core/domains/chain-bridge/watches.ts");
    const base = draftOf(node.view);
    base.put(Watches, at.tradeEscrow(42n).address, undefined);
    const context = stepContextOf(base, restOfContext());
    copy.watchHinted(context, `dispute:d-1:${OTHER}`);
    return context.effects.length;
  });
  expect(found).toBe(1);
});
