/**
 * The first moments of a served world: it has gone on for a while before anybody is let in. Source: DESIGN section 6.
 */
import { WALLET_LAMPORTS } from "../chain/genesis.ts";
import { catchUp } from "./chain-time.ts";
import { FAUCET } from "./live-world.ts";
import { wallInstant } from "./wall-clock.ts";
import type { WorldHost } from "./world-host.ts";

/** How long a network runs before it is ready, in its own milliseconds: nodes have found each other by then. */
const WARM_MS = 5_000;
/** Where a world begins whose time stands still, in milliseconds: 32 slots are over when it is ready. */
const STILL_BEGINS_MS = 15_000;
/** What the faucet has: no test of a client empties it. Source: DESIGN "Simulated world". */
const FAUCET_LAMPORTS = 1_000_000n * WALLET_LAMPORTS;

/** Where a world begins so that it is ready now; on the first day of worlds where its time stands still. */
export function beginsAt(pace: number): number {
  return pace === 0 ? STILL_BEGINS_MS : Math.max(0, wallInstant() - WARM_MS);
}

/** Runs a new world until it is ready. Only within `exclusive`. */
export async function warm(host: WorldHost, begins: number): Promise<void> {
  await host.advance(begins + WARM_MS);
  await catchUp(host);
  const { cluster } = host.live().supply;
  const { address } = host.world().walletOf(FAUCET);
  const account = cluster.account(address, "processed");
  if (account !== undefined) await cluster.putAccount(address, { ...account, lamports: FAUCET_LAMPORTS });
}
