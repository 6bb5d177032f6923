/**
 * The chain as its explorers show it: slots with their blocks and levels, forks, transactions and what they logged.
 */
import { bool, list, ok, option, struct, toBase64, u64 } from "../../../core/index.ts";
import { plainText, small } from "../../../core/testing.ts";
import { forkOf } from "../../chain/branches.ts";
import type { ConfirmedTransaction } from "../../chain/confirmed-transaction.ts";
import { commitments } from "../../chain/slots.ts";
import { may } from "../../data/optional.ts";
import { Name } from "../../data/values.ts";
import { catchUp } from "../chain-time.ts";
import { instructionsOf, programsOf } from "./instruction-names.ts";
import type { Controlled } from "./method.ts";
import { method, refuse } from "./method.ts";

/** Slots of one answer at most. Source: DESIGN L10. */
export const SLOTS_SHOWN_MAX = 1_000;
/** Slots of one answer unless said. */
const SHOWN = 32;

const TransactionLine = struct("TransactionLine", {
  signature: plainText,
  error: option(plainText),
  instructions: list(plainText),
  programs: list(plainText),
});
const BlockData = struct("BlockLine", {
  slot: u64,
  level: plainText,
  fork: small(32),
  blockhash: option(plainText),
  transactions: list(TransactionLine),
});
const ChainData = struct("ChainView", {
  current: u64,
  stalled: bool,
  waiting: bool,
  forks: small(32),
  rivals: list(struct("Rival", { fork: small(32), after: u64 })),
  slots: list(BlockData),
});
const TransactionData = struct("Transaction", {
  signature: plainText,
  slot: u64,
  block_time: u64,
  error: option(plainText),
  instructions: list(plainText),
  accounts: list(plainText),
  logs: list(plainText),
  wire: plainText,
});
const group = "Chain";

export const chainViewMethods = {
  sim_getBlocks: method({
    group,
    params: { before: may(u64), limit: may(small(32, { least: 1, most: SLOTS_SHOWN_MAX })) },
    result: ChainData,
    doc:
      "Slots, the newest first or those before one: the level that each has reached, the fork that it belongs to, its " +
      "blockhash (null where nobody made a block) and its transactions. So many, 32 unless said.",
    async run(network, { before, limit = SHOWN }) {
      await catchUp(network.host);
      return ok(chainOf(network, before, limit));
    },
  }),
  sim_getTransaction: method({
    ...{ group, params: { signature: Name }, result: TransactionData, errors: ["UNKNOWN_RECORD"] },
    doc: "A transaction that stands in a block: its slot, its error, its accounts, its log, and its bytes in base64.",
    async run({ host }, { signature }) {
      await catchUp(host);
      const found = host.live().supply.cluster.transaction(signature, "processed");
      if (found === undefined) return refuse("UNKNOWN_RECORD", `no block of the chain holds ${signature}`);
      const { slot, blockTime, logs, wire, message } = found;
      const [accounts, instructions] = [message.accounts.map(String), instructionsOf(message)];
      return ok({
        signature,
        slot,
        block_time: blockTime,
        error: errorOf(found),
        instructions,
        accounts,
        logs,
        wire: toBase64(wire),
      });
    },
  }),
};

function chainOf({ host }: Controlled, before: bigint | undefined, limit: number) {
  const { supply } = host.live();
  const { cluster } = supply;
  const { main, rivals, forks } = cluster.held();
  const current = cluster.currentSlot();
  const newest = before === undefined || before > current ? current : before - 1n;
  const count = newest < 0n ? 0 : Math.min(limit, Number(newest) + 1);
  const slots = Array.from({ length: count }, (_, back) => newest - BigInt(back));
  const since = cluster.transactionsAfter(newest - BigInt(count));
  return {
    ...{ current, stalled: supply.stalls().length > 0, waiting: cluster.waits(), forks },
    rivals: [...rivals].map(([fork, { branch }]) => ({ fork, after: branch.after })),
    slots: slots.map((slot) => ({
      ...{ slot, level: commitments.findLast((level) => slot <= cluster.slot(level)) ?? "begun" },
      ...{ fork: forkOf(main, slot), blockhash: cluster.block(slot)?.blockhash ?? null },
      transactions: since
        .filter((one) => one.slot === slot)
        .map((one) => {
          return {
            signature: one.signature,
            error: errorOf(one),
            instructions: instructionsOf(one.message),
            programs: programsOf(one.message),
          };
        }),
    })),
  };
}

function errorOf({ err }: ConfirmedTransaction): string | null {
  return err === null
    ? null
    : JSON.stringify(err, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}
