/**
 * Results: how the core says "no" without throwing.
 * A refusal is a value; only a bug stops the node (core/kernel/assert.ts).
 */

export type Ok<T> = { readonly ok: true; readonly value: T };
export type Err<E> = { readonly ok: false; readonly error: E };
/** A value, or the reason why there is none. */
export type Result<T, E> = Ok<T> | Err<E>;

/** A successful result. */
export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** A failed result. */
export function err<E>(error: E): Err<E> {
  return { ok: false, error };
}
