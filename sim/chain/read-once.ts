/**
 * Reading an account's bytes once. The bytes are never written again after an account holds them, so what was read
 * from them stays true and is kept as long as they are. A fee configuration alone is thirty addresses, and nearly
 * every instruction asks for it. Source: ours.
 */

export interface ReadOnce<T> {
  of(data: Uint8Array): T;
  /** Says beforehand what reading these bytes answers. */
  known(data: Uint8Array, value: T): void;
}

/** `read` must depend on nothing but the bytes. */
export function readOnce<T>(read: (data: Uint8Array) => T): ReadOnce<T> {
  const answers = new WeakMap<Uint8Array, { readonly value: T }>();
  return {
    of: (data) => {
      const answered = answers.get(data);
      if (answered !== undefined) return answered.value;
      const value = read(data);
      answers.set(data, { value });
      return value;
    },
    known: (data, value) => {
      answers.set(data, { value });
    },
  };
}
