// Goal: an action is data that says what it means, or is refused in one line; and whoever acts on it is one row.
// Method: one sample of every kind, which the compiler demands, as the text of a file and back; a table of refusals.
import { assert, describe, expect, test } from "vitest";
import { scenarios } from "../../scenarios/index.ts";
import type { Action, ActionDataKind, ActionOf } from "../../sim/action-kinds.ts";
import { ActionData, actionTitle } from "../../sim/action-kinds.ts";
import * as actions from "../../sim/actions/index.ts";
import { Asset, mintOf } from "../../sim/actions/trade-terms.ts";
import { checkedText } from "../../sim/data/plain.ts";
import { runScenario } from "../../sim/run.ts";
import type { ScenarioPlan } from "../../sim/scenario.ts";
import { defineScenario } from "../../sim/scenario.ts";
import { post, toyBackends } from "./toy-world.ts";

const when = { at: 1_000, via: 2 };
const offer: actions.Offer = {
  ...{ id: "usdc-for-eur", merchant: "mara", direction: "Sell", asset: "USDC", fiatCurrency: "EUR", priceCents: 92n },
  ...{ minTrade: 1n, maxTrade: 500n, liquidity: 18_446_744_073_709_551_615n },
};
const floating = {
  id: "usdc-for-kes",
  merchant: "mara",
  asset: "USDC",
  fiatCurrency: "KES",
  premiumBps: -150,
} as const;
const trade: actions.TradeTerms = {
  ...{ offer, reservation: 2001n, settlement: "settlement-2001", buyer: "tobi", seller: "uma" },
  ...{ amount: 50n, offChain: true },
};
const terms: actions.CaseTerms = { id: "dispute-2001", trade, reason: "", commitSecs: 60n, revealSecs: 90n };
const juror: actions.Juror = { name: "ada", vote: "Invalid", chainVote: "MutualSettlement", copies: "ben", stake: 7n };
const subject = actions.record("getDispute", "dispute-2001");
const wanted: actions.Wanted = {
  ...{ resolution: null, reveals: 1, flagged: false, revealed_votes: ["BuyerWins", "Invalid"] },
  onchain_execution_signature: { matches: "signature" },
  ...{ slot: { matches: "range", least: 1, most: 1_000, orNone: true }, commitments: { matches: "length", length: 3 } },
};
const pair = { base: "USDC", quote: "EUR" };
const publication = actions.publications()[0] as actions.Publication;
const statusSets = actions
  .publications()
  .filter(({ type }) => type.name === "AdvertisementStatusSet")
  .flatMap(actions.choicesOf);
const [chosen = publication] = statusSets;
const [impatient] = actions.waitWithChallenges("mallory", when);
if (impatient === undefined) throw new Error("some read is opened by a proof");

const samples: { readonly [K in ActionDataKind]: ActionOf<K> } = {
  advertise: actions.advertise(offer, when),
  "advertise-floating": actions.advertiseFloating(floating, when),
  reserve: actions.reserve(trade, when),
  initiate: actions.initiate(trade, when),
  "publish-funded": actions.publishFunded(trade, when),
  pay: actions.pay(trade, when),
  approve: actions.approve(trade, when),
  "see-settlement": actions.seeSettlement(trade, "tobi", "Completed", when),
  "provide-liquidity": actions.provideLiquidity(offer, when),
  "fund-escrow": actions.fundEscrow(trade, when),
  release: actions.release(trade, when),
  "cancel-reservation": actions.cancelReservation(trade, when),
  "cancel-settlement": actions.cancelSettlement(trade, "mara", when),
  "reverse-payment": actions.reversePayment(trade, when),
  reject: actions.reject(trade, when),
  agree: actions.agree(terms, "mara", when),
  contest: actions.contest(terms, "eve", when),
  "open-dispute": actions.openDispute(terms, when),
  join: actions.join(terms, juror, when),
  commit: actions.commit(terms, juror, when),
  reveal: actions.reveal(terms, juror, when),
  "open-case": actions.openCase(terms, when),
  "commit-on-chain": actions.commitOnChain(terms, juror, when, 1),
  "reveal-on-chain": actions.revealOnChain(terms, juror, when),
  execute: actions.execute(terms, when, {
    ...{ by: "mara", round: 1, early: true },
    tag: { of: "dispute", id: "d", caseOf: 2001n },
  }),
  stake: actions.stake("ada", 7n, when, "OracleProvider"),
  "request-unstake": actions.requestUnstake("ada", 7n, when),
  "withdraw-unstaked": actions.withdrawUnstaked("ada", when, "ben"),
  "slash-dissenting-arbitrator": actions.slashDissentingArbitrator("eve", terms, "ada", when),
  "execute-through-many": actions.executeThroughMany(terms, when, { vias: [0, 1], times: 3 }),
  "send-tagged": actions.sendTagged("nick", when, { of: "settlement", id: "settlement-2001" }, [
    { kind: "create-vault", asset: "tUSDC" },
    { kind: "deposit", asset: "tUSDC", amount: 5n },
    { kind: "set-aside", asset: "tUSDC", amount: 5n },
  ]),
  "comes-to-show": actions.comesToShow("eve", subject, wanted, { ...when, after: "a", within: 7, news: "b" }),
  "keeps-showing": actions.keepsShowing("eve", subject, wanted, { ...when, after: "a", forMs: 9 }),
  "watch-dispute": actions.watchDispute(terms, "eve", { decided: "MerchantWins" }, when),
  "compare-disputes": actions.comparesDisputes("tobi", [0, 2], when, wanted),
  ask: actions.ask("eve", "getExchangeRate", { at: 5, params: { ...pair, more: [1, { of: null }], fine: true } }),
  upload: actions.upload("eve", 3, when),
  "register-oracle": actions.registerOracle("ora", when),
  "publish-rate": actions.publishRate("ora", { ...pair, id: "r", rate: 1e-7, version: 3n, lifetime: 40 }, when),
  "withdraw-oracle": actions.withdrawOracle("ora", when),
  "ask-rates": actions.askRates("eve", pair, when),
  "announce-file": actions.announceFile("pia", 9_007_199_254_740_993n, "http://10.0.0.0/x", when),
  "ask-files": actions.askFiles("eve", when),
  "establish-session": actions.establishSession(
    "ann",
    { session: "s", client: "phone", host: 1, lastsMs: 60_000 },
    when,
  ),
  "renew-session": actions.renewSession("ann", "s", { version: 2n, lastsMs: 5 }, when),
  "migrate-session": actions.migrateSession("ann", "s", { version: 3n, host: 2 }, when),
  "revoke-session": actions.revokeSession("ann", "s", when),
  propose: actions.propose("ann", "p", "Lower the fee", when),
  "vote-on": actions.voteOn("bob", "p", "Abstain", when),
  "withdraw-proposal": actions.withdrawProposal("ann", "p", when),
  publish: actions.publish("eve", chosen, when, 2),
  impersonate: impatient,
  "prove-again": actions.proveAgain("mallory", { ...when, rounds: 3, every: 500 }),
  "probe-public-reads": actions.probePublicReads("spy", { ...when, calls: 200 }),
  "read-own": actions.readOwn("eve", when),
};

/** Integers of any size as a file has them, so that no digit is lost. */
function textOf(value: unknown): string {
  const marked = JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `#${inner}#` : inner));
  return marked.replaceAll(/"#(\d+)#"/g, "$1");
}

/** What the text of a file means. */
function read(text: string): unknown {
  const found = checkedText(ActionData, text, "action");
  return found.ok ? found.value : found.error;
}

function idle(...declared: readonly Action[]): ScenarioPlan {
  return { name: "idle", description: "What is refused.", source: "DESIGN", nodes: 3, actions: declared };
}

describe("an action as data", () => {
  test.each(Object.entries(samples))("%s is whole after the way through the text of a file", (kind, sample) => {
    assert.equal(sample.kind, kind);
    assert.deepEqual(read(textOf(sample)), sample);
    assert.doesNotThrow(() => defineScenario(idle(sample)));
    assert.match(actionTitle(sample), /^[a-z]/);
  });

  test("every action of every scenario is data, and whole after that way", () => {
    for (const { name, actions: all } of scenarios) {
      for (const action of all) {
        assert.notEqual(action.kind, "code", name);
        assert.deepEqual(read(textOf(action)), action);
      }
    }
  });

  test("what is left out has the value that most want", () => {
    const { case: of, actor, at, kind } = samples.execute;
    assert.deepEqual(read(textOf({ kind, actor, at, case: of })), {
      kind,
      actor,
      at,
      case: of,
      round: 0,
      early: false,
    });
  });

  test("every asset has a mint", () => {
    const { shape } = Asset;
    assert.equal(shape.type, "enumeration");
    if (shape.type === "enumeration") for (const name of shape.names) mintOf(name as Asset);
  });
});

describe("refused in one line that names the member", () => {
  const bad = (action: unknown) => idle(post("ann", "hi", 1, 0), action as Action);
  const { reserve, join, execute } = samples;
  const shows = samples["comes-to-show"];
  const rows: readonly (readonly [string, ScenarioPlan, RegExp])[] = [
    [
      "no kind at all",
      bad({ ...reserve, kind: "haggle" }),
      /^idle: actions\[1\]: expected an object whose kind is one of advertise, .*, not "haggle"$/,
    ],
    [
      "a misspelt member",
      bad({ ...reserve, tade: 1 }),
      /^idle: actions\[1\]: there is no member tade; members are kind, actor, at, via, trade$/,
    ],
    [
      "a missing member",
      bad({ ...reserve, trade: undefined }),
      /^idle: actions\[1\]: trade is missing; members are kind, actor, at, via, trade$/,
    ],
    ["nobody", bad({ ...reserve, actor: "" }), /^idle: actions\[1\]\.actor: expected a name, not ""$/],
    [
      "a time before the start",
      bad({ ...reserve, at: -1 }),
      /^idle: actions\[1\]\.at: expected milliseconds .*, not -1$/,
    ],
    [
      "a node that does not exist",
      bad({ ...reserve, via: 3 }),
      /^idle: actions\[1\]\.via: there is no node 3; nodes are 0 to 2$/,
    ],
    [
      "a node among several",
      bad({ ...samples["execute-through-many"], vias: [0, 7] }),
      /^idle: actions\[1\]: there is no node 7; nodes are 0 to 2$/,
    ],
    [
      "a node that does not exist, to compare",
      bad({ ...samples["compare-disputes"], nodes: [5] }),
      /actions\[1\]: there is no node 5/,
    ],
    [
      "an asset that nobody trades",
      bad({ ...reserve, trade: { ...trade, offer: { ...offer, asset: "GOLD" } } }),
      /^idle: actions\[1\]\.trade\.offer\.asset: expected one of wSOL, USDC, USDT, tUSDC, not "GOLD"$/,
    ],
    [
      "half a base unit",
      bad({ ...reserve, trade: { ...trade, amount: 0.5 } }),
      /^idle: actions\[1\]\.trade\.amount: expected an unsigned 64-bit integer, not 0\.5$/,
    ],
    [
      "a member of an offer that there is not",
      bad({ ...reserve, trade: { ...trade, offer: { ...offer, price: 1 } } }),
      /^idle: actions\[1\]\.trade\.offer: there is no member price; members are id, merchant, /,
    ],
    [
      "a vote that nobody can give",
      bad({ ...join, juror: { ...juror, vote: "Both" } }),
      /^idle: actions\[1\]\.juror\.vote: expected one of BuyerWins, MerchantWins, Invalid, not "Both"$/,
    ],
    [
      "another's vote",
      bad({ ...join, actor: "ben" }),
      /^idle: actions\[1\]: the vote is that of ada, and the actor is ben$/,
    ],
    ["another's vote, committed", bad({ ...samples.commit, actor: "ben" }), /actions\[1\]: the vote is that of ada/],
    ["another's vote, revealed", bad({ ...samples.reveal, actor: "ben" }), /actions\[1\]: the vote is that of ada/],
    [
      "another's vote on chain",
      bad({ ...samples["commit-on-chain"], actor: "ben" }),
      /actions\[1\]: the vote is that of ada/,
    ],
    [
      "another's vote, revealed on chain",
      bad({ ...samples["reveal-on-chain"], actor: "ben" }),
      /actions\[1\]: the vote is that of ada/,
    ],
    [
      "a tag of nothing",
      bad({ ...execute, tag: { of: "trade", id: "x" } }),
      /^idle: actions\[1\]\.tag: expected an object whose of is one of dispute, settlement, not "trade"$/,
    ],
    [
      "a transaction of nothing",
      bad({ ...samples["send-tagged"], steps: [] }),
      /^idle: actions\[1\]: a transaction needs a step$/,
    ],
    [
      "a write where a read belongs",
      bad({ ...samples.ask, method: "sendTransaction" }),
      /^idle: actions\[1\]\.method: expected a read such as getDispute, not "sendTransaction"$/,
    ],
    [
      "a function where a value belongs",
      bad({ ...shows, wanted: { status: () => true } }),
      /^idle: actions\[1\]\.wanted\.status: a scenario holds no function$/,
    ],
    [
      "bytes where a value belongs",
      bad({ ...shows, wanted: { status: new Uint8Array(2) } }),
      /^idle: actions\[1\]\.wanted\.status: a scenario holds no Uint8Array$/,
    ],
    [
      "a likeness that there is not",
      bad({ ...shows, wanted: { status: { matches: "hash" } } }),
      /^idle: actions\[1\]\.wanted\.status: expected an object whose matches is one of signature, range, length, not "hash"$/,
    ],
    [
      "a misspelt bound",
      bad({ ...shows, wanted: { slot: { matches: "range", leest: 1 } } }),
      /^idle: actions\[1\]\.wanted\.slot: there is no member leest; members are matches, least, most, orNone$/,
    ],
    [
      "an infinite parameter",
      bad({ ...samples.ask, params: { base: Number.POSITIVE_INFINITY } }),
      /^idle: actions\[1\]\.params\.base: expected a number that is finite, not Infinity$/,
    ],
    ["parameters that are none", bad({ ...samples.ask, params: 7 }), /^idle: actions\[1\]\.params: expected an object/],
    [
      "a statement that no method takes",
      bad({ ...samples.publish, type: "Gossip" }),
      new RegExp(`^idle: actions\\[1\\]: ${chosen.method} takes no Gossip$`),
    ],
    [
      "a word that a statement does not let people choose",
      bad({ ...actions.publish("eve", chosen, when, 2), choice: "Sold" }),
      /^idle: actions\[1\]: AdvertisementStatusSet has no Sold to choose$/,
    ],
    [
      "no try at all",
      bad({ ...samples.publish, tries: 0 }),
      /^idle: actions\[1\]\.tries: expected an integer from 1 to 4, not 0$/,
    ],
    [
      "a read that no proof opens",
      bad({ ...samples.impersonate, reads: ["getDispute"] }),
      /^idle: actions\[1\]: no proof opens getDispute$/,
    ],
    [
      "code that begins between two milliseconds",
      idle({ ...post("ann", "hi", 1, 0), at: 1.5 }),
      /^idle: actions\[0\]\.at: 1\.5 is no whole millisecond$/,
    ],
  ];
  test.each(rows)("%s", (_, plan, expected) => {
    assert.throws(() => defineScenario(plan), expected);
  });

  test("also what was laid over a scenario afterwards", async () => {
    const spread = { ...defineScenario(idle()), actions: [{ ...samples.reserve, tade: 1 }] };
    const refused = await runScenario(spread, { seed: 1n }, toyBackends()).catch(String);
    expect(refused).toMatch(/idle: actions\[0\]: there is no member tade/);
  });
});
