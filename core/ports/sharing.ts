/**
 * What nodes of one process may share: values that are functions of what they were made of, made once. A node with
 * this port and one without it do the same, byte for byte; what is handed out is never changed by anybody. One port
 * belongs to one cryptography, and is bounded by whoever gives it. Source: DESIGN section 5 "Sharing", L10, L11.
 */

/** Values by how they are made, which an object of the core names, and by what they are made of. */
export interface SharingPort {
  /** What is made of these bytes, told apart by what they are. */
  ofBytes<V>(way: object, bytes: Uint8Array, make: () => V): V;
  /** What is made of a value that never changes, told apart by identity. */
  of<V>(way: object, value: object, make: () => V): V;
  /** What was kept under a text, the newest first; some of it, or nothing. */
  kept<V>(way: object, text: string): readonly V[];
  keep<V>(way: object, text: string, value: V): void;
}
