/**
 * Goal: nobody hides a decision. However it was executed, and whatever strangers and endpoints do, every node whose
 * endpoints are honest for the greater part ends with the chain's decision within POLLS_MAX polls of ten seconds, and
 * all of them with the roots of a node that nobody troubled, whichever way each of them read it; every other node stays
 * pending, says so, and ends likewise once it is lied to no more (protocol 03 A.10.3 R3, R4, R8, R11).
 * Method: several nodes over one served chain, each by the production adapter; random executions (memos, another
 * program's call, lookup tables), failing copies around them; endpoints that tell in part, that lie for ever, or for a
 * while; and bugs planted, each of which one story finds.
 */
import { beforeAll, expect, test } from "vitest";
import type * as RpcChain from "../../adapters/chain/rpc.ts";
import type { Core } from "../chain-bridge/case-node.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAllAsync } from "../property/for-all.ts";
import type { Story } from "./hiding-stories.ts";
import { arbStory, classes, playHiding, SHARES, untroubledRoots } from "./hiding-stories.ts";

let expected: string;
beforeAll(async () => {
  expected = await untroubledRoots();
});

test("nodes with an honest majority know the decision, others know that they do not, and all end alike", async () => {
  await forAllAsync([arbStory], async (story) => expect(await playHiding(story, expected)).toBeUndefined(), {
    ...{ runs: 2, nightly: 300, classes, shares: SHARES, endOnFailure: true },
  });
});

/** Nothing but what a bug is about. */
const plain: Story = {
  ...{ memos: 0, called: false, lookedUp: false, copies: [0, 0], troubled: [], alone: "everything" },
  eclipsed: { honest: "everything", liars: 1, lie: "knows of nothing" },
};
const bug = (file: string, find: string, replace: string): PlantedBug => ({ file, find, replace });
const reading = "core/domains/chain-bridge";
const eventsAlone = [
  bug(`${reading}/follow.ts`, "of read.unexplained) {", "of [] as typeof read.unexplained) {"),
  bug(`${reading}/looks.ts`, "if (!isClosed(context, seen.account) ||", "if (!isClosed(context, null) ||"),
];

const bugs: readonly (readonly [string, Partial<Story>, readonly PlantedBug[], RegExp])[] = [
  [
    "knows no looked-up address",
    { lookedUp: true },
    [...eventsAlone, bug(`${reading}/reading.ts`, "...(seen.loaded ?? [])]", "]")],
    /^node 0, with an honest majority, shows null$/,
  ],
  [
    "takes what is not told for nothing",
    { called: true, alone: "no metadata" },
    [
      ...eventsAlone,
      bug(
        "adapters/chain/seen-transaction.ts",
        "const invoked = logs === undefined ? undefined : invokedIn(told, keys);",
        "const invoked = invokedIn(told, keys) ?? { loaded: [], inner: [] };",
      ),
    ],
    /^node 0, with an honest majority, shows null$/,
  ],
  [
    "roots a decision by how it was read",
    { memos: 45 },
    [bug("core/domains/trade/settlements/tables.ts", 'decorations: ["transaction", "timestamp"],', "decorations: [],")],
    /^node 0, with an honest majority, has other roots$/,
  ],
  [
    "believes whoever answers",
    {},
    [
      bug(
        "adapters/chain/quorum.ts",
        "if (count > liarsOf(votes.length) && 2 * count > voices) return",
        "if (count > 0) return",
      ),
    ],
    /^a node without an honest majority decides$/,
  ],
  [
    "is silent about accounts that differ",
    { eclipsed: { honest: "no lists", liars: 1, lie: "knows of nothing" } },
    [bug("adapters/chain/account-sweep.ts", "if (held !== undefined) blame(", "if (held === null) blame(")],
    /^a node without an honest majority says nothing$/,
  ],
];

/** Polls after which what was not seen is not going to be. */
const POLLS = 40;

test.each(bugs)("a node that %s is found out", async (_, about, planted, finds) => {
  const wrong = await withPlantedBug(planted, async (load) => {
    const core = await load<Core>("core/index.ts");
    const { openRpcChain } = await load<typeof RpcChain>("adapters/chain/rpc.ts");
    return playHiding({ ...plain, ...about }, expected, { core, openPort: openRpcChain, pollsMax: POLLS });
  });
  expect(wrong).toMatch(finds);
});
