/**
 * What senders do wrong: a statement signed by another, with another's key, dated ahead or long ago, by a stranger, of
 * nothing, too long, too large, empty, said again; and far too many of them. Each spoils a statement of a story,
 * whatever its type. Source: protocol 01 §13.1, §15 W12; CONVERGENCE "Three layers".
 */
import type { Schema } from "../../core/kernel/schema.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { later } from "../../core/kernel/values.ts";
import { memberRead, nameSigner } from "../../sim/arbitraries/signed.ts";
import type { Actor } from "./actors.ts";
import { crypto, stranger } from "./actors.ts";

/** What is sent, and who really signs it. */
export interface Sent {
  readonly type: SignedType;
  readonly payload: RecordOf<Fields>;
  readonly by: Actor;
}

type Spoil = (sent: Sent, now: EpochMillis) => readonly Sent[];

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Above the bound on ids and on most texts, and above all of them. */
const [LONG, ENDLESS] = [200, 20_000];
const ENORMOUS = (1n << 63n) - 1n;
/** 32 bytes that are no point of the curve. */
const NO_POINT = toBase58(noPoint());
/** What of a type a signer says far too often, each time of another. */
const CROWDS: Readonly<Record<string, (n: number) => object>> = {
  PaymentMethodDefine: (n) => ({ name: `Kiosk ${n}` }),
  ClaimPublish: (n) => ({ id: `many-${n}`, supersedes: null, expires_at: null, claim_type: "Email", value: "one" }),
  AttachmentPublish: (n) => ({ id: `many-${n}` }),
  ReviewPublish: (n) => ({ settlement: `many-${n}` }),
};
/** More than the most of any of them. */
const CROWD = 70;
/** Of so many spoiled statements one is said by a crowd, if it may be. */
const CROWD_OF = 30;

const spoils: readonly Spoil[] = [
  forged,
  (sent) => keyed(sent, stranger.key),
  (sent) => keyed(sent, NO_POINT),
  (sent, now) => dated(sent, later(now, 10 * MINUTE_MS)),
  (sent, now) => dated(sent, (now - BigInt(2 * DAY_MS)) as EpochMillis),
  (sent, now) => dated(sent, later(now, 1)),
  (sent) => dated(sent, later(sent.type.timeOf(sent.payload), -1)),
  ({ type, payload }) => [
    { type, by: stranger, payload: nameSigner(type, payload, { peer: stranger.peer, publicKey: stranger.key }) },
  ],
  (sent) => about(sent, "nobody"),
  (sent) => changed(sent, (shape, member) => (isId(shape, member) ? "x".repeat(LONG) : undefined)),
  (sent) => changed(sent, (shape, member) => (isId(shape, member) ? "" : undefined)),
  (sent) => changed(sent, (shape, member) => (isText(shape) && !isId(shape, member) ? "x".repeat(ENDLESS) : undefined)),
  (sent) => changed(sent, (shape, member) => (isText(shape) && !isId(shape, member) ? "\u0007" : undefined)),
  (sent) => changed(sent, (shape) => otherText(shape)),
  (sent) => changed(sent, (_, member) => (member === "id" && sent.type.creates !== undefined ? "another" : undefined)),
  (sent) => changed(sent, (shape) => (isCount(shape) ? 0n : undefined)),
  (sent) => changed(sent, (shape) => (isCount(shape) ? ENORMOUS : undefined)),
  (sent) => changed(sent, (shape) => (shape.type === "list" ? [] : undefined)),
  (sent) => [sent, sent],
];

/** A statement that somebody else signed. */
export function forged(sent: Sent): readonly Sent[] {
  return [{ ...sent, by: stranger }];
}

/** A statement as somebody spoils it, in the first way that suits its type. */
export function spoiled(sent: Sent, now: EpochMillis, n: number): readonly Sent[] {
  if (n % CROWD_OF === 0) return crowded(sent);
  const first = n % spoils.length;
  for (const spoil of [...spoils.slice(first), ...spoils.slice(0, first)]) {
    const wrong = spoil(sent, now);
    if (wrong.length > 0) return wrong;
  }
  return [];
}

type Shape = Schema<unknown>["shape"];

/** Changes the members that a rule says, amounts included; nothing where none is one. */
function changed(sent: Sent, rule: (shape: Shape, member: string) => unknown): readonly Sent[] {
  const { type, payload } = sent;
  const date = memberRead(payload, type.timeOf);
  const members = Object.entries(type.payload.fields).flatMap(([member, { shape }]) => {
    if (member === date) return [];
    const held = (payload as Readonly<Record<string, unknown>>)[member];
    const value = shape.type === "struct" ? changedIn(shape, held, rule) : rule(shape, member);
    return value === undefined ? [] : [[member, value]];
  });
  return members.length === 0 ? [] : [{ ...sent, payload: { ...payload, ...Object.fromEntries(members) } }];
}

function changedIn(
  { fields }: Extract<Shape, { readonly type: "struct" }>,
  held: unknown,
  rule: (shape: Shape, member: string) => unknown,
): unknown {
  const members = Object.entries(fields).flatMap(([member, { shape }]) => {
    const value = rule(shape, member);
    return value === undefined ? [] : [[member, value]];
  });
  return members.length === 0 ? undefined : { ...(held as object), ...Object.fromEntries(members) };
}

function keyed(sent: Sent, key: string): readonly Sent[] {
  const member = memberRead(sent.payload, sent.type.keyOf);
  return member === undefined ? [] : [{ ...sent, payload: { ...sent.payload, [member]: key } as RecordOf<Fields> }];
}

function dated(sent: Sent, date: EpochMillis): readonly Sent[] {
  const member = memberRead(sent.payload, sent.type.timeOf);
  return member === undefined ? [] : [{ ...sent, payload: { ...sent.payload, [member]: date } as RecordOf<Fields> }];
}

function about(sent: Sent, name: string): readonly Sent[] {
  const member = memberRead(sent.payload, sent.type.about);
  return member === undefined ? [] : [{ ...sent, payload: { ...sent.payload, [member]: name } as RecordOf<Fields> }];
}

/** Far too many of one kind. */
function crowded(sent: Sent): readonly Sent[] {
  const nth = CROWDS[sent.type.name];
  if (nth === undefined) return [];
  return Array.from({ length: CROWD }, (_, n) => ({ ...sent, payload: { ...sent.payload, ...nth(n) } }));
}

/** Other words of a kind: the last name, other bytes. */
function otherText(shape: Shape): unknown {
  if (shape.type === "enumeration") return shape.names.at(-1);
  return shape.type === "bytes" ? new Uint8Array(shape.length ?? 1).fill(77) : undefined;
}

function isId(shape: Shape, member: string): boolean {
  return isText(shape) && /(^|_)id$/.test(member);
}

function isText(shape: Shape): boolean {
  return shape.type === "text" && shape.form === "plain";
}

function isCount(shape: Shape): boolean {
  return shape.type === "integer" && shape.bits === 64;
}

function noPoint(): Uint8Array {
  for (let byte = 0; ; byte++) {
    const bytes = new Uint8Array(32).fill(byte);
    if (!crypto.isCurvePoint(bytes)) return bytes;
  }
}
