/**
 * Two nodes that are told what a recorded one was told, and asked the same between: one as clients ask, the other in a
 * spelling of which no answer is ever kept. What the first answers is what the second does, or the finding.
 */
import { openMemoryDisk, openMemoryStore } from "../../adapters/memory/store.ts";
import { questionOf } from "../../core/engine/question.ts";
import type * as CoreIndex from "../../core/index.ts";
import type { NodeDriver } from "../../core/index.ts";
import { createDriver, methods } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { crypto } from "../rpc/lone-node.ts";
import type { RecordedNode } from "./recorded.ts";

type Core = Pick<typeof CoreIndex, "createDriver">;

/** A pause in which both are asked. */
export interface Visit {
  /** After which share of the facts, in thousandths. */
  readonly at: number;
  /** Which of the questions there are. */
  readonly questions: readonly number[];
}

export interface Compared {
  readonly wrong: readonly string[];
  /** What became of questions that were asked again. */
  readonly labels: readonly string[];
}

/** Ids that single reads are asked for, at most. */
const IDS_MAX = 24;
/** Values of parameters that are no ids of records. */
const USUAL = ["USDC/KES", "KES", "1"];

const reads = Object.entries(methods).filter(([, { kind }]) => kind === "query");

/** `grain`: both clocks go on by so many milliseconds at a time, so that much happens at one instant. */
export function comparedAnswers(
  { configuration, told }: RecordedNode,
  visits: readonly Visit[],
  grain: bigint,
  core: Core = { createDriver },
): Compared {
  const [wrong, labels]: [string[], Set<string>] = [[], new Set()];
  let now = 0n as EpochMillis;
  const [asked, plain] = [opened(), opened()];
  const last = new Map<string, { readonly answer: string; readonly at: EpochMillis }>();
  const ids = new Set<string>(USUAL);

  function opened() {
    const tasks: (() => void)[] = [];
    const store = openMemoryStore(openMemoryDisk(), {
      schedule: (_, end) => void tasks.push(() => end({ type: "done" })),
    });
    const replies = new Map<string, string | null>();
    const driver: NodeDriver = core.createDriver({
      ...{ crypto, configuration, store, now: () => now, bootSeed: new Uint8Array(32) },
      perform: (effect) => void (effect.type === "rpc.reply" && replies.set(effect.replyTo, effect.body)),
    });
    return {
      driver,
      replies,
      settle() {
        for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
      },
    };
  }

  function ask(body: string): void {
    const [answer, fresh] = [asked, plain].map((node) => {
      node.driver.accept({ type: "rpc.called", replyTo: "asked", body: node === plain ? ` ${body}` : body });
      node.settle();
      const reply = node.replies.get("asked") ?? "waits";
      node.replies.delete("asked");
      return reply;
    }) as [string, string];
    if (answer !== fresh) wrong.push(`${body} was answered ${answer.slice(0, 300)}, not ${fresh.slice(0, 300)}`);
    const before = last.get(body);
    if (before !== undefined) {
      labels.add(before.answer === answer ? "the same again" : "another answer");
      if (before.answer !== answer && before.at === now) labels.add("another answer at one instant");
    }
    last.set(body, { answer, at: now });
    for (const [, id] of answer.matchAll(/"[a-z_]*id":"([^"]{1,64})"/g))
      if (ids.size < IDS_MAX && id !== undefined) ids.add(id);
  }

  function visit({ questions }: Visit): void {
    for (const number of questions) {
      const [method, row] = reads[number % reads.length] as (typeof reads)[number];
      const id = [...ids][Math.floor(number / reads.length) % ids.size];
      const params =
        row.need === "required" ? Object.fromEntries(Object.keys(row.params.fields).map((f) => [f, id])) : {};
      const body = JSON.stringify({ jsonrpc: "2.0", id: (number % 7) + 1, method, params });
      if (questionOf(body) === undefined || questionOf(` ${body}`) !== undefined) throw new Error(`bug: ${body}`);
      // The second time with nothing between, whatever the instant says.
      for (let times = 0; times < 2; times++) ask(body);
    }
  }

  for (const [place, { now: then, fact }] of told.entries()) {
    now = ((then / grain) * grain) as EpochMillis;
    for (const node of [asked, plain]) {
      node.driver.accept(fact);
      node.settle();
    }
    for (const each of visits) if (Math.floor((each.at * told.length) / 1_000) === place) visit(each);
  }
  return { wrong, labels: [...labels] };
}
