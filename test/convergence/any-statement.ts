/**
 * A statement of any signed type, made from a few numbers by a fold over its schema: so a type takes part in every
 * story the moment it is declared. Members that name a record, a person or an instant name those of the story; hints
 * make the rest mean something often enough. Source: CONVERGENCE "Records and ids"; DESIGN section 3, "Schema".
 */
import type { Schema, Shape, TextForm } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import { toBase58, toBase64 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { memberRead, nameSigner } from "../../sim/arbitraries/signed.ts";
import type { Actor } from "./actors.ts";
import { at, sign } from "./actors.ts";
import { hints } from "./hints.ts";
import { shuffleOf } from "./shuffle.ts";
import type { Draws, Story } from "./story.ts";
import { creates, everyone, merchants, naming, pick, someone, takers, withIdForm } from "./story.ts";

export type Members = Readonly<Record<string, unknown>>;

/** Whoever speaks outside trades: few, so that they meet. */
const actors: readonly Actor[] = [...merchants, ...takers];
const CIDS = ["q", "a"].map((last) => `bafkrei${"a".repeat(51)}${last}`);

/** A statement of a type by whoever and about whatever the numbers say. */
export function anyStatement(
  story: Story,
  type: SignedType,
  [a, b, c]: readonly [number, number, number],
  when: EpochMillis,
): Statement {
  const payload = drawnPayload(type, { story, when, below: shuffleOf(a * 7_919 + b * 104_729 + c).below }, b % 2);
  const parent = nameParent(story, type, payload, a, b);
  const drawnSigner = everyone.find(({ peer }) => peer === type.signerOf(payload as never));
  const by = c % 7 === 0 ? someone(everyone, b) : (someoneNamedBy(parent, c) ?? drawnSigner ?? someone(actors, a));
  return signedBy(story, type, by, payload, a + b);
}

/** A statement of a type by somebody in which some members are given and the rest is drawn. */
export function drawnStatement(draws: Draws, type: SignedType, by: Actor, members: Members = {}): Statement {
  const payload = drawnPayload(type, draws, draws.below(3));
  return signedBy(draws.story, type, by, { ...payload, ...members }, draws.below(99));
}

function drawnPayload(type: SignedType, draws: Draws, id: number): Record<string, unknown> {
  const drawn = fieldsOf(type.payload.fields, draws) as RecordOf<Fields>;
  const payload: Record<string, unknown> = { ...drawn, ...hints[type.name]?.(drawn, draws) };
  const idMember = type.creates && memberRead(payload, type.idOf as never);
  if (idMember !== undefined) payload[idMember] = `${type.creates}-${id}`;
  payload[memberRead(payload, type.timeOf as never) ?? ""] = draws.when;
  return payload;
}

function signedBy(story: Story, type: SignedType, { peer, key }: Actor, payload: Members, n: number): Statement {
  const statement = sign(type, nameSigner(type, payload as RecordOf<Fields>, { peer, publicKey: key }));
  return type.creates === undefined ? statement : withIdForm(story, type, statement as Statement<RecordOf<Fields>>, n);
}

/** Fills the member that names a parent; answers the parent, if there is one. */
function nameParent(
  story: Story,
  type: SignedType,
  payload: Record<string, unknown>,
  a: number,
  b: number,
): Statement | undefined {
  const reference = type.about(payload as never);
  const member = reference && memberRead(payload, type.about as never);
  if (reference === undefined || member === undefined) return undefined;
  const parent = pick(creates(story, reference.kind), a);
  payload[member] = naming(parent?.name === "" ? undefined : parent, b);
  if (parent?.name === "") payload[member] = parent.type.idOf(parent.payload as never);
  return parent;
}

/** Somebody whom a payload names. */
function someoneNamedBy(statement: Statement | undefined, n: number): Actor | undefined {
  const values = Object.values((statement?.payload ?? {}) as Members);
  return pick(
    everyone.filter(({ peer }) => values.includes(peer)),
    n,
  );
}

function fieldsOf(fields: Fields, draws: Draws): Members {
  return Object.fromEntries(
    Object.entries(fields).map(([member, schema]) => [member, drawnValue(schema, member, draws)]),
  );
}

/** A value of a schema: small, few, and often equal to others. */
function drawnValue({ shape }: Schema<unknown>, member: string, draws: Draws): unknown {
  const { below } = draws;
  switch (shape.type) {
    case "text":
      return textOf(shape.form, member, draws);
    case "integer":
      return integerOf(shape, member, draws);
    case "float":
      return pick([129.5, 130.25, 1e-7], below(3));
    case "boolean":
      return below(2) === 0;
    case "nothing":
      return null;
    case "bytes":
      return new Uint8Array(shape.length ?? 12).fill(below(3));
    case "option":
      return below(2) === 0 ? null : drawnValue(shape.of, member, draws);
    case "list":
      return Array.from({ length: below(3) }, () => drawnValue(shape.of, member, draws));
    case "pair":
      return [drawnValue(shape.first, member, draws), drawnValue(shape.second, member, draws)];
    case "enumeration":
      return pick(shape.names, below(shape.names.length));
    case "either":
      return drawnValue(pick(shape.of, below(shape.of.length)) as Schema<unknown>, member, draws);
    case "variants": {
      const name = pick(Object.keys(shape.of), below(Object.keys(shape.of).length)) ?? "";
      return { [name]: drawnValue(shape.of[name] as Schema<unknown>, name, draws) };
    }
    case "kinds":
      return drawnValue(pick(Object.values(shape.of), below(Object.keys(shape.of).length)) as never, member, draws);
    case "struct":
      return fieldsOf(shape.fields as Fields, draws);
  }
}

function integerOf({ bits, range }: Extract<Shape, { type: "integer" }>, member: string, draws: Draws): unknown {
  if (bits === 64 && /(^|_)at$|timestamp/.test(member)) return instant(draws);
  const value = (range?.least ?? 0) + draws.below(range === undefined ? 4 : range.most - range.least + 1);
  return bits === 64 ? BigInt(value) : value;
}

/** Up to half an hour around when it is said, hours later, or weeks. */
function instant({ when, below }: Draws): EpochMillis {
  const minutes = pick([-5, 5, 30, 120, 600, 20_000], below(6)) ?? 0;
  return (when + BigInt(minutes * 60_000)) as EpochMillis;
}

const texts: Readonly<Record<TextForm, (draws: Draws) => unknown>> = {
  plain: ({ below }) => pick(["", "one", "two", "three", "é"], below(5)),
  base64: ({ below }) => toBase64(Uint8Array.of(below(3))),
  cid: ({ below }) => pick(CIDS, below(CIDS.length)),
  currency: ({ below }) => pick(["KES", "NGN"], below(2)),
  location: ({ below }) => `https://host${below(2)}.net/file`,
  mint: ({ below }) => toBase58(new Uint8Array(32).fill(1 + below(2))),
  "payment-method": ({ below }) => pick(["builtin:m-pesa", "builtin:bank-transfer"], below(2)),
  "peer-id": ({ below }) => someone(actors, below(actors.length)).peer,
  "public-key": ({ below }) => someone(actors, below(actors.length)).key,
  signature: ({ below }) => toBase58(new Uint8Array(64).fill(below(3))),
};

/** Members that name something of their own kind are drawn from few names. */
function textOf(form: TextForm, member: string, draws: Draws): unknown {
  if (form === "plain" && /(^|_)id$/.test(member)) return `${member}-${draws.below(2)}`;
  return texts[form](draws);
}

/**
 * The instants of a story: five minutes apart, two hours in all unless its time goes faster, now and then a few
 * milliseconds beside.
 */
export function slotOf(when: number): EpochMillis {
  return at(5 * (when % 24) + (Math.trunc(when / 24) % 7 === 0 ? 0.001 : 0));
}
