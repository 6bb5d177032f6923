/**
 * Rows of the cost law for every signed type that has none of its own: the same words, drawn from the type's schema, by
 * many others about the same record, and then by one more. So a type that is added is measured at once.
 * Source: CONVERGENCE B5.
 */
import { marketplace } from "../../core/domains.ts";
import { known } from "../../core/kernel/assert.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { memberRead } from "../../sim/arbitraries/signed.ts";
import type { Actor } from "../convergence/actors.ts";
import { at, merchant } from "../convergence/actors.ts";
import { drawnStatement } from "../convergence/any-statement.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import type { Story } from "../convergence/story.ts";
import { add, emptyStory } from "../convergence/story.ts";
import type { CostRow } from "./cost-row.ts";

/** Names of the records of a trade, by what they are. */
const TRADE: Readonly<Record<string, string>> = {
  advertisement: "ad",
  reservation: "42",
  settlement: "s",
  dispute: "d",
};
/** Draws of one statement until it bears its id as it is written. */
const DRAWS = 64;

/** What peers can tell each other: a type without an event is between two people. */
export const pushedTypes = marketplace.types.filter(({ event }) => event !== "");

/** The rows of all types but some; `someone` gives people by name, `trade` is a trade up to its case. */
export function drawnRows(
  named: ReadonlySet<string>,
  trade: readonly Statement[],
  someone: (name: string) => Actor,
): readonly CostRow[] {
  return pushedTypes.filter(({ name }) => !named.has(name)).map((type) => rowOf(type, trade, someone));
}

function rowOf(type: SignedType, trade: readonly Statement[], someone: (name: string) => Actor): CostRow {
  const story = emptyStory();
  for (const each of trade) add(story, each);
  const sample = statementBy(story, type, merchant, at(-3));
  const about = type.about(sample.payload as never);
  const creator = about && marketplace.types.find(({ creates }) => creates === about.kind);
  const ground = [...trade];
  const members: Record<string, unknown> = {};
  if (about !== undefined && creator !== undefined && !ground.some((each) => isOf(each, about))) {
    const member = known(memberRead(sample.payload as object, type.about as never), "the member that names a record");
    const id = TRADE[about.kind] ?? "the-record";
    members[member] = id;
    if (TRADE[about.kind] === undefined)
      ground.push(statementBy(story, creator, merchant, at(-90), { [idMemberOf(creator, story)]: id }));
  }
  return {
    ...{ type: type.name, among: "those of others", ground },
    crowd: (n) => [statementBy(story, type, someone(`another ${n}`), at(-2), members)],
    one: (n) => statementBy(story, type, merchant, at(n / 100), members),
  };
}

/** Whether a statement created what is named. */
function isOf({ type, payload, name }: Statement, about: { readonly kind: string; readonly name: string }): boolean {
  return type.creates === about.kind && (type.idOf(payload as never) === about.name || name === about.name);
}

function idMemberOf(type: SignedType, story: Story): string {
  const { payload } = statementBy(story, type, merchant, at(-90));
  return known(memberRead(payload as object, type.idOf as never), "the member that bears the id");
}

/** The same words each time, but for who says them and when. */
function statementBy(story: Story, type: SignedType, by: Actor, when: EpochMillis, members = {}): Statement {
  for (let seed = 0; seed < DRAWS; seed++) {
    const draws = { story, when, below: shuffleOf(seed).below };
    const statement = drawnStatement(draws, type, by, members);
    if (statement.idForm === "plain") return statement;
  }
  throw new Error(`no ${type.name} bears a plain id`);
}
