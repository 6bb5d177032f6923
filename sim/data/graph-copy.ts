/**
 * A graph of values once more: what was one object is one object again, in other places. Byte arrays are never written
 * into and stand in both; so does whatever `isKept` says. Nothing here recurses. Source: DESIGN section 5 "Everything
 * is data".
 */

/** Copies a value and all that it leads to, but for what is kept as it is. */
export function copyGraph<T>(value: T, isKept: (object: object) => boolean): T {
  const copies = new Map<object, object>();
  const copied = (member: unknown): unknown => {
    if (typeof member !== "object" || member === null || member instanceof Uint8Array) return member;
    const known = copies.get(member);
    if (known !== undefined) return known;
    if (isKept(member)) return member;
    const shell = shellOf(member);
    copies.set(member, shell);
    return shell;
  };
  const top = copied(value);
  // A map goes on through what is added to it meanwhile.
  for (const [object, shell] of copies) fill(object, shell, copied);
  return top as T;
}

type Members = Record<string, unknown>;

function shellOf(object: object): object {
  if (Array.isArray(object)) return [];
  if (object instanceof Map) return new Map();
  return object instanceof Set ? new Set() : {};
}

function fill(object: object, shell: object, copied: (member: unknown) => unknown): void {
  if (Array.isArray(object)) for (const item of object) (shell as unknown[]).push(copied(item));
  else if (object instanceof Map)
    for (const [key, item] of object) (shell as Map<unknown, unknown>).set(copied(key), copied(item));
  else if (object instanceof Set) for (const item of object) (shell as Set<unknown>).add(copied(item));
  else for (const name of Object.keys(object)) (shell as Members)[name] = copied((object as Members)[name]);
}
