/**
 * Step context: what one step may read, write and order, and what the domains of this network declared. Handlers take
 * one; nothing else reaches them.
 */

import type { ErrorCode } from "../errors.ts";
import type { Effect, Input } from "../inputs.ts";
import type { Draft } from "../kernel/draft.ts";
import { draftOf } from "../kernel/draft.ts";
import type { IdentityReader } from "../kernel/identity-tree.ts";
import type { RecordKind, Reference, SignedType, Statement } from "../kernel/signed.ts";
import type { Reader, Table } from "../kernel/table.ts";
import type { EpochMillis, PeerId } from "../kernel/values.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import type { CallAhead } from "./admission/payload.ts";
import type { ResolvedConfiguration } from "./overrides.ts";
import type { Sources } from "./sources.ts";
import { ATTACHED_AT_ONCE } from "./statements/attaching.ts";
import type { Fold, FoldUnit } from "./statements/fold.ts";
import { foldInto } from "./statements/fold.ts";

export interface StepContext {
  readonly draft: Draft;
  /** The state before this step. */
  readonly base: Reader;
  readonly now: EpochMillis;
  /** Number of the input since the node started. */
  readonly number: number;
  readonly bootSeed: Uint8Array;
  /** What peers compare: the identities of the statements that were held before this step. */
  readonly identities: IdentityReader;
  readonly crypto: CryptoPort;
  readonly configuration: ResolvedConfiguration;
  readonly registry: Registry;
  /** What was read of the step's call before it, if anything was. */
  readonly ahead?: CallAhead | undefined;
  emit(effect: Effect): void;
}

export type Handler = (context: StepContext) => void;

/** What a domain does after a step that wrote into one of these tables, or after any. */
export interface Reaction {
  readonly to: readonly Table<unknown>[] | "anything";
  readonly act: Handler;
}

/** A handler that has nothing to do where none of these tables was written into. */
export function onChangeOf(tables: readonly unknown[], act: Handler): Reaction {
  return { to: tables as readonly Table<unknown>[], act };
}

/** What all domains declare, by what it is looked up: the engine knows no other way to them. */
export interface Registry {
  /** Signed payload types, as stored rows name them and by the gossip event that carries them. */
  readonly types: readonly SignedType[];
  readonly typesByName: ReadonlyMap<string, SignedType>;
  readonly typesByEvent: ReadonlyMap<string, SignedType>;
  /** Rows of types, by type, and those that create records, by what they create. */
  readonly rows: ReadonlyMap<string, TypeRow>;
  readonly creators: ReadonlyMap<RecordKind, readonly TypeRow[]>;
  /** The folds in dependency order: each unit reads only what stands before it. */
  readonly units: (crypto: CryptoPort) => readonly FoldUnit[];
  readonly requests: ReadonlyMap<number, RequestHandler>;
  readonly answers: ReadonlyMap<string, AnswerHandler>;
  readonly events: ReadonlyMap<number, EventRow>;
  readonly observers: readonly ((context: StepContext, observation: Observed) => void)[];
  readonly seals: readonly Handler[];
  readonly originators: readonly ((context: StepContext, wire: Uint8Array, statement: Statement) => void)[];
}

/** A signed payload type of a domain, with everything that admission asks of it. */
export interface TypeRow {
  readonly type: SignedType;
  readonly limits: Limits;
  /** Why a payload is admitted at no ingress, if so; for what the payload itself must keep. */
  readonly validate?: (view: AdmissionView, payload: never) => ErrorCode | undefined;
  /** Who is party to a record that a statement of this type creates; unless said, who signed it. */
  readonly isParty?: (reader: Reader, create: Statement, person: PeerId, record: Reference) => boolean;
  /** What a node does about one that it hears for the first time, from a client or a peer: files do not count. */
  readonly onReceived?: (context: StepContext, statement: Statement) => void;
}

/** How much of a type a node takes. */
export interface Limits {
  /** Statements of one party about a record that this type creates. */
  readonly partyMax: number;
  /** Records of one id that one signer may create, unless it is the usual number. */
  readonly contendersMax?: number;
  /** Whether there is room, beside the common bounds, for a statement that is not held yet. */
  readonly withinLimits?: (reader: Reader, statement: Statement) => boolean;
}

/** What validation may look at. */
export type AdmissionView = Pick<StepContext, "now" | "configuration"> & { readonly reader: Reader };

/** A message between peers, as domains take it. */
export interface Message {
  readonly message_type: string;
  readonly payload: Uint8Array;
}
export type RequestHandler = (context: StepContext, from: PeerId, replyTo: string, message: Message) => void;
export type AnswerHandler = (context: StepContext, from: PeerId, message: Message) => void;

/** Whether an event is kept, and with it brought by recovery, and whether it is passed on as well. */
export type PlainOutcome = "left" | "kept" | "passed on";

/** Gossip events that no signed statement carries. */
export interface EventRow {
  readonly handle: (context: StepContext, event: PlainEvent) => PlainOutcome;
  /** How long after its date it is kept, in milliseconds. */
  readonly keptMs: bigint;
}
export interface PlainEvent {
  readonly event_type: string;
  readonly ofs_spec: number;
  readonly origin: PeerId;
  readonly timestamp: EpochMillis;
  /** Hops that it is still to go. */
  readonly ttl: number;
  readonly payload: Uint8Array;
}

type Observed = Extract<Input, { readonly type: "chain.observed" }>["observation"];

/** A step over a state, which is read through the sources of its answer where those are noted. */
export function stepContextOf(
  state: Reader,
  context: Omit<StepContext, "draft" | "base" | "emit">,
  sources?: Sources,
): StepContext & { readonly effects: readonly Effect[] } {
  const effects: Effect[] = [];
  const base = sources?.reader(state) ?? state;
  const whole = {
    base,
    draft: draftOf(base),
    effects,
    emit: (effect: Effect) => void effects.push(effect),
    ...context,
  };
  return sources?.told(whole) ?? whole;
}

/** A step as one call of it sees it, which has a number of its own. What it is told it asks for only when it must. */
export function callContextOf(context: StepContext, numberOf: (input: number) => number): StepContext {
  const { draft, base, crypto, configuration, registry, ahead } = context;
  return {
    draft,
    base,
    crypto,
    configuration,
    registry,
    ahead,
    emit: (effect) => context.emit(effect),
    get now() {
      return context.now;
    },
    get number() {
      return numberOf(context.number);
    },
    get bootSeed() {
      return context.bootSeed;
    },
    get identities() {
      return context.identities;
    },
  };
}

/**
 * The fold of this network's domains over a step's draft, for what comes through an ingress. `most`: how much of what
 * waits it attaches at once; the rest is queued.
 */
export function foldOf(
  { draft, registry, crypto }: Pick<StepContext, "draft" | "registry" | "crypto">,
  most = ATTACHED_AT_ONCE,
): Fold {
  // Where records have no end, what comes of statements may depend on the order in which they came.
  return foldInto(draft, registry.units(crypto), true, draft.endless === true ? Infinity : most);
}
