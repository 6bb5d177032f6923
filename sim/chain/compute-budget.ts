/**
 * What a transaction asks of the compute budget, and the fee that comes of it: so many lamports a signature, and the
 * price of a unit times the units that it may use, rounded up. Source: Solana's compute budget program and fee rules.
 */
import type { Field, ParsedMessage } from "../../core/testing.ts";
import { struct, systemProgram, u8, u32, u64 } from "../../core/testing.ts";
import type { ExecutionError } from "./executor.ts";

/** The program that takes the wishes. Source: Solana's compute budget program. */
export const computeBudgetProgram = "ComputeBudget111111111111111111111111111111";
/** Lamports a signature costs. Source: Solana's default fee. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Units of one transaction. Source: Solana's compute budget. */
export const UNITS_MAX = 1_400_000;
/**
 * Units of an instruction, and of one of the validator's own programs, when none are asked for. Source: Solana's
 * compute budget.
 */
const UNITS_PER_CALL = 200_000;
const UNITS_PER_BUILTIN = 3_000;
/** Micro-lamports of a lamport. */
const MICRO = 1_000_000n;
/** Bytes of a heap: least, most, and what it is a multiple of. Source: Solana's compute budget. */
const HEAP = { least: 32_768, most: 262_144, step: 1_024 };
/** Programs of the validator itself, which log no units. Source: Solana's built-in programs. */
export const builtins: readonly string[] = [systemProgram, computeBudgetProgram];

/** What a message asks for. */
export interface Budget {
  readonly units: number;
  /** Micro-lamports a unit. */
  readonly unitPrice: bigint;
}

const u8Tag = struct({ kind: u8 });
const u32Wish = struct({ kind: u8, value: u32 });
const u64Wish = struct({ kind: u8, value: u64 });
const KINDS = { heap: 1, units: 2, price: 3, loadedBytes: 4 } as const;

/** The budget, or why the whole transaction is refused. */
export function budgetOf(message: ParsedMessage): Budget | ExecutionError {
  const called = message.instructions.map(({ programIndex }) => message.accounts[programIndex] ?? systemProgram);
  let [units, unitPrice]: [number | undefined, bigint] = [undefined, 0n];
  let [badHeap, noLoadedBytes]: [number | undefined, boolean] = [undefined, false];
  const asked = new Set<number>();
  for (const [instruction, { data }] of message.instructions.entries()) {
    if (called[instruction] !== computeBudgetProgram) continue;
    const kind = read(u8Tag, data)?.kind ?? 0;
    const value = kind === KINDS.price ? read(u64Wish, data)?.value : read(u32Wish, data)?.value;
    if (!Object.values<number>(KINDS).includes(kind) || value === undefined) {
      return { type: "other", instruction, name: "InvalidInstructionData" };
    }
    if (asked.has(kind)) return { type: "other", instruction: null, name: "DuplicateInstruction" };
    asked.add(kind);
    if (kind === KINDS.heap && !isHeap(value)) badHeap = instruction;
    if (kind === KINDS.loadedBytes && value === 0) noLoadedBytes = true;
    if (kind === KINDS.units) units = Number(value);
    if (kind === KINDS.price) unitPrice = BigInt(value);
  }
  // Only once all wishes could be read is any of them weighed.
  if (badHeap !== undefined) return { type: "other", instruction: badHeap, name: "InvalidInstructionData" };
  if (noLoadedBytes) return { type: "other", instruction: null, name: "InvalidLoadedAccountsDataSizeLimit" };
  return { units: Math.min(UNITS_MAX, units ?? usualUnits(called)), unitPrice };
}

/** The fee of a message, in lamports. */
export function feeOf(message: ParsedMessage): bigint {
  const signatures = LAMPORTS_PER_SIGNATURE * BigInt(message.requiredSignatures);
  const budget = budgetOf(message);
  if ("type" in budget) return signatures;
  return signatures + (budget.unitPrice * BigInt(budget.units) + MICRO - 1n) / MICRO;
}

function usualUnits(called: readonly string[]): number {
  return called.reduce((sum, program) => sum + (builtins.includes(program) ? UNITS_PER_BUILTIN : UNITS_PER_CALL), 0);
}

function isHeap(value: number | bigint): boolean {
  const bytes = Number(value);
  return bytes >= HEAP.least && bytes <= HEAP.most && bytes % HEAP.step === 0;
}

/** Bytes behind the wish are not looked at. */
function read<T>(field: Field<T>, data: Uint8Array): T | undefined {
  return field.read(data, 0)?.value;
}
