/**
 * Stories in words, for failures: a line for each thing that is said or seen, people and statements by short names.
 */

import { nameOfIdentity } from "../../core/engine/statements/table.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import { at } from "./actors.ts";
import type { Observation } from "./replica.ts";
import { everyone } from "./story.ts";

/** A story in words. */
export function storyText(observations: readonly Observation[]): string {
  const names = new Map<string, string>(
    everyone.flatMap(({ name, peer, key }) => [[peer, name] as const, [key, `key of ${name}`] as const]),
  );
  for (const each of observations) {
    if (each.type === "statement") names.set(nameOfIdentity(each.statement.identity), `#${shortly(each.statement)}`);
  }
  return observations.map((each) => lineOf(each, names)).join("\n");
}

function lineOf(each: Observation, names: ReadonlyMap<string, string>): string {
  if (each.type !== "statement") return `the chain, ${each.type}: ${text(each.fact, names)}`;
  const { type, timestamp, payload, signer, idForm } = each.statement;
  const minutes = Number(timestamp - at(0)) / 60_000;
  const bears = idForm === "plain" ? "" : `, ${idForm}`;
  const who = `${minutes} min, ${names.get(signer)}`;
  return `${who}: ${type.name} #${shortly(each.statement)}${bears} ${text(payload, names)}`;
}

function shortly({ identity }: Statement): string {
  return identity.slice(0, 6);
}

function text(value: unknown, names: ReadonlyMap<string, string>): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === "bigint") return each.toString();
    if (each instanceof Uint8Array) return `${each.length} bytes`;
    return typeof each === "string" ? (names.get(each) ?? each) : each;
  });
}
