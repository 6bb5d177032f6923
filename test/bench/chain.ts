/**
 * Transactions a second of whatever executes them, and what a reorganization costs. Signing, verifying and the age of
 * blockhashes are the cluster's; they are outside the executors' figures and inside the cluster's own. The model makes
 * an account's bytes when they are read: its own figure reads every account once, at the end, and the cluster reads
 * what a transaction may write after each.
 * Source: DESIGN section 4: model 50,000/s, LiteSVM 5,000/s; 31 slots replaced within 50 ms.
 */
import type { Cluster } from "../../sim/chain/cluster.ts";
import { openCluster } from "../../sim/chain/cluster.ts";
import type { ChainExecutor, OpenExecutor } from "../../sim/chain/executor.ts";
import { openBankrun } from "../../sim/chain/executors/bankrun.ts";
import { openLitesvm } from "../../sim/chain/executors/litesvm.ts";
import { openModel } from "../../sim/chain/executors/model.ts";
import { addressOf, at, crypto, keyring, START_UNIX } from "../sim/chain/chain-world.ts";
import type { Executed, Order } from "./market-day.ts";
import { executions, marketGenesis, marketPhases, signed } from "./market-day.ts";
import type { Bench, Figure } from "./measure.ts";
import { medianRun, perSecond, rounded } from "./measure.ts";

const REORG_DEPTH = 31n;
const REORG_SLOT_TRANSACTIONS = 32;
const CLUSTER_SLOT_TRANSACTIONS = 100;

const openModelChain = (genesis: Parameters<OpenExecutor>[0]) => Promise.resolve(openModel(at, crypto, genesis));

/** Every transaction in order; all of them must succeed, or the figure means nothing. */
async function executeAll(executor: ChainExecutor, work: readonly Executed[]): Promise<void> {
  for (const { wire, context } of work) {
    const { ok, error } = await executor.execute(wire, context);
    if (!ok) throw new Error(`${executor.name} refused a transaction: ${JSON.stringify(error)}`);
  }
}

async function executorFigure<E extends ChainExecutor>(
  name: string,
  open: (...first: Parameters<OpenExecutor>) => Promise<E>,
  measured: { readonly trades: number; readonly least?: number },
  readAll: (executor: E) => void = () => undefined,
): Promise<Figure> {
  const work = executions(marketPhases(measured.trades));
  const spent = await medianRun(
    () => open(marketGenesis(), keyring),
    async (executor) => {
      await executeAll(executor, work);
      readAll(executor);
    },
  );
  const bar = measured.least === undefined ? {} : { bar: { least: measured.least } };
  return { name, ...perSecond(work.length, spent), unit: "transactions/s", ...bar };
}

function openChain(): Promise<Cluster> {
  const seed = new Uint8Array(32).fill(5);
  const startMs = START_UNIX * 1000n;
  const common = { crypto, genesis: marketGenesis(), signers: keyring, seed, startMs };
  return openCluster({ ...common, open: openModelChain });
}

/** What trades need before they can be paid out or disputed: every order of the market whose time does not matter. */
function timelessOrders(trades: number): readonly Order[] {
  const [opening, ...phases] = marketPhases(trades);
  return [...(opening?.orders ?? []), ...phases.flatMap(({ orders }, n) => (n % 5 < 2 ? orders : []))];
}

/** Submits and executes what was signed, so many a slot. */
async function play(chain: Cluster, wires: readonly Uint8Array[], perSlot: number): Promise<void> {
  for (let from = 0; from < wires.length; from += perSlot) {
    for (const wire of wires.slice(from, from + perSlot)) {
      if (!chain.submit(wire).ok) throw new Error("the cluster refused a transaction");
    }
    await chain.advance(chain.currentSlot() + 1n);
  }
}

/** A chain in its slot 100 and what will be sent to it, signed under the blockhash of that slot. */
async function preparedChain(orders: readonly Order[]) {
  const chain = await openChain();
  await chain.advance(100n);
  const { blockhash } = chain.latestBlockhash("processed");
  return { chain, wires: orders.map((order) => signed(order, blockhash)) };
}

/** Submitting and the blocks that take it; the wallets' signing is outside. */
async function clusterFigure(): Promise<Figure> {
  const orders = timelessOrders(400);
  const spent = await medianRun(
    () => preparedChain(orders),
    ({ chain, wires }) => play(chain, wires, CLUSTER_SLOT_TRANSACTIONS),
  );
  return { name: "model, through the cluster", ...perSecond(orders.length, spent), unit: "transactions/s" };
}

/** Thirty-one blocks of transactions are replaced by others with the same transactions. */
async function reorganization(): Promise<Figure> {
  const orders = timelessOrders(300).slice(0, Number(REORG_DEPTH) * REORG_SLOT_TRANSACTIONS);
  const prepare = async () => {
    const { chain, wires } = await preparedChain(orders);
    await play(chain, wires, REORG_SLOT_TRANSACTIONS);
    return chain;
  };
  const spent = await medianRun(prepare, async (chain) => {
    await chain.reorganize(chain.currentSlot() - REORG_DEPTH);
    const again = chain.signaturesForAddress(addressOf("merchant"), { commitment: "processed" }).length;
    if (again < orders.length / 2) throw new Error(`only ${again} transactions ran again`);
  });
  const name = `reorganization of ${REORG_DEPTH} slots with ${orders.length} transactions`;
  return { name, value: rounded(spent.wallMs), cpu: rounded(spent.cpuMs), unit: "ms", bar: { most: 50 } };
}

export const chainBench: Bench = {
  async run() {
    return [
      await executorFigure("model", openModelChain, { trades: 2_000, least: 50_000 }, (model) => model.accounts()),
      await executorFigure("litesvm", openLitesvm, { trades: 400, least: 5_000 }),
      await executorFigure("bankrun", openBankrun, { trades: 50 }),
      await clusterFigure(),
      await reorganization(),
    ];
  },
};
