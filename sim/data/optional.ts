/**
 * Structs whose members may be left out and then stay out: what a program writes, and what a file holds, look alike.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Fields, Infer, Schema } from "../../core/index.ts";
import { option, struct } from "../../core/index.ts";

type LeftOut<F extends Fields> = { [K in keyof F]: undefined extends Infer<F[K]> ? K : never }[keyof F];
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The value of such a struct. */
export type PlainOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, LeftOut<F>>]: Infer<F[K]> } & { [K in LeftOut<F>]?: Exclude<Infer<F[K]>, undefined> }
>;

/** A member that may be left out. */
export function may<T>(of: Schema<T>): Schema<T | undefined> {
  const { shape, write, encode, read } = option(of);
  return {
    shape,
    absent: undefined,
    ...(of.floats && { floats: true }),
    decode: (node, decoder) => (node === null ? undefined : of.decode(node, decoder)),
    write: (value, style) => write(value ?? null, style),
    encode: (value, writer) => encode(value ?? null, writer),
    read: (reader) => read(reader) ?? undefined,
  };
}

/** A plain object with these members, without those that were left out. */
export function plain<const F extends Fields>(name: string, fields: F): Schema<PlainOf<F>> & { readonly fields: F } {
  const { shape, floats, decode, write, encode, read } = struct(name, fields) as unknown as Schema<object>;
  return {
    fields,
    shape,
    ...(floats && { floats }),
    decode: (node, decoder) => given(decode(node, decoder)) as PlainOf<F>,
    write,
    encode,
    read: (reader) => given(read(reader)) as PlainOf<F>,
  };
}

/** The members of a value that a schema of plain objects has; what else stands there is somebody else's. */
export function only<const F extends Fields>({ fields }: { readonly fields: F }, value: PlainOf<F>): PlainOf<F> {
  const members = Object.entries(value).filter(([name]) => Object.hasOwn(fields, name));
  return given(Object.fromEntries(members)) as PlainOf<F>;
}

function given(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
