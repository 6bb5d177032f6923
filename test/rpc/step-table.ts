/**
 * Tables of steps: what a node's RPC ingress answers to every step that somebody may try at every stage of a record.
 * What is refused or ignored changes no root; what is taken changes the set. Source: DESIGN "Shape of the code".
 */
import { expect } from "vitest";
import type { LoneNode } from "./lone-node.ts";
import { resultOf, signedSends } from "./signed-sends.ts";

export type Sends = ReturnType<typeof signedSends>;
export type Profile = "default" | "parity";
export const profiles: readonly Profile[] = ["default", "parity"];

/** A code, or that the step is taken, or that it is answered like a step taken and changes nothing. */
type Answer = number | "taken" | "ignored";

export interface Step<Stage extends string> {
  readonly name: string;
  readonly send: (sends: Sends) => string;
  readonly answers: Readonly<Record<Profile, Readonly<Record<Stage, Answer>>>>;
}

/** The same answer at every stage but those named. */
export function answersFor<Stage extends string>(stages: readonly Stage[]) {
  return (usual: Answer, but: Partial<Record<Stage, Answer>> = {}): Readonly<Record<Stage, Answer>> => {
    const all = Object.fromEntries(stages.map((stage) => [stage, usual])) as Record<Stage, Answer>;
    return { ...all, ...but };
  };
}

/** Tries every step on a node that has come to a stage, a fresh one after each that is taken. */
export function expectSteps<Stage extends string>(
  open: () => LoneNode,
  steps: readonly Step<Stage>[],
  profile: Profile,
  stage: Stage,
): void {
  let node = open();
  for (const { name, send, answers } of steps) {
    const before = node.roots();
    const answered = resultOf(send(signedSends(node)));
    const after = node.roots();
    const taken = after.statements !== before.statements;
    const found = taken ? "taken" : typeof answered === "number" ? answered : "ignored";
    expect(`${name}: ${found}`).toBe(`${name}: ${answers[profile][stage]}`);
    if (taken) expect(answered).not.toBeTypeOf("number");
    else expect(after).toEqual(before);
    if (taken) node = open();
  }
}
