/**
 * A run kept as bytes: its scenario, its options and all that its world holds, so that another process goes on where
 * it stood, to the same trace. A copy in memory shares what neither run writes into. Anybody may have touched bytes:
 * they carry their own hash, and what does not fit is refused with one line.
 *
 *   bytes = "ofs-run/1\n" ‖ SHA-256 of the rest ‖ seed, u64 BE ‖ a graph (data/graph.ts)
 *
 * Source: DESIGN section 5 "Everything is data".
 */
import { BytesDefect, byteSource, takeBig } from "../adapters/recording/byte-source.ts";
import type { Result } from "../core/index.ts";
import { equalBytes, err, marketplace, ok } from "../core/index.ts";
import { isHeldStore } from "../core/testing.ts";
import type { HeldLoop } from "./clock.ts";
import type { Named } from "./data/graph.ts";
import { decodeGraph, encodeGraph } from "./data/graph.ts";
import { copyGraph } from "./data/graph-copy.ts";
import type { Run } from "./run.ts";
import { openRun } from "./run.ts";
import { openCrypto, sha256 } from "./runtime.ts";
import type { ChainChoice, Scenario } from "./scenario.ts";
import { senseless } from "./scenario.ts";
import type { Backends, ChosenOptions } from "./setup.ts";
import type { Wallet } from "./wallet.ts";
import { openWallets } from "./wallet.ts";

const MARK = "ofs-run/1\n";
const HASH_BYTES = 32;
const SEED_BYTES = 8;

/** What a run is kept as. */
interface HeldRun {
  /** Whether its nodes play the reference. */
  readonly parity: boolean;
  readonly scenario: Scenario;
  readonly options: ChosenOptions;
  readonly loop: HeldLoop;
}

/** The bytes of a run that stands between two events; or why it cannot be kept, in one line. */
export function saveRun(run: Run): Result<Uint8Array, string> {
  const unfit = unheld(run);
  if (unfit !== undefined) return err(unfit);
  const { scenario, options, world } = run;
  const held: HeldRun = { parity: world.profile.parity, scenario, options, loop: world.loop.held("bytes") };
  try {
    return ok(sealGraph(MARK, options.seed, held, world.walletOf));
  } catch (error) {
    if (error instanceof TypeError) return err(`${scenario.name} holds code, which is not kept: ${error.message}`);
    throw error;
  }
}

/**
 * The run that bytes hold, ready to go on; or why they hold none, in one line. `backendsFor` is told whether its nodes
 * play the reference.
 */
export async function restoreRun(
  bytes: Uint8Array,
  backendsFor: (parity: boolean) => Backends | Promise<Backends>,
): Promise<Result<Run, string>> {
  if (!equalBytes(bytes.subarray(0, MARK.length), Buffer.from(MARK))) return err("this is no held run of this version");
  const opened = openGraph(MARK, bytes);
  if (!opened.ok) return err(`the held run is damaged: ${opened.error}`);
  const { walletOf } = opened.value;
  const held = opened.value.held as HeldRun;
  const problem = senseless(held.scenario);
  if (problem !== undefined) return err(problem);
  return ok(
    await openRun(held.scenario, { ...held.options, from: held.loop, walletOf }, await backendsFor(held.parity)),
  );
}

/** Values and all they lead to as bytes behind a mark. Throws a `TypeError` where something of them is no value. */
export function sealGraph(mark: string, seed: bigint, held: unknown, walletOf: (name: string) => Wallet): Uint8Array {
  const first = Buffer.alloc(SEED_BYTES);
  first.writeBigUInt64BE(seed);
  const rest = Buffer.concat([first, encodeGraph(held, namedThings(walletOf))]);
  return Buffer.concat([Buffer.from(mark), sha256(rest), rest]);
}

/** What bytes behind a mark hold, with the wallets that it names; or how they are damaged. */
export function openGraph(
  mark: string,
  bytes: Uint8Array,
): Result<{ readonly held: unknown; readonly walletOf: (name: string) => Wallet }, string> {
  const at = Buffer.byteLength(mark);
  const rest = bytes.subarray(at + HASH_BYTES);
  if (!equalBytes(bytes.subarray(at, at + HASH_BYTES), sha256(rest))) return err("its hash is another");
  try {
    const walletOf = openWallets(openCrypto(), takeBig(byteSource(rest)));
    return ok({ held: decodeGraph(rest.subarray(SEED_BYTES), namedThings(walletOf)), walletOf });
  } catch (error) {
    if (error instanceof BytesDefect) return err(error.message);
    throw error;
  }
}

/** A run of its own that stands where this one does; or why there is none, in one line. */
export async function copyRun(run: Run, backends: Backends): Promise<Result<Run, string>> {
  const held = holdRun(run);
  if (!held.ok) return held;
  const { scenario, options, world } = run;
  return ok(await openRun(scenario, { ...options, from: held.value, walletOf: world.walletOf }, backends));
}

/**
 * All that a run between two events holds, apart from it but for the memory of nodes, which both copy when they write.
 * One run may go on from it: that one writes into it.
 */
export function holdRun(run: Run): Result<HeldLoop, string> {
  const unfit = unheld(run);
  return unfit === undefined ? ok(copyGraph(run.world.loop.held("copy"), isKept)) : err(unfit);
}

function unheld({ options, scenario }: Run): string | undefined {
  if (options.network !== "simulated")
    return `${scenario.name} runs over ${options.network}, whose state cannot be held`;
  return unheldOn(options.chain, scenario.name);
}

/** Why a run on a chain cannot be held, if so. */
export function unheldOn(chain: ChainChoice, name: string): string | undefined {
  if (chain !== "bankrun") return undefined;
  return `${name} runs on bankrun, whose state cannot be held: use --chain litesvm or model`;
}

/** What two worlds may share: things with a name, and the memory of a node, which is a copy already. */
function isKept(object: object): boolean {
  return isHeldStore(object) || isWallet(object) || marketplaceTypes.has(object);
}

const marketplaceTypes: ReadonlyMap<object, string> = new Map(
  [...marketplace.typesByName].map(([name, type]) => [type, name] as const),
);

/** Wallets and signed types stand by their names. */
function namedThings(walletOf: (name: string) => Wallet): Named {
  return {
    nameOf(thing) {
      const type = marketplaceTypes.get(thing);
      if (type !== undefined) return `type ${type}`;
      return isWallet(thing) ? `wallet ${thing.name}` : undefined;
    },
    byName(text) {
      const at = text.indexOf(" ");
      const [kind, name] = [text.slice(0, at), text.slice(at + 1)];
      if (kind === "type") return marketplace.typesByName.get(name);
      return kind === "wallet" ? walletOf(name) : undefined;
    },
  };
}

function isWallet(thing: object): thing is Wallet {
  return "keypair" in thing && "sign" in thing && typeof thing.sign === "function";
}
