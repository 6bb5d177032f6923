/**
 * What the model keeps of an account. Rules work on values, and only whoever looks at the chain wants bytes; so an
 * account holds its value, its bytes, or both, and the missing one is made when somebody asks, once. Contents are
 * shared freely: what one means never changes. Source: DESIGN "Simulated world".
 */
import type { ChainAccount } from "../executor.ts";

/** How one kind of account is read from its data, and written. */
export interface Codec<T> {
  /** Undefined when the data is no such account. */
  read(data: Uint8Array): T | undefined;
  /** The data of an account that holds `value`; `below` is the data it replaces, undefined for a new account. */
  write(value: T, below: Uint8Array | undefined): Uint8Array;
}

/** An account's data. */
export interface Content {
  readonly length: number;
  bytes: Uint8Array | undefined;
  /** The kind that `value` was last read or written as. */
  codec: Codec<unknown> | undefined;
  /** Undefined when the data is not of that kind. */
  value: unknown;
  /** While there are no bytes: those that writing the value begins with. */
  below: Uint8Array | undefined;
}

export interface HeldAccount {
  readonly lamports: bigint;
  readonly owner: string;
  readonly content: Content;
  readonly executable: boolean;
}

export function contentOf(bytes: Uint8Array): Content {
  return { length: bytes.length, bytes, codec: undefined, value: undefined, below: undefined };
}

/** Data of a new account. `value` must be what reading the written bytes would answer. */
export function contentOfValue<T>(codec: Codec<T>, length: number, value: T): Content {
  return { length, bytes: undefined, codec: codec as Codec<unknown>, value, below: undefined };
}

/**
 * The data with another value of a kind that writes over the same bytes each time, so that what an unread value would
 * have written is written over anyway. `value` must be what reading the written bytes would answer.
 */
export function replaced<T>(codec: Codec<T>, before: Content, value: T): Content {
  const below = before.bytes === undefined && before.codec === codec ? before.below : bytesOf(before);
  return { length: before.length, bytes: undefined, codec: codec as Codec<unknown>, value, below };
}

/** The data as bytes, which nobody may write to. */
export function bytesOf(content: Content): Uint8Array {
  if (content.bytes !== undefined) return content.bytes;
  const bytes = (content.codec as Codec<unknown>).write(content.value, content.below);
  content.bytes = bytes;
  content.below = undefined;
  return bytes;
}

/** The data as a value of one kind; undefined when it is none. */
export function valueIn<T>(codec: Codec<T>, content: Content): T | undefined {
  if (content.codec === codec) return content.value as T | undefined;
  const value = codec.read(bytesOf(content));
  content.codec = codec as Codec<unknown>;
  content.value = value;
  return value;
}

export function heldOf(account: ChainAccount): HeldAccount {
  const { lamports, owner, data, executable } = account;
  return { lamports, owner, content: contentOf(data), executable };
}

/** The account as the chain shows it. */
export function shownOf(account: HeldAccount): ChainAccount {
  const { lamports, owner, content, executable } = account;
  return { lamports, owner, data: bytesOf(content), executable };
}

/** The same account with other data. */
export function withContent(account: HeldAccount, content: Content): HeldAccount {
  return { lamports: account.lamports, owner: account.owner, content, executable: account.executable };
}

/** The same account with other lamports. */
export function withLamports(account: HeldAccount, lamports: bigint): HeldAccount {
  return { lamports, owner: account.owner, content: account.content, executable: account.executable };
}
