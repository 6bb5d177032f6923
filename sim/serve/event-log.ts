/**
 * What happened lately in a served network, kept by the world itself: a snapshot holds it, and a revert brings it back.
 * It watches steps and takes no part in them. Bounded: the oldest events go first. Source: DESIGN section 6 "serve",
 * L10.
 */
import type { Input } from "../../core/index.ts";
import type { Statement } from "../../core/testing.ts";
import type { Checker, MakeChecker, StepSeen } from "../checker.ts";

/** Events that are kept, the newest: a trade on 50 nodes is some 500. Source: DESIGN L10. */
export const EVENTS_KEPT_MAX = 4_096;
/** Characters of an event's text at most. Source: DESIGN L10. */
const TEXT_LENGTH = 400;

/** A statement that a node took, a transaction that it saw, its process, or what control did. */
export const eventKinds = ["statement", "observed", "started", "crashed", "control"] as const;

/** One event, as it is kept: plain JSON. */
export interface LoggedEvent {
  /** Counted from 1; numbers never come twice but after a revert, which goes back to older ones. */
  readonly number: number;
  /** Milliseconds since the first day of worlds. */
  readonly at: number;
  readonly node: number | null;
  readonly kind: (typeof eventKinds)[number];
  readonly text: string;
  /** Where a statement came from: a client of the node, or the node that told it. */
  readonly from: "client" | number | null;
  /** Records that it is about, such as `settlement:ID`. */
  readonly about: readonly string[];
  /** The identity of a statement. */
  readonly statement: string | null;
  readonly signature: string | null;
  readonly slot: number | null;
}

/** The events of one world. */
export interface EventLog {
  /** Watches a world that is made or goes on. */
  readonly watch: MakeChecker;
  /** Notes what control did, at an instant of the world. */
  noted(at: number, text: string): void;
  /** The number of the newest event; 0 before the first. */
  newest(): number;
  /** Events after a number, oldest first. */
  after(number: number): readonly LoggedEvent[];
}

/** What a world remembers of it: events as texts, which copies of the world share. */
interface HeldEvents {
  readonly lines: string[];
  count: number;
}

type Told = Partial<Omit<LoggedEvent, "number" | "at">> & Pick<LoggedEvent, "kind" | "text">;

/** The events of a world that is about to be made. */
export function openEventLog(nodeOf: (peer: string) => number | undefined): EventLog {
  const log: { held: HeldEvents } = { held: { lines: [], count: 0 } };
  const note = (at: number, told: Told): void => {
    const { held } = log;
    held.count += 1;
    const none = { node: null, from: null, about: [], statement: null, signature: null, slot: null };
    const text = told.text.slice(0, TEXT_LENGTH);
    held.lines.push(JSON.stringify({ ...none, ...told, text, number: held.count, at } satisfies LoggedEvent));
    if (held.lines.length >= 2 * EVENTS_KEPT_MAX) held.lines.splice(0, held.lines.length - EVENTS_KEPT_MAX);
  };
  return {
    watch({ keep, time }): Checker {
      log.held = keep<HeldEvents>(() => ({ lines: [], count: 0 }));
      return {
        name: "events",
        onStep: (seen) => {
          for (const told of toldBy(seen, nodeOf)) note(time(), told);
        },
        onCrash: ({ node }) => note(time(), { kind: "crashed", node, text: "its process ended" }),
      };
    },
    noted: (at, text) => note(at, { kind: "control", text }),
    newest: () => log.held.count,
    after(number) {
      const { lines, count } = log.held;
      const wanted = Math.min(count - number, EVENTS_KEPT_MAX, lines.length);
      return wanted <= 0 ? [] : lines.slice(-wanted).map((line) => JSON.parse(line) as LoggedEvent);
    },
  };
}

function toldBy({ node, input, changes }: StepSeen, nodeOf: (peer: string) => number | undefined): readonly Told[] {
  if (input.type === "started") return [{ kind: "started", node, text: "its process began" }];
  // What a disk held is not new.
  if (input.type === "store.loaded") return [];
  const seen = observed(node, input);
  const from = sourceOf(input, nodeOf);
  const statements = changes.flatMap(({ table, record }) => {
    return table === "statements" && record !== undefined ? [record as Statement] : [];
  });
  return [
    ...seen,
    ...statements.map((statement): Told => {
      const text = statement.type.eventOf(statement.payload as never);
      return { kind: "statement", node, text, from, about: recordsOf(statement), statement: statement.identity };
    }),
  ];
}

function observed(node: number, input: Input): readonly Told[] {
  if (input.type !== "chain.observed" || input.observation.type !== "transaction") return [];
  const { signature, slot, commitment, succeeded, address } = input.observation;
  if (address === null) return [];
  const text = `${succeeded ? "transaction" : "failed transaction"}, ${commitment}`;
  return [{ kind: "observed", node, text, signature, slot: Number(slot) }];
}

function sourceOf(input: Input, nodeOf: (peer: string) => number | undefined): "client" | number | null {
  if (input.type === "rpc.called") return "client";
  if (input.type !== "message.received" && input.type !== "message.answered") return null;
  return nodeOf(input.from) ?? null;
}

/** The records that a statement creates or names, by what their ids are called: `settlement:ID`. */
function recordsOf({ type, name, payload }: Statement): readonly string[] {
  const fields = payload as Readonly<Record<string, unknown>>;
  const told = type.about(fields as never);
  const id = type.idOf(fields as never);
  const own = type.creates === undefined ? [] : [`${type.creates}:${id === undefined || id === "" ? name : id}`];
  const about = told === undefined ? [] : [`${told.kind}:${told.name}`];
  const named = Object.entries(fields).flatMap(([member, value]) => {
    return member.endsWith("_id") && typeof value === "string" ? [`${member.slice(0, -3)}:${value}`] : [];
  });
  return [...new Set([...own, ...about, ...named])];
}
