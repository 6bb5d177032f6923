/**
 * Variables of the environment that look like settings of a node and are none. Whoever mistypes one is told: a node
 * with another setting than its operator thinks runs on for weeks. Source: DESIGN section 6.
 */
import type { Option } from "commander";
import { nearest } from "./nearest.ts";
import { Refusal } from "./usage.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What other commands of this package read. */
const OTHERS: ReadonlySet<string> = new Set(["OFS_COMPILED", "OFS_QUEUE", "OFS_QUEUE_PASSWORD", "OFS_SIM_SEED"]);

/** The flag without dashes; `--no-x` is `x`. Source: DESIGN section 6. */
export function nameOf(option: Option): string {
  return (option.long ?? "").replace(/^--(?:no-)?/, "");
}

/** Whether a flag is true or false. Source: DESIGN section 6. */
export function isSwitch(option: Option): boolean {
  return option.isBoolean() || option.negate;
}

/** The variable of a setting. Source: DESIGN section 6. */
export function variableOf(name: string): string {
  return `OFS_${name.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Variables that are no settings. One that is like a setting is refused with the right name. The rest may well be
 * somebody else's: Kubernetes sets OFS_PORT for a service that is called ofs. Source: DESIGN section 6.
 */
export function ignoredVariables(options: readonly Option[], environment: Environment): readonly string[] {
  const names = options.map(nameOf);
  const known = new Set(names.map(variableOf));
  const strange = Object.keys(environment).filter(
    (name) => /^OFS_\w+$/.test(name) && environment[name] !== "" && !known.has(name) && !OTHERS.has(name),
  );
  const switches = options.filter(isSwitch).map((option) => variableOf(nameOf(option)));
  for (const name of strange) {
    const turnedOff = switches.find((each) => name === each.replace("OFS_", "OFS_NO_"));
    if (turnedOff !== undefined) throw new Refusal(`${name} is no variable of this node; ${turnedOff}=false says it.`);
    const right = nearest(
      name.slice("OFS_".length),
      [...known].map((each) => each.slice("OFS_".length)),
    );
    if (right !== undefined) throw new Refusal(`${name} is no variable of this node; did you mean OFS_${right}?`);
  }
  return strange;
}
