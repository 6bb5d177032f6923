/**
 * The network of a node: one that comes with the software, or a file about another one; and which one a ledger is of.
 * Source: DESIGN section 7 #25; CONVERGENCE "Profile".
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LEDGER_FILE } from "../../adapters/sqlite/ledger.ts";
import type { Commitment, NamedMint, NetworkProfile } from "../../core/index.ts";
import { devnetNetwork, fromBase58, simulatedNetwork } from "../../core/index.ts";
import { jsonIn } from "./json-text.ts";
import { Refusal } from "./usage.ts";

/** What nodes of one network agree on, and the level from which a transaction counts; finalized unless said. */
export interface Network {
  readonly profile: NetworkProfile;
  readonly commitment?: Commitment;
}

/** The network that runs where none is named. */
export const DEVNET: Network = { profile: devnetNetwork };

/** Lies beside the rows of a ledger that is not devnet's. */
export const NETWORK_FILE = "network.json";

/** Mints of a network. Source: DESIGN L10. */
const MINTS = 256;
/** Bytes of a file about a network. Source: DESIGN L10. */
const FILE_BYTES = 1_048_576;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const SYMBOL = /^[\x21-\x7e]{1,32}$/;
const MEMBERS = ["name", "escrowProgram", "stakingProgram", "mints", "pricedOnly", "commitment"];

type Members = Readonly<Record<string, unknown>>;

/** The network of `--network`; refuses with one line. */
export function networkNamed(text: string): Network {
  if (text === "devnet") return DEVNET;
  if (text === simulatedNetwork.name) return { profile: simulatedNetwork };
  if (text === "mainnet")
    throw new Refusal(
      "--network mainnet: no program is deployed there yet; devnet, simulated, or a file about another network.",
    );
  return networkIn(text, `--network ${text}`);
}

/** The network of a ledger. */
export function networkOfLedger(ledger: string): Network {
  const path = join(ledger, NETWORK_FILE);
  return existsSync(path) ? networkIn(path, path) : DEVNET;
}

/** Why a node of this network cannot use that ledger, in one line. The list of mints may change. */
export function ledgerProblem(ledger: string, { profile }: Network): string | undefined {
  if (!existsSync(join(ledger, LEDGER_FILE))) return undefined;
  try {
    const { profile: kept } = networkOfLedger(ledger);
    const same = kept.name === profile.name && kept.escrowProgram === profile.escrowProgram;
    if (same && kept.stakingProgram === profile.stakingProgram) return undefined;
    const other = kept.name === profile.name ? `${kept.name} with other programs` : kept.name;
    return `--ledger ${ledger} is of the network ${other}, not of ${profile.name}; name another, or its --network.`;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Writes down which network an open ledger is of; or answers why that failed. */
export function rememberNetwork(ledger: string, { profile, commitment }: Network): string | undefined {
  if (profile === devnetNetwork) return undefined;
  const { parity: _, ...members } = profile;
  const path = join(ledger, NETWORK_FILE);
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify({ ...members, commitment })}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    return undefined;
  } catch (error) {
    return `${path} cannot be written: ${(error as Error).message}`;
  }
}

function networkIn(path: string, where: string): Network {
  const members = objectIn(path, where);
  const wrong = (what: string): never => {
    throw new Refusal(`${where}: ${what}.`);
  };
  const odd = Object.keys(members).find((name) => !MEMBERS.includes(name));
  if (odd !== undefined) wrong(`there is no member "${odd}" in a network; there are ${MEMBERS.join(", ")}`);
  const { name, commitment } = members;
  if (typeof name !== "string" || !NAME.test(name) || name === "devnet" || name === "mainnet")
    return wrong("name is up to 32 of a-z, 0-9 and -, and neither devnet nor mainnet");
  if (commitment !== undefined && commitment !== "confirmed" && commitment !== "finalized")
    return wrong("commitment is confirmed or finalized");
  const address = (member: string): string => {
    const value = members[member];
    return isAddress(value) ? value : wrong(`${member} is an address in base58`);
  };
  const mints = (member: string): readonly NamedMint[] =>
    mintsOf(members[member]) ??
    wrong(`${member} is a list of { "mint": ADDRESS, "symbol": TEXT, "decimals": 0 to 255 }, each mint once`);
  const pricedOnly = members.pricedOnly === undefined ? undefined : mints("pricedOnly");
  const programs = { escrowProgram: address("escrowProgram"), stakingProgram: address("stakingProgram") };
  return {
    ...(commitment !== undefined && { commitment }),
    profile: {
      ...{ name, parity: false, ...programs, mints: mints("mints") },
      ...(pricedOnly !== undefined && { pricedOnly }),
    },
  };
}

function objectIn(path: string, where: string): Members {
  let value: unknown;
  try {
    const bytes = readFileSync(path);
    if (bytes.length > FILE_BYTES) throw new Error("it is larger than 1 MiB");
    value = jsonIn(bytes.toString("utf8"));
  } catch (error) {
    throw new Refusal(`${where} cannot be read: ${(error as Error).message.split("\n")[0]}`);
  }
  if (isObject(value)) return value;
  throw new Refusal(`${where} holds no network: {"name": …, "escrowProgram": …, "stakingProgram": …, "mints": [ … ]}.`);
}

/** A list that names no mint twice, or nothing. */
function mintsOf(value: unknown): readonly NamedMint[] | undefined {
  if (!Array.isArray(value) || value.length > MINTS || !value.every(isMint)) return undefined;
  return new Set(value.map(({ mint }) => mint)).size === value.length ? value : undefined;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= 44 && fromBase58(value)?.length === 32;
}

function isMint(value: unknown): value is NamedMint {
  if (!isObject(value) || Object.keys(value).length !== 3) return false;
  const { mint, symbol, decimals } = value;
  if (typeof symbol !== "string" || !SYMBOL.test(symbol) || typeof decimals !== "number") return false;
  return isAddress(mint) && Number.isInteger(decimals) && decimals >= 0 && decimals <= 255;
}
