/**
 * Every schema that a domain exports, found by reading the folders, so that a new one is tested without being listed.
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { marketplace } from "../../core/domains.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import { list, option, pair, struct, variants } from "../../core/kernel/schema-composites.ts";
import {
  bool,
  byteArray,
  enumeration,
  f64,
  i32,
  small,
  u8,
  u16,
  u32,
  u64,
  u128,
} from "../../core/kernel/schema-scalars.ts";
import { Amount, FiatCurrency, MintAddress, PeerId, PublicKey, Signature, Text } from "../../core/kernel/values.ts";

const CORE = join(import.meta.dirname, "../../core");

/** A schema and where it was found. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Schema<unknown>;
}

/** One schema of every shape, each form of text that the kernel has, and deep nesting. */
const kernelSchemas: Readonly<Record<string, unknown>> = {
  bool,
  f64,
  i32,
  u8,
  u16,
  u32,
  u64,
  u128,
  small: small(16, { least: 3, most: 300 }),
  bytes: byteArray(null),
  bytes32: byteArray(32),
  names: enumeration("One", "Two", "Three"),
  text: Text,
  Amount,
  FiatCurrency,
  MintAddress,
  PeerId,
  PublicKey,
  Signature,
  nested: struct("Nested", {
    b: list(option(pair(f64, list(u16)))),
    a: variants({ Plain: Text, Deep: struct("Deep", { z: option(i32), a: list(byteArray(null)) }) }),
    'quote"d': option(f64),
  }),
};

/** Schemas of kernel and domains, and the wire form of every signed type. */
export const schemas: readonly NamedSchema[] = [
  ...schemasOf("kernel", kernelSchemas),
  ...marketplace.types.map((type) => ({ name: `${type.name} on the wire`, schema: type.wire as Schema<unknown> })),
  ...(await exported()),
];

async function exported(): Promise<readonly NamedSchema[]> {
  const found: NamedSchema[] = [];
  const paths = readdirSync(CORE, { recursive: true, encoding: "utf8" }).filter(
    (path) => basename(path) === "schema.ts",
  );
  for (const path of paths.sort((a, b) => (a < b ? -1 : 1))) {
    const exports = (await import(pathToFileURL(join(CORE, path)).href)) as Record<string, unknown>;
    found.push(...schemasOf(basename(dirname(path)), exports));
  }
  return found;
}

function schemasOf(folder: string, exports: Readonly<Record<string, unknown>>): readonly NamedSchema[] {
  return Object.entries(exports).flatMap(([name, value]) => {
    const schema = isSchema(value) ? value : isSigned(value) ? value.payload : undefined;
    return schema === undefined ? [] : [{ name: `${folder}/${name}`, schema }];
  });
}

function isSchema(value: unknown): value is Schema<unknown> {
  return typeof value === "object" && value !== null && "shape" in value && "decode" in value;
}

function isSigned(value: unknown): value is { readonly payload: Schema<unknown> } {
  return typeof value === "object" && value !== null && "tag" in value && "payload" in value;
}
