/**
 * Limits of the simulated chain: what its programs refuse, what it keeps, and what its servers take on.
 */

import { toBase58, toBase64 } from "../../../core/kernel/text.ts";
import type { AccountLayout, ArbitrationPolicy } from "../../../core/solana/accounts.ts";
import { arbitrationPolicy, disputeCase } from "../../../core/solana/accounts.ts";
import { chainAddresses, simulatedProfile, tokenProgram } from "../../../core/solana/addresses.ts";
import { memo } from "../../../sim/chain/disguises.ts";
import type { ExecutionContext } from "../../../sim/chain/executor.ts";
import { modelExecutors, openModel } from "../../../sim/chain/executors/model.ts";
import { commitDisputeVote } from "../../../sim/chain/instructions.ts";
import type { HeldAccount } from "../../../sim/chain/model/held-account.ts";
import { contentOf } from "../../../sim/chain/model/held-account.ts";
import { openLedger } from "../../../sim/chain/model/ledger.ts";
import { decoded, encoded } from "../../../sim/chain/model/program-accounts.ts";
import { transferTokens } from "../../../sim/chain/model/programs.ts";
import { rememberedAddresses } from "../../../sim/chain/remembered-addresses.ts";
import type * as Recording from "../../../sim/chain/server/recorder.ts";
import { openExecutedFeed, openSubscriptions } from "../../../sim/chain/server/subscriptions.ts";
import { openHeads } from "../../../sim/chain/server/view.ts";
import { openSlots } from "../../../sim/chain/slots.ts";
import { tokenAccountBytes } from "../../../sim/chain/token.ts";
import { caseOf, commitment, disputedTrade, of, playRound, tradeAfter, votes } from "../../chain/program/trades.ts";
import type { World } from "../../chain/program/world.ts";
import { at, crypto, openWorld, patched, read, run, START, stakeOf, u64le, wallet } from "../../chain/program/world.ts";
import { addressOf, wireOf } from "../../sim/chain/chain-world.ts";
import { openServedTestChain, openTestChain } from "../../sim/chain/server/served-test-chain.ts";
import { broughtDown } from "../brought-down.ts";
import type { Limit, Untried } from "../limit.ts";
import { cutAt, least, most, mostOf, TAKEN_OR_LEFT } from "../limit.ts";

let opened: Promise<World> | undefined;

/** One world for all rows: every trade has people of its own. */
function world(): Promise<World> {
  opened ??= openWorld((genesis) => Promise.resolve(openModel(at, crypto, genesis)));
  return opened;
}

/** Whether instructions run. */
async function outcomeOf(result: ReturnType<typeof run>): Promise<string> {
  const { error } = await result;
  return error === null ? "ok" : "refused";
}

async function openedWith(commit: bigint, reveal: bigint): Promise<string> {
  const chain = await world();
  const trade = await tradeAfter(chain, "fund");
  return outcomeOf(run(chain, [of.open(trade, trade.buyer, commit, reveal)], trade.buyer));
}

async function timingOutAt(instant: bigint): Promise<string> {
  const chain = await world();
  const trade = await tradeAfter(chain, "reserve");
  return outcomeOf(run(chain, [of.create(trade, trade.amount, instant - chain.now)], trade.merchant));
}

/** Whether so many equal votes decide a case. */
async function decidedBy(counted: number): Promise<string> {
  const chain = await world();
  const trade = await disputedTrade(chain);
  await playRound(chain, trade, votes(...Array(counted).fill(0)));
  await run(chain, [of.execute(trade)], "stranger");
  return (await read(chain, disputeCase, caseOf(trade))).resolved ? "decided" : "open";
}

/** Whether a case in which nobody votes has an nth round. */
async function roundsOf(n: number): Promise<string> {
  const chain = await world();
  const trade = await disputedTrade(chain);
  for (let over = 1; over < n; over++) {
    chain.now += 120n;
    await run(chain, [of.execute(trade)], "stranger");
  }
  return (await read(chain, disputeCase, caseOf(trade))).resolved ? "over" : "open";
}

/** Whether an arbitrator with so much at stake may commit. */
async function committedWith(stake: bigint): Promise<string> {
  const chain = await world();
  const trade = await disputedTrade(chain);
  const judge = "arbitrator 20";
  let outcome = "";
  const instruction = commitDisputeVote(at, trade.ref.reservation, wallet(judge), commitment(trade, judge, 0));
  // The amount stands behind discriminator, owner and role.
  await patched(chain, stakeOf(judge), 41, u64le(stake), async () => {
    outcome = await outcomeOf(run(chain, [instruction], judge));
  });
  return outcome;
}

/** Whether an account can hold so many tokens after a transfer of a hundred. */
function holding(tokens: bigint): string {
  const mint = wallet("merchant 0");
  const account = (amount: bigint): HeldAccount => ({
    ...{ lamports: 1n, owner: tokenProgram, executable: false },
    content: contentOf(tokenAccountBytes({ mint, authority: wallet("buyer 0"), amount, nativeReserve: null })),
  });
  const ledger = openLedger([
    ["from", account(100n)],
    ["to", account(tokens - 100n)],
  ]);
  const meta = (address: string) => ({ address, signer: true, writable: true });
  const [from, to, authority] = [meta("from"), meta("to"), meta(wallet("buyer 0"))];
  const refusal = transferTokens(ledger, { program: tokenProgram, from, to, authority, amount: 100n });
  return refusal === undefined ? "ok" : "refused";
}

/** Whether an account's field holds a number whole. */
function fieldOf(change: Partial<ArbitrationPolicy>): string {
  const policy = { admin: wallet("admin"), eligible_arbitrators: 1, updated_at: 1n, bump: 1, ...change };
  const kind: AccountLayout<ArbitrationPolicy> = arbitrationPolicy;
  const back = decoded(kind, encoded(kind, policy));
  const [name] = Object.keys(change) as [keyof ArbitrationPolicy];
  return back?.[name] === policy[name] ? "whole" : "not whole";
}

/** Whether an address is still known after so many were asked for. */
function addressAfter(n: number): string {
  let derived = 0;
  const plain = chainAddresses(crypto, simulatedProfile);
  const { disputeCase: derive } = rememberedAddresses({
    ...plain,
    disputeCase: () => {
      derived += 1;
      return { address: "", bump: 0 };
    },
  });
  for (let number = 0; number < n; number++) derive(BigInt(number));
  derive(0n);
  return derived === n ? "remembered" : "forgotten";
}

function hashAfter(n: number): string {
  const slots = openSlots({ seed: new Uint8Array(32), sha256: (bytes) => crypto.sha256(bytes), startMs: 0n });
  const first = slots.blockhashText(0n, 0);
  for (let slot = 1; slot < n; slot++) slots.blockhashText(BigInt(slot), 0);
  return slots.blockOf(first) === undefined ? "forgotten" : "remembered";
}

/** Slot hashes that a transaction in a slot sees. */
async function hashesSeenIn(slot: number): Promise<number> {
  const seen: ExecutionContext[] = [];
  const model = modelExecutors(crypto);
  const chain = await openTestChain(async (genesis, signers) => {
    const executor = await model(genesis, signers);
    return {
      ...{ name: executor.name, replays: executor.replays, close: () => executor.close() },
      account: (address) => executor.account(address),
      putAccount: (address, account) => executor.putAccount(address, account),
      execute(wire, context) {
        seen.push(context);
        return executor.execute(wire, context);
      },
    };
  });
  const { cluster } = chain;
  await chain.advance(slot - Number(cluster.currentSlot()) - 1);
  chain.airdrop(addressOf("merchant"), 1n);
  await chain.advance(2);
  await chain.close();
  const context = seen.find((each) => each.slot === BigInt(slot));
  return context?.slotHashes.length ?? -1;
}

/** Whether balances are still told after so many transactions ran. */
const recordedAfter = broughtDown(
  {
    file: "sim/chain/server/recorder.ts",
    find: "export const RECORDED_MAX = 65_536;",
    value: 65_536,
    replace: "export const RECORDED_MAX = 3;",
    small: 3,
  },
  async (n, load) => {
    const { openRecorder } = await load<typeof Recording>("sim/chain/server/recorder.ts");
    const recorder = openRecorder(modelExecutors(crypto));
    const executor = await recorder.open([], []);
    const context = { slot: 1n, unixTimestamp: START, slotHashes: [] };
    for (let nonce = 0; nonce < n; nonce++) await executor.execute(wireOf("merchant", [], nonce), context);
    const [first = ""] = recorder.since(0).signatures;
    return recorder.balancesOf(first) === undefined ? "forgotten" : "remembered";
  },
);

/** An answer of a served chain. */
async function served(method: string, ...params: readonly unknown[]): Promise<string> {
  return servedBody(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

async function servedBody(body: string): Promise<string> {
  const { server } = await openServedTestChain(modelExecutors(crypto));
  const headers = { "content-type": "application/json" };
  const answer = await fetch(server.url, { method: "POST", headers, body });
  if (answer.status !== 200) return `${answer.status}`;
  const parsed = (await answer.json()) as { error?: { message: string } };
  return parsed.error === undefined ? "ok" : parsed.error.message;
}

const key = (n: number, bytes = 32) => toBase58(new Uint8Array(bytes).fill(n % 255));
const many = (n: number, bytes = 32) => Array.from({ length: n }, () => key(1, bytes));
const request = { jsonrpc: "2.0", id: 1, method: "getHealth" };
const bodyOf = (bytes: number) => {
  const text = JSON.stringify(request);
  return text + " ".repeat(bytes - text.length);
};
const aMemo = toBase64(wireOf("stranger", [memo("a")], 1));
const anyBlockhash = { encoding: "base64", replaceRecentBlockhash: true };
const inputs = (of: `${string}.ts ${string}`, count: number, probe: (n: number) => Promise<string>) =>
  most(`sim/chain/server/${of}`, count, probe, { within: "ok", beyond: `Too many inputs provided; max ${count}` });
const slice = (length: number) => ({ encoding: "base58", dataSlice: { offset: 0, length } });
const settings = at.feeConfig().address;

function subscribedAs(n: number): string {
  const subscriptions = openSubscriptions();
  const view = { slot: () => 1n } as never;
  let last = "";
  for (let at = 0; at < n; at++) {
    const answer = subscriptions.call(view, "slotSubscribe", []);
    last = answer.ok ? "taken" : "left";
  }
  return last;
}

/** Executed transactions that reach a level in the end, of so many that had not. */
function settledLater(n: number): number {
  const signatures = Array.from({ length: n }, (_, at) => `${at}`);
  let there = false;
  const view = {
    chain: {
      recorder: { since: (seen: number) => ({ signatures: signatures.slice(seen), count: n * Number(started) }) },
    },
    transaction: () => (there ? {} : undefined),
  };
  let started = false;
  const feed = openExecutedFeed(view as never);
  started = true;
  feed.next(view as never);
  there = true;
  return feed.next(view as never).finalized.length;
}

function headsOf(n: number): number {
  let slot = 0n;
  const branch = { slot: () => slot, latestBlockhash: () => ({ slot, blockhash: `${slot}` }) };
  const heads = openHeads(() => branch as never);
  for (; slot < BigInt(n); slot += 1n) heads.note();
  return heads.noted().length;
}

const OK_OR_REFUSED = { within: "ok", beyond: "refused" };
const REMEMBERED_OR_FORGOTTEN = { within: "remembered", beyond: "forgotten" };

const programs: readonly Limit[] = [
  least("sim/chain/model/open-dispute.ts WINDOW_SECS_MIN", 60, (n) => openedWith(BigInt(n), 100n), {
    where: "of commits",
    ...OK_OR_REFUSED,
  }),
  least("sim/chain/model/open-dispute.ts WINDOW_SECS_MIN", 60, (n) => openedWith(100n, BigInt(n)), {
    where: "of reveals",
    ...OK_OR_REFUSED,
  }),
  most("sim/chain/model/open-dispute.ts WINDOWS_SECS_MAX", 259_199, (n) => openedWith(BigInt(n - 60), 60n), {
    where: "of commits",
    ...OK_OR_REFUSED,
  }),
  most("sim/chain/model/open-dispute.ts WINDOWS_SECS_MAX", 259_199, (n) => openedWith(60n, BigInt(n - 60)), {
    where: "of reveals",
    ...OK_OR_REFUSED,
  }),
  least("sim/chain/model/tally.ts COUNTED_MIN", 3, decidedBy, { within: "decided", beyond: "open" }),
  most("sim/chain/model/tally.ts ROUNDS_MAX", 3, roundsOf, { within: "open", beyond: "over" }),
  {
    ...mostOf("sim/chain/genesis.ts ARBITRATOR_STAKE_MIN", 100_000_000_000n, committedWith, OK_OR_REFUSED),
    kind: "least",
  },
  mostOf("sim/chain/model/call.ts I64_MAX", (1n << 63n) - 1n, timingOutAt, OK_OR_REFUSED),
  mostOf("sim/chain/model/call.ts U64_MAX", (1n << 64n) - 1n, holding, OK_OR_REFUSED),
  most("sim/chain/model/program-accounts.ts PLAIN_NUMBER_MAX", 255, (bump) => fieldOf({ bump }), {
    within: "whole",
    beyond: "not whole",
  }),
  mostOf(
    "sim/chain/model/program-accounts.ts PLAIN_BIGINT_MAX",
    (1n << 63n) - 1n,
    (updated_at) => fieldOf({ updated_at }),
    {
      within: "whole",
      beyond: "not whole",
    },
  ),
];

const servers: readonly Limit[] = [
  most("sim/chain/server/json-rpc.ts BATCH_MAX", 100, (n) => servedBody(JSON.stringify(Array(n).fill(request))), {
    within: "ok",
    beyond: "Invalid request",
  }),
  most("sim/chain/server/server.ts BODY_BYTES_MAX", 51_200, (n) => servedBody(bodyOf(n)), {
    within: "ok",
    beyond: "413",
  }),
  inputs("account-methods.ts MULTIPLE_MAX", 100, (n) => served("getMultipleAccounts", many(n))),
  most(
    "sim/chain/server/block-methods.ts BLOCKS_ASKED_MAX",
    500_000,
    (n) => served("getBlocksWithLimit", 1_000_000, n),
    { within: "ok", beyond: "Limit too large; max 500000" },
  ),
  inputs("block-methods.ts FEE_ACCOUNTS_MAX", 128, (n) => served("getRecentPrioritizationFees", many(n))),
  inputs("send-methods.ts SHOWN_MAX", 64, (n) =>
    served("simulateTransaction", aMemo, { ...anyBlockhash, accounts: { addresses: many(n) } }),
  ),
  most(
    "sim/chain/server/account-methods.ts FILTERS_MAX",
    4,
    (n) => served("getProgramAccounts", key(1), { filters: Array(n).fill({ dataSize: 1 }) }),
    { within: "ok", beyond: "Too many filters provided; max 4" },
  ),
  most(
    "sim/chain/server/account-methods.ts ACCOUNT_BYTES_MAX",
    10_485_760,
    (n) => served("getMinimumBalanceForRentExemption", n),
    { within: "ok", beyond: "Invalid params: invalid size" },
  ),
  most("sim/chain/server/account-json.ts BASE58_BYTES_MAX", 128, (n) => served("getAccountInfo", settings, slice(n)), {
    within: "ok",
    beyond: "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.",
  }),
  most(
    "sim/chain/server/transaction-methods.ts SIGNATURES_PAGE_MAX",
    1_000,
    (limit) => served("getSignaturesForAddress", key(1), { limit }),
    { within: "ok", beyond: "Invalid limit; max 1000" },
  ),
  inputs("transaction-methods.ts STATUSES_MAX", 256, (n) => served("getSignatureStatuses", many(n, 64))),
  most(
    "sim/chain/server/served-chain.ts AIRDROP_LAMPORTS_MAX",
    10_000_000_000,
    (lamports) => served("requestAirdrop", key(1), lamports),
    { within: "ok", beyond: "airdrop request failed. This can happen when the rate limit is reached." },
  ),
  most("sim/chain/server/recorder.ts RECORDED_MAX", 65_536, recordedAfter, REMEMBERED_OR_FORGOTTEN),
  most("sim/chain/server/subscriptions.ts SUBSCRIPTIONS_MAX", 1_000, subscribedAs, TAKEN_OR_LEFT),
  cutAt("sim/chain/server/subscriptions.ts UNSETTLED_MAX", 65_536, settledLater),
  cutAt("sim/chain/server/view.ts HEADS_MAX", 1_024, headsOf),
];

export const limits: readonly Limit[] = [
  ...programs,
  ...servers,
  most("sim/chain/remembered-addresses.ts ADDRESSES_REMEMBERED_MAX", 65_536, addressAfter, REMEMBERED_OR_FORGOTTEN),
  most("sim/chain/slots.ts HASHES_REMEMBERED_MAX", 2_048, hashAfter, REMEMBERED_OR_FORGOTTEN),
  cutAt("sim/chain/slots.ts SLOT_HASHES_MAX", 512, hashesSeenIn),
];

export const untried: readonly Untried[] = [
  {
    of: "sim/chain/model/forwarder.ts FORWARDED_ACCOUNTS_MAX",
    because: "a size of the forwarder's own array: nothing that tests forward has so many accounts",
  },
  {
    of: "sim/chain/model/forwarder.ts CALL_HEIGHT_MAX",
    because: "the machines' own: test/sim/chain/forwarder.test.ts goes beyond it on every executor at once",
  },
  {
    of: "sim/chain/transaction-log.ts LOG_BYTES_MAX",
    because: "the machine's own: test/sim/chain/transaction-log.test.ts compares the cut with that of a real one",
  },
  {
    of: "sim/chain/compute-budget.ts UNITS_MAX",
    because: "what more is asked for is cut to it; test/sim/chain/compute-budget.test.ts has the fee of that",
  },
  {
    of: "sim/chain/model/open-dispute.ts CASE_COUNT_MAX",
    because: "the width of the account's field: test/chain/probes.property.test.ts puts it there, beside the program",
  },
  {
    of: "sim/chain/model/arbitration.ts DECIDABLE_POOL_MIN",
    because: "told in an event, and compared with nothing",
  },
  {
    of: "sim/chain/model/case-account.ts FIELDS_WITHOUT_LISTS_MAX",
    because: "derived: an estimate from above, beyond which the fields are written out to be measured",
  },
  {
    of: "sim/chain/model/ledger.ts LAYERS_MAX",
    because: "layers are merged beyond it, and accounts read alike before and after",
  },
  {
    of: "sim/chain/server/transaction-methods.ts CONFIRMATIONS_MAX",
    because: "a block with more behind it is finalized, and of that no confirmations are parsed",
  },
  {
    of: "sim/chain/server/pub-sub.ts UNREAD_BYTES_MAX",
    because: "how much of what was sent a socket still holds is for the system to send",
  },
];
