/**
 * Brands: identifiers and units that the compiler tells apart. They cost nothing at run time, and the
 * only constructors are the decoders of core/kernel/schema.ts and the functions that compute them.
 */

declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** A type as a caller outside may write it: brands taken off, at every depth; choices of names stay. */
export type Unbranded<T> = T extends { readonly [brand]: string }
  ? T extends string
    ? string
    : bigint
  : T extends Uint8Array | string | number | bigint | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: Unbranded<T[K]> };
