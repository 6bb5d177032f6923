/**
 * Control of the chain: its slots, its forks, its finality, its accounts.
 */
import { bool, fromBase64, ok, option, struct, toBase64, u64 } from "../../../core/index.ts";
import { parseAddress, small, systemProgram, text } from "../../../core/testing.ts";
import { commitments } from "../../chain/slots.ts";
import { may } from "../../data/optional.ts";
import { Millionths } from "../../data/values.ts";
import { catchUp, mineSlots } from "../chain-time.ts";
import type { Controlled } from "./method.ts";
import { method, refuse } from "./method.ts";

/** Slots of one step at most: a day. Source: DESIGN L10. */
export const SLOTS_MAX = 216_000;

const Slots = small(32, { least: 1, most: SLOTS_MAX });
const SlotsData = struct("Slots", { processed: u64, confirmed: u64, finalized: u64, current: u64 });
const Address = text("plain", "an address in base58", (given) =>
  parseAddress(given) === undefined ? undefined : given,
);
const Bytes = text("plain", "bytes in base64", (given) => (fromBase64(given) === undefined ? undefined : given));
const AccountData = struct("Account", { lamports: u64, owner: Address, data: Bytes, executable: bool });
const group = "Chain";

const supplyOf = ({ host }: Controlled) => host.live().supply;

async function slotsOf(network: Controlled) {
  await catchUp(network.host);
  const { cluster } = supplyOf(network);
  const [processed, confirmed, finalized] = commitments.map((level) => cluster.slot(level)) as [bigint, bigint, bigint];
  return ok({ processed, confirmed, finalized, current: cluster.currentSlot() });
}

async function mined(network: Controlled, slots: number) {
  await mineSlots(network.host, slots);
  network.pace.rebase();
  return slotsOf(network);
}

async function accountOf(network: Controlled, address: string) {
  await catchUp(network.host);
  const account = supplyOf(network).cluster.account(address, "processed");
  if (account === undefined) return ok(null);
  return ok({ ...account, data: toBase64(account.data) });
}

export const chainMethods = {
  sim_getSlots: method({
    ...{ group, params: {}, result: SlotsData },
    doc: "The newest slot that began, and the newest with a block at each level.",
    run: slotsOf,
  }),
  sim_mineSlots: method({
    ...{ group, params: { slots: may(Slots) }, result: SlotsData },
    doc: "Runs the network for so many slots of 400 ms, one unless said: what waits for a block comes into one.",
    run: (network, { slots = 1 }) => mined(network, slots),
  }),
  sim_skipSlots: method({
    ...{ group, params: { slots: may(Slots) }, result: SlotsData },
    doc: "Runs the network for so many slots in which nobody makes a block.",
    async run(network, { slots = 1 }) {
      await catchUp(network.host);
      const next = supplyOf(network).cluster.currentSlot() + 1n;
      supplyOf(network).skipSlots(next, next + BigInt(slots), 1_000_000);
      return mined(network, slots);
    },
  }),
  sim_reorg: method({
    ...{ group, params: { depth: Slots, lost: may(Millionths) }, result: SlotsData, errors: ["REORG_TOO_DEEP"] },
    doc:
      "Another branch wins that left the chain so many slots back. Of the transactions since then so many in a million " +
      "are lost, none unless said; the others are executed again.",
    async run(network, { depth, lost = 0 }) {
      await catchUp(network.host);
      const { cluster } = supplyOf(network);
      const open = cluster.currentSlot() - cluster.slot("finalized");
      if (BigInt(depth) > open) return refuse("REORG_TOO_DEEP", `only the last ${open} slots are not final`);
      await supplyOf(network).reorganize(BigInt(depth), { lost });
      return slotsOf(network);
    },
  }),
  sim_stallFinality: method({
    ...{ group, params: { stalled: bool }, result: SlotsData },
    doc: "Nothing becomes final until finality is let on again.",
    async run(network, { stalled }) {
      await catchUp(network.host);
      const supply = supplyOf(network);
      const stalls = supply.stalls();
      if (stalled && stalls.length === 0) supply.stall();
      if (!stalled) for (const stall of stalls) supply.goOn(stall);
      return slotsOf(network);
    },
  }),
  sim_setBalance: method({
    ...{ group, params: { address: Address, lamports: u64 }, result: AccountData },
    doc: "Gives an account so many lamports; one that is not there becomes a wallet.",
    async run(network, { address, lamports }) {
      await catchUp(network.host);
      const { cluster } = supplyOf(network);
      const empty = { owner: systemProgram, data: new Uint8Array(0), executable: false };
      const account = { ...empty, ...cluster.account(address, "processed"), lamports };
      await cluster.putAccount(address, account);
      return ok({ ...account, data: toBase64(account.data) });
    },
  }),
  sim_getRecord: method({
    ...{ group, params: { address: Address }, result: option(AccountData) },
    doc: "An account of the chain as the newest block left it; null where there is none.",
    run: (network, { address }) => accountOf(network, address),
  }),
  sim_setRecord: method({
    ...{ group, params: { address: Address, account: option(AccountData) }, result: option(AccountData) },
    doc: "Writes an account of the chain past every program, in the newest slot; with null it ceases to exist.",
    async run(network, { address, account }) {
      const data = account === null ? undefined : fromBase64(account.data);
      await catchUp(network.host);
      const { cluster } = supplyOf(network);
      await cluster.putAccount(address, account === null || data === undefined ? undefined : { ...account, data });
      return accountOf(network, address);
    },
  }),
};
