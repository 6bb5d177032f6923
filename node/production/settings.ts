/**
 * Where the settings of a node come from: the command line, then `OFS_…` variables, then a TOML or JSON file, then the
 * defaults. The flags are the one list: a variable or a key of a file is a flag by another name. Source:
 * DESIGN section 6.
 */
import { readFileSync } from "node:fs";
import type { Command, Option } from "commander";
import { parse as parseToml, TomlError } from "smol-toml";
import { jsonIn } from "./json-text.ts";
import { nearest } from "./nearest.ts";
import { Refusal } from "./usage.ts";
import type { Environment } from "./variables.ts";
import { ignoredVariables, isSwitch, nameOf, variableOf } from "./variables.ts";

/** A setting in force, and whence. */
export interface Setting {
  /** As in a file: the flag without its dashes. */
  readonly name: string;
  readonly value: unknown;
  /** `command line`, a variable, a file, or `default`. */
  readonly source: string;
}

/** So large is no file of settings, in bytes. Source: DESIGN L10. */
const FILE_BYTES = 1_048_576;

/** All settings of a command that was parsed; read again whenever it is called. Refuses with one line. */
export function settingsOf(command: Command, environment: Environment): readonly Setting[] {
  const options = optionsOf(command);
  ignoredVariables(options, environment);
  const config = options.find((option) => option.long === "--config");
  const path = config === undefined ? undefined : settingOf(command, config, environment, new Map(), "").value;
  const file = typeof path === "string" ? fileAt(path, options) : new Map<string, unknown>();
  return options.map((option) => settingOf(command, option, environment, file, String(path)));
}

/** The settings as the flags' own object. */
export function choicesOf(command: Command, environment: Environment): Readonly<Record<string, unknown>> {
  const byName = new Map(command.options.map((option) => [nameOf(option), option.attributeName()]));
  const set = settingsOf(command, environment).filter(({ value }) => value !== undefined);
  return Object.fromEntries(set.map(({ name, value }) => [byName.get(name) ?? name, value]));
}

/** Variables that look like settings and are none. Source: DESIGN section 6. */
export function ignoredOf(command: Command, environment: Environment): readonly string[] {
  return ignoredVariables(optionsOf(command), environment);
}

/** What is in force and whence, as a TOML file that would say the same, and which variables say nothing. */
export function printed(settings: readonly Setting[], ignored: readonly string[]): string {
  const lines = settings.map(({ name, value, source }) => {
    if (value === undefined) return `# ${name} is not set\n`;
    // A file of settings cannot name another.
    return `${name === "config" ? "# " : ""}${name} = ${JSON.stringify(value)} # ${source}\n`;
  });
  return [...lines, ...ignored.map((name) => `# ${name} is no variable of this node\n`)].join("");
}

/** What can be set. */
function optionsOf(command: Command): readonly Option[] {
  return command.options.filter((option) => option.long !== "--print");
}

function settingOf(
  command: Command,
  option: Option,
  environment: Environment,
  file: ReadonlyMap<string, unknown>,
  path: string,
): Setting {
  const name = nameOf(option);
  const key = option.attributeName();
  if (command.getOptionValueSource(key) === "cli") {
    return { name, value: command.getOptionValue(key), source: "command line" };
  }
  const variable = variableOf(name);
  const text = environment[variable];
  if (text !== undefined && text !== "") {
    return { name, value: ofText(option, variable, text), source: variable };
  }
  if (file.has(name)) return { name, value: ofFile(option, `${name} in ${path}`, file.get(name)), source: path };
  return { name, value: option.negate ? true : option.defaultValue, source: "default" };
}

/** Repeatable flags gather what they are given. */
function isRepeatable(option: Option): boolean {
  return option.parseArg !== undefined;
}

function ofText(option: Option, variable: string, text: string): unknown {
  if (isRepeatable(option)) return text.split(",").map((part) => part.trim());
  if (!isSwitch(option)) return text;
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new Refusal(`${variable} is true or false, not "${text}".`);
}

function ofFile(option: Option, where: string, value: unknown): unknown {
  if (isSwitch(option)) {
    if (typeof value === "boolean") return value;
    throw new Refusal(`${where} is true or false.`);
  }
  if (isRepeatable(option)) {
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
    throw new Refusal(`${where} is a list of texts, such as ["a", "b"].`);
  }
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw new Refusal(`${where} is a text.`);
}

function fileAt(path: string, options: readonly Option[]): ReadonlyMap<string, unknown> {
  const entries = Object.entries(parsed(path));
  const known = options.map(nameOf).filter((name) => name !== "config");
  const odd = entries.find(([name]) => !known.includes(name));
  if (odd !== undefined)
    throw new Refusal(`${path}: there is no setting "${odd[0]}"; ${meant(odd[0], options, known)}`);
  return new Map(entries);
}

/** What somebody may have meant by a key that is none. */
function meant(key: string, options: readonly Option[], known: readonly string[]): string {
  const flag = `--${key.replace(/^--/, "")}`;
  const off = options.find((option) => isSwitch(option) && (option.long === flag || `--no-${nameOf(option)}` === flag));
  if (off !== undefined && flag.startsWith("--no-")) return `${nameOf(off)} = false says it.`;
  const right = known.find((name) => `--${name}` === flag) ?? nearest(key, known);
  return right === undefined ? "ofs-node start --help lists them." : `did you mean "${right}"?`;
}

function parsed(path: string): object {
  const text = textOf(path);
  try {
    const value: unknown = path.endsWith(".json") ? jsonIn(text) : parseToml(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    const [line] = (error as Error).message.split("\n");
    const where = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : "";
    throw new Refusal(`--config ${path} cannot be read: ${line}${where}`);
  }
  throw new Refusal(`--config ${path} holds no settings: name = value, one a line.`);
}

function textOf(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > FILE_BYTES) throw new Error("it is larger than 1 MiB");
    return bytes.toString("utf8");
  } catch (error) {
    throw new Refusal(`--config ${path} cannot be read: ${(error as Error).message}`);
  }
}
