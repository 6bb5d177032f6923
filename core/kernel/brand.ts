/**
 * Brands: identifiers and units that the compiler tells apart. They cost nothing at run time, and the
 * only constructors are the decoders of core/kernel/schema.ts and the functions that compute them.
 */

declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
