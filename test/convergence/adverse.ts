/**
 * What in a story goes against its people, in labels: words by who has no say, contested, earned and void ids, names of
 * nothing, wrong dates, and the same words again. Stories have to be full of it, steered or not.
 * Source: CONVERGENCE "Records and ids", "No retroactive veto".
 */
import { TRANSCRIPT } from "../../core/kernel/schema.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { memberRead } from "../../sim/arbitraries/signed.ts";
import { arbitrators } from "./actors.ts";
import type { Story } from "./story.ts";
import { creates, named } from "./story.ts";

/** How far a date is from the moment before it counts as wrong, in milliseconds. */
const WRONG_MS = 300_000n;
/** Types that anybody may say of another's record. */
const ANYBODYS = ["ReservationRequest", "VoteCast"];

/** The least share of long stories in which each happens. */
export const ADVERSE: Readonly<Record<string, number>> = {
  "a stranger's word": 0.5,
  "a contested id": 0.7,
  "an earned id": 0.5,
  "a void id": 0.1,
  "a name that reaches one record": 0.5,
  "a name of nothing": 0.2,
  "dated back": 0.7,
  "dated ahead": 0.3,
  "the same words again": 0.5,
};

/** What goes wrong in a story. */
export function adverseIn(story: Story): readonly string[] {
  const [labels, texts] = [new Set<string>(), new Set<string>()];
  story.observations.forEach((each, place) => {
    if (each.type !== "statement") return;
    const { statement } = each;
    const moment = story.times[place] ?? story.now;
    if (statement.type.dated && statement.timestamp < moment - WRONG_MS) labels.add("dated back");
    if (statement.timestamp > moment + WRONG_MS) labels.add("dated ahead");
    if (statement.idForm === "void") labels.add("a void id");
    if (statement.idForm === "earned") labels.add("an earned id");
    if (isContested(story, statement)) labels.add("a contested id");
    for (const label of ofReference(story, statement)) labels.add(label);
    const text = textOf(statement);
    if (texts.has(text)) labels.add("the same words again");
    texts.add(text);
  });
  return [...labels];
}

function ofReference(story: Story, { type, payload, signer }: Statement): readonly string[] {
  const reference = type.about(payload as never);
  if (reference === undefined) return [];
  const parents = named(story, reference.kind, reference.name);
  if (parents.length === 0) return ["a name of nothing"];
  const isName = parents.some(({ name }) => name === reference.name);
  const entitled = [
    ...parents.flatMap((parent) => Object.values(parent.payload as object)),
    ...panelOf(reference.kind),
  ];
  const isStranger = !ANYBODYS.includes(type.name) && !entitled.includes(signer);
  return [...(isName ? ["a name that reaches one record"] : []), ...(isStranger ? ["a stranger's word"] : [])];
}

function panelOf(kind: string): readonly string[] {
  return kind === "dispute" ? arbitrators.map(({ peer }) => peer) : [];
}

function isContested(story: Story, { type, payload, identity }: Statement): boolean {
  const id = type.idOf(payload as never);
  if (type.creates === undefined || id === undefined) return false;
  return creates(story, type.creates).some(
    (other) => other.identity !== identity && other.type.idOf(other.payload as never) === id,
  );
}

/** A statement without its date. */
function textOf({ type, payload }: Statement): string {
  const member = memberRead(payload as object, type.timeOf as never) ?? "";
  return `${type.name} ${type.payload.write({ ...(payload as object), [member]: 0n } as never, TRANSCRIPT)}`;
}
