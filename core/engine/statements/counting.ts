/**
 * How many of one signer's statements count about one record. Not here: which of them the set drops
 * (core/engine/statements/own-statements.ts). Source: CONVERGENCE B1.
 */

import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";

/**
 * Of statements about one record those that count: of each signer and type the greatest (timestamp, identity), as many
 * as the type says, of each text where it tells them apart, whatever rests on them, so that two sets that are merged
 * in any order give the same. Source: CONVERGENCE B1.
 */
export function counting<P>(
  reader: Pick<Reader, "endless">,
  statements: readonly Statement<P>[],
): readonly Statement<P>[] {
  if (reader.endless || statements.every(({ type }) => type.ownDepth === undefined)) return statements;
  const groups = new Map<string, Statement<P>[]>();
  for (const statement of statements) {
    const group = `${statement.type.name}/${statement.signer}/${apartBy(statement)}`;
    const held = groups.get(group);
    if (held === undefined) groups.set(group, [statement]);
    else held.push(statement);
  }
  return [...groups.values()].flatMap((group) => {
    const depth = group[0]?.type.ownDepth ?? Infinity;
    return group.length <= depth ? group : group.sort(compareStatements).slice(-depth);
  });
}

/** What a statement's type tells it apart by from others of its signer about one record. Source: CONVERGENCE B1. */
export function apartBy({ type, payload }: Statement): string {
  return type.apart?.(payload as never) ?? "";
}
