/**
 * Who bears a name, found by going through everything: what the indexes and the identity that a name spells find has
 * to be the same. Source: CONVERGENCE "Records and ids".
 */
import {
  contenders,
  contendersOf,
  countContenders,
  hasParent,
  isWithinLife,
  namesOf,
  parentsOf,
  Statements,
  slot,
} from "../../core/engine/statements/table.ts";
import type { Reference, Statement } from "../../core/kernel/signed.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import type { Observation } from "./replica.ts";
import { replicaOf } from "./replica.ts";
import { everyone } from "./story.ts";

const keysOf = (statements: readonly Statement[]) =>
  statements
    .map(({ identity }) => identity)
    .sort(compareText)
    .join(" ");

function partiesOf({ type, payload }: Statement): readonly PeerId[] {
  return type.creates === undefined ? [] : type.parties(payload as never);
}

/** The first name, or statement about one, for which somebody else is found; and what kinds of names there were. */
export function namesLaw(observations: readonly Observation[]) {
  const reader = replicaOf(observations).store();
  const all = [...reader.keys(Statements)].flatMap((key) => reader.get(Statements, key) ?? []);
  const aboutOf = ({ type, payload }: Statement) => type.about(payload as never);
  const labels = new Set<string>();
  const bearers = (record: Reference, among?: readonly PeerId[]) =>
    all.filter(
      (each) =>
        namesOf(each).some((name) => slot(name) === slot(record)) &&
        (among === undefined || partiesOf(each).some((party) => among.includes(party))),
    );
  const differs = (what: string, found: readonly Statement[], meant: readonly Statement[]) =>
    keysOf(found) === keysOf(meant) ? [] : [`${what}: ${keysOf(found)} in the place of ${keysOf(meant)}`];

  function* wrong(): Iterable<string> {
    const named = all.flatMap((each) => [...namesOf(each), aboutOf(each) ?? []].flat());
    const records = named.flatMap((each) => [each, { ...each, kind: "session" as const }]);
    for (const record of new Map(records.map((each) => [slot(each), each])).values()) {
      const meant = bearers(record);
      if (meant.some(({ name }) => name === record.name)) labels.add("by identity");
      if (meant.length > 1) labels.add("several");
      if (meant.length === 0) labels.add("nobody");
      yield* differs(slot(record), contenders(reader, record.kind, record.name), meant);
      if (countContenders(reader, record) !== meant.length) yield `${slot(record)} is counted otherwise`;
      for (const [at, { peer }] of everyone.entries()) {
        const parties = at % 2 === 0 ? [peer] : [peer, ...(meant[0] === undefined ? [] : partiesOf(meant[0]))];
        yield* differs(
          `${slot(record)} of ${parties}`,
          contendersOf(reader, record, parties),
          bearers(record, parties),
        );
      }
    }
    for (const each of all) {
      const record = aboutOf(each);
      if (record === undefined) continue;
      const among = each.type.among?.(each.payload as never);
      const meant = bearers(record, among).filter((create) => isWithinLife(reader, create, each));
      if (meant.some(({ name }) => name === record.name)) labels.add("about an identity");
      if (among !== undefined && meant.length > 0) labels.add("among parties");
      yield* differs(`what ${each.identity} is about`, parentsOf(reader, each), meant);
      if (hasParent(reader, each, () => true) !== meant.length > 0) yield `${each.identity} is about something, or not`;
    }
  }
  const [different] = wrong();
  return { different, labels: [...labels] };
}
