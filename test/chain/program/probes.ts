/**
 * Every instruction at the point where it would succeed, with one thing in the world changed: a field of one of its
 * accounts at its limits, a byte of its data, the time around each of its deadlines, what it pays with. Fields come
 * from the layouts, so a new one is probed without asking.
 */
import type { AccountLayout } from "../../../core/solana/accounts.ts";
import * as layouts from "../../../core/solana/accounts.ts";
import {
  rentSysvar,
  simulatedProfile,
  slotHashesSysvar,
  systemProgram,
  token2022Program,
  tokenProgram,
} from "../../../core/solana/addresses.ts";
import { startsWith } from "../../../core/solana/layout.ts";
import type { ChainAccount, ExecutionContext } from "../../../sim/chain/executor.ts";
import type { ModelExecutor } from "../../../sim/chain/executors/model.ts";
import { openModel } from "../../../sim/chain/executors/model.ts";
import { rememberedAddresses } from "../../../sim/chain/remembered-addresses.ts";
import { TOKEN_ACCOUNT_BYTES } from "../../../sim/chain/token.ts";
import type { Instruction } from "../../../sim/chain/transaction.ts";
import type { Attempt } from "./attempts.ts";
import { nameOf } from "./attempts.ts";
import { rewritten } from "./rewritten.ts";
import { attempts } from "./staking-attempts.ts";
import { at, crypto, nothing, openWorld, SLOT_HASHES, wallet } from "./world.ts";

/** One instruction about to succeed, and the chain it would succeed on. */
export interface Setting {
  readonly attempt: Attempt;
  readonly instruction: Instruction;
  readonly signer: string;
  readonly now: bigint;
  readonly model: ModelExecutor;
}

/** What is changed before the instruction runs. */
export interface Probe {
  readonly name: string;
  readonly put?: Readonly<Record<string, ChainAccount>>;
  readonly data?: Uint8Array;
  /** An address that stands in another's place. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly now?: bigint;
  readonly slotHashes?: ExecutionContext["slotHashes"];
}

/** Programs and sysvars, which every machine fills in its own way. */
export const OF_THE_MACHINE: ReadonlySet<string> = new Set([
  systemProgram,
  tokenProgram,
  token2022Program,
  rentSysvar,
  slotHashesSysvar,
  simulatedProfile.stakingProgram,
]);

const U64_MAX = (1n << 64n) - 1n;
const RENT_OF_WALLET = 890_880n;
/** Where a token account has what the program and its token program look at. */
const TOKEN = { mint: 0, authority: 32, amount: 64, state: 108 } as const;
const MINT = { decimals: 44, initialized: 45, bytes: 82 } as const;

/** Brings every instruction to that point, on one chain; the time is each one's own. */
export async function openSettings(): Promise<readonly Setting[]> {
  const models: ModelExecutor[] = [];
  const world = await openWorld(async (genesis) => {
    const opened = openModel(rememberedAddresses(at), crypto, genesis);
    models.push(opened);
    return opened;
  }, attempts.length);
  const [model] = models;
  if (model === undefined) throw new Error("the world opened no model");
  const settings: Setting[] = [];
  for (const attempt of attempts) {
    const trade = await attempt.prepare(world);
    const instruction = attempt.build(trade);
    settings.push({ attempt, instruction, signer: attempt.signer(trade), now: world.now, model });
  }
  return settings;
}

/** Everything there is to probe about a setting. */
export async function probesOf(setting: Setting): Promise<readonly Probe[]> {
  const { attempt, instruction, now, model } = setting;
  const probes: Probe[] = [{ name: "nothing" }, ...dataProbes(instruction), ...slotHashProbes()];
  probes.push(...foreignTokens(setting));
  for (const [place, { address }] of instruction.accounts.entries()) {
    const first = instruction.accounts.findIndex((meta) => meta.address === address);
    if (first !== place || OF_THE_MACHINE.has(address)) continue;
    const account = await model.account(address);
    const isAbsent = account === undefined || attempt.without?.includes(address) === true;
    const absent = isAbsent ? absentProbes(setting, address) : [];
    const changed = account === undefined ? absent : [...absent, ...accountProbes(account)];
    for (const [name, next] of changed) probes.push({ name: `place ${place} ${name}`, put: { [address]: next } });
    for (const time of account === undefined ? [] : timesIn(account, now)) {
      for (const shifted of [time - 1n, time, time + 1n]) probes.push({ name: `time ${shifted - now}`, now: shifted });
    }
  }
  return probes.map((probe) => ({ ...probe, name: `${nameOf(setting.attempt)}: ${probe.name}` }));
}

/** Everything that a token program owns belongs to another program, which stands in its place. */
function foreignTokens({ instruction, model }: Setting): readonly Probe[] {
  const { governanceProgram } = simulatedProfile;
  return [tokenProgram, token2022Program].flatMap((program) => {
    const addresses = instruction.accounts.map(({ address }) => address);
    const owned = addresses.flatMap((address) => {
      const account = model.accountNow(address);
      return account?.owner === program ? [[address, { ...account, owner: governanceProgram }] as const] : [];
    });
    if (owned.length === 0) return [];
    const put = Object.fromEntries(owned);
    return [{ name: `tokens of ${program} are another's`, put, instead: { [program]: governanceProgram } }];
  });
}

type Changed = readonly (readonly [string, ChainAccount])[];

/** Lamports at an address without an account, and a ban where the address is one's. */
function absentProbes({ instruction }: Setting, address: string): Changed {
  const gifts = [1n, RENT_OF_WALLET, 10_000_000n].map((lamports) => {
    return [`${lamports} lamports`, { ...nothing, lamports }] as const;
  });
  const banned = instruction.accounts.find((meta) => at.banRecord(meta.address).address === address);
  if (banned === undefined) return gifts;
  const ban = banRecordOf(banned.address);
  return [...gifts, ["a ban", ban], ...misshapen(ban)];
}

export function banRecordOf(address: string): ChainAccount {
  const record = { wallet: address, reason: 0, evidence_hash: new Uint8Array(32), listed_at: 0n };
  const { bump } = at.banRecord(address);
  const data = layouts.encodeAccount(layouts.banRecord, { ...record, authorizing_proposal: wallet("admin"), bump });
  return { lamports: 10_000_000n, owner: simulatedProfile.governanceProgram, data, executable: false };
}

function accountProbes(account: ChainAccount): Changed {
  const { data, owner, executable } = account;
  if (executable || owner.startsWith("Sysvar")) return [];
  if (owner === systemProgram) {
    const lamports = [5_000n, RENT_OF_WALLET, RENT_OF_WALLET + 5_000n, 2_000_000n, 3_000_000n];
    return lamports.map((left) => [`${left} lamports`, { ...account, lamports: left }] as const);
  }
  const wrong: Changed = [
    ["another owner", { ...account, owner: simulatedProfile.governanceProgram }],
    ...misshapen(account),
  ];
  const kind = kindOf(account);
  if (kind !== undefined) return [...wrong, ...fieldProbes(account, kind)];
  return data.length === TOKEN_ACCOUNT_BYTES ? tokenProbes(account) : mintProbes(account);
}

/** An account whose program wrote something else there. */
function misshapen(account: ChainAccount): Changed {
  const { data } = account;
  return [
    ["a byte short", { ...account, data: data.slice(0, -1) }],
    ["another kind", { ...account, data: data.map((byte, index) => (index === 7 ? byte ^ 1 : byte)) }],
  ];
}

/** The kind of an account of the programs. */
export function kindOf({ owner, data }: ChainAccount): AccountLayout<object> | undefined {
  const kinds = Object.values(layouts).filter((value): value is AccountLayout<never> => {
    return typeof value === "object" && "discriminator" in value;
  }) as unknown as readonly AccountLayout<object>[];
  return kinds.find((kind) => simulatedProfile[kind.owner] === owner && startsWith(data, kind.discriminator));
}

/** Each field at its limits and one off, each item of a list so. */
function fieldProbes(account: ChainAccount, kind: AccountLayout<object>): Changed {
  const decoded = layouts.decodeAccount(kind, simulatedProfile, account);
  if (!decoded.ok) return [];
  return Object.entries(decoded.value).flatMap(([name, value]) => {
    if (kind !== layouts.tradeEscrow && IDENTITY.test(name)) return [];
    if (name.endsWith("bump")) return [];
    return valuesNear(name, value, kind === layouts.disputeCase).map((next): readonly [string, ChainAccount] => {
      return [`${name} ${shown(next)}`, rewritten(kind, account, { ...decoded.value, [name]: next })];
    });
  });
}

/** What an account's address is derived from: the program writes it once, and nothing else can stand there. */
const IDENTITY = /^(merchant|mint|reservation_id|owner|role|wallet)$/;

/** A time may differ by little only: the clock is the chain's, and it is what the program counts with. */
const TIME = /(_at|_deadline)$/;

function valuesNear(name: string, value: unknown, grows: boolean): readonly unknown[] {
  if (typeof value === "bigint") {
    const near = [value - 1n, value + 1n].filter((next) => next >= 0n && next <= U64_MAX);
    return TIME.test(name) || name.endsWith("_secs") ? near : [0n, 1n, ...near, U64_MAX];
  }
  if (typeof value === "number") return [0, 1, 3, Math.max(0, value - 1), Math.min(255, value + 1)];
  if (typeof value === "boolean") return [!value];
  if (value === null) return [0, 3];
  if (typeof value === "string") return [wallet("nobody"), systemProgram];
  if (!Array.isArray(value)) return [];
  const [first] = value;
  const items = valuesNear(name, first, grows).map((next) => value.map((item, place) => (place === 0 ? next : item)));
  return value.length === 0 ? [] : [...items, ...(grows ? [value.slice(1)] : []), value.toReversed()];
}

function tokenProbes(account: ChainAccount): Changed {
  const amount = new DataView(account.data.buffer, account.data.byteOffset).getBigUint64(TOKEN.amount, true);
  const amounts = [0n, 1n, amount + 1n, amount > 0n ? amount - 1n : 0n].map((next) => {
    return [`amount ${next}`, withBytes(account, TOKEN.amount, u64Bytes(next))] as const;
  });
  const states = [0, 2].map((state) => [`state ${state}`, withBytes(account, TOKEN.state, [state])] as const);
  const others = (["mint", "authority"] as const).map((name) => {
    return [`another ${name}`, withBytes(account, TOKEN[name], [account.data[TOKEN[name]] === 1 ? 2 : 1])] as const;
  });
  return [...amounts, ...states, ...others, ["another owner", { ...account, owner: systemProgram }]];
}

function mintProbes(account: ChainAccount): Changed {
  if (account.data.length !== MINT.bytes) return [];
  return [
    ["not initialised", withBytes(account, MINT.initialized, [0])],
    ["a byte short", { ...account, data: account.data.slice(0, -1) }],
    ["a byte long", { ...account, data: Uint8Array.of(...account.data, 0) }],
    ["another owner", { ...account, owner: systemProgram }],
  ];
}

/** Each byte of the arguments at its limits, each of the name one off; a byte less and more. */
function dataProbes({ data }: Instruction): readonly Probe[] {
  const changed = [...data].flatMap((byte, place) => {
    return (place < 8 ? [byte ^ 1] : [0, byte ^ 1, 255]).map((next) => {
      return { name: `byte ${place} is ${next}`, data: data.map((old, index) => (index === place ? next : old)) };
    });
  });
  return [
    ...changed,
    { name: "a byte less", data: data.slice(0, -1) },
    { name: "a byte more", data: Uint8Array.of(...data, 0) },
  ];
}

function slotHashProbes(): readonly Probe[] {
  const [newest, ...older] = SLOT_HASHES;
  return [
    { name: "no slot hash", slotHashes: [] },
    { name: "one slot hash", slotHashes: newest === undefined ? [] : [newest] },
    { name: "older slot hashes", slotHashes: older },
  ];
}

/** Instants in an account that lie near now. */
function timesIn(account: ChainAccount, now: bigint): readonly bigint[] {
  const kind = kindOf(account);
  const decoded = kind === undefined ? undefined : layouts.decodeAccount(kind, simulatedProfile, account);
  if (decoded?.ok !== true) return [];
  const times = Object.entries(decoded.value).filter(([name, value]) => TIME.test(name) && typeof value === "bigint");
  return times.map(([, value]) => value as bigint).filter((time) => time > now / 2n);
}

function withBytes(account: ChainAccount, offset: number, bytes: ArrayLike<number>): ChainAccount {
  const data = account.data.slice();
  data.set(bytes, offset);
  return { ...account, data };
}

function u64Bytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

function shown(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(shown).join(" ")}]` : String(value);
}
