/**
 * The command line of `ofs-sim`: what it takes, and which command that is. Commands are loaded when they run, so that
 * help and refusals are quick. Bad usage ends with one line on stderr and exit code 2. Source: DESIGN section 6.
 */
import { availableParallelism } from "node:os";
import { Command, CommanderError, Option } from "commander";
import { packageVersion } from "../production/usage.ts";
import type { ExploreChoices } from "./explore-command.ts";
import type { FuzzChoices } from "./fuzz-command.ts";
import { missingPackageLine } from "./missing-packages.ts";
import type { ReplayChoices } from "./replay-command.ts";
import type { RunChoices } from "./run-command.ts";
import { addServe } from "./serve-options.ts";
import type { ShrinkChoices } from "./shrink-command.ts";
import type { Surroundings } from "./surroundings.ts";
import type { SweepChoices } from "./sweep-command.ts";
import type { AtChoices, WhyChoices } from "./travel-command.ts";
import {
  choiceOf,
  countOf,
  eventNumberOf,
  eventsOf,
  heldOf,
  MINUTES_MAX,
  nodeNumberOf,
  nodesOf,
  STATES_MAX,
  seedOf,
  seedRangeOf,
  TRIES_MAX,
  UsageError,
  WORKERS_MAX,
} from "./usage.ts";
import type { VerifyChoices } from "./verify-command.ts";
import type { WorkerChoices } from "./worker-command.ts";

const CHAINS = ["bankrun", "litesvm", "model"] as const;
const STORES = ["memory", "sqljs", "sqlite"] as const;
const PARITIES = ["reference"] as const;
const NETWORKS = ["simulated", "libp2p-memory"] as const;

/** Runs that making one violation small may take, unless said otherwise. Source: DESIGN "Simulated world". */
const TRIES = 400;

/** States and minutes that one scope may take, unless said otherwise. Source: DESIGN "Simulated world". */
const STATES = 20_000_000;
const EXPLORE_MINUTES = 5;

/** Where runs are made. */
const WORKERS = [
  "--workers <count>",
  "processes beside each other",
  countOf("--workers", WORKERS_MAX),
  availableParallelism(),
] as const;
const QUEUE = "hand runs to every `worker` at this Redis instead: redis:// or rediss://";

/** Runs what the arguments ask for; answers the exit code. */
export async function commandLine(args: readonly string[], around: Surroundings): Promise<number> {
  let code = 0;
  const program = createProgram(around, (ended) => {
    code = ended;
  });
  try {
    if (args.length === 0) throw new UsageError(`Say what to do. One of: ${commandNames(program)}. --help says more.`);
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof UsageError) return refuse(around, error.message);
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? 0 : refuse(around, refusalOf(program, args, error));
    const missing = missingPackageLine(error);
    if (missing !== undefined) return refuse(around, missing);
    throw error;
  }
}

function createProgram(around: Surroundings, ended: (code: number) => void): Command {
  const program = new Command("ofs-sim")
    .description("Runs a marketplace network of many nodes under a virtual clock, with faults and a simulated chain.")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: around.out, writeErr: () => undefined })
    .helpCommand(false);
  program
    .command("list")
    .description("the scenarios, one line each")
    .action(async () => ended(await (await import("./run-command.ts")).listCommand(around)));
  program
    .command("schema")
    .description("the JSON Schema of a scenario's file, for editors that complete it")
    .action(async () => ended((await import("./run-command.ts")).schemaCommand(around)));
  withWorldOptions(program.command("run"))
    .description("one run of a scenario")
    .argument("<name>", "a scenario of `list`, or the path of a file: .json, .ts, .mjs, .js")
    .addOption(new Option("--seed <number>", "what everything random is drawn from").argParser(seedOf).default(1n, "1"))
    .option("--network <name>", "simulated or libp2p-memory", choiceOf("--network", NETWORKS), "simulated")
    .option("--json", "print one JSON object and nothing else", false)
    .option("--report <file>", "write a page about the run")
    .option("--record <file>", "keep the state of every node after every event, for `at` and `why`")
    .option("--repro <file>", "write the run down if it breaks a law, for `replay`")
    .option("--hold <file>", "stop after --hold-at events and keep the whole world, for `resume`")
    .option("--hold-at <events>", "how many events happen before", eventsOf)
    .action(async (name: string, choices: RunChoices) => {
      ended(await (await import("./run-command.ts")).runCommand(name, choices, around));
    });
  addKeptRuns(program, around, ended);
  withWorldOptions(program.command("verify"))
    .description("run every seed twice, once in a fresh process with other TZ, LANG and V8 flags, and compare")
    .requiredOption("--seeds <range>", "A..B", seedRangeOf)
    .option("--scenario <name>", "only this one, by name or path")
    .option("--drawn", "small worlds that seeds draw instead, many in one process", false)
    .option("--held <count>", "also hold every run so many times, and go on in a fresh process", heldOf, 0)
    .action(async (choices: VerifyChoices) => {
      const { verifyCommand } = await import("./verify-command.ts");
      const { verifyDrawn } = await import("./verify-drawn.ts");
      ended(await (choices.drawn === true ? verifyDrawn : verifyCommand)(choices, around));
    });
  addSearches(program, around, ended);
  addServe(program, around, ended);
  withWorldOptions(program.command("ends", { hidden: true }))
    .requiredOption("--seeds <range>", "", seedRangeOf)
    .action(async (choices: VerifyChoices) => {
      ended(await (await import("./verify-drawn.ts")).endsCommand(choices.seeds, choices, around));
    });
  withWorldOptions(program.command("trace", { hidden: true }))
    .argument("<name>")
    .requiredOption("--seed <number>", "", seedOf)
    .option("--from <event>", "", Number)
    .option("--to <event>", "", Number)
    .action(async (name: string, choices: RunChoices & { readonly from?: number; readonly to?: number }) => {
      const { from, to } = choices;
      const stretch = from !== undefined && to !== undefined ? { stretch: { from, to } } : {};
      ended(await (await import("./verify-command.ts")).traceCommand(name, { ...choices, ...stretch }, around));
    });
  return program;
}

/** The commands that look for violations, and make them small. */
function addSearches(program: Command, around: Surroundings, ended: (code: number) => void): void {
  const tries = countOf("--tries", TRIES_MAX);
  withPlaces(withSeedOptions(program.command("fuzz")))
    .description("worlds that seeds draw, every law watched; violations are made small and written down")
    .option("--seeds <range>", "A..B", seedRangeOf)
    .option("--minutes <count>", "begin no seed after so many minutes", countOf("--minutes", MINUTES_MAX))
    .option("--repros <folder>", "where violations are kept, and played from first", "repros")
    .option("--tries <count>", "runs that making one violation small may take", tries, TRIES)
    .option("--guided", "go on from copies of worlds that reached something new, in this process", false)
    .option("--json", "print one JSON object and nothing else", false)
    .action(async (choices: FuzzChoices, command: Command) => {
      if (choices.guided)
        checkUnused(command, ["workers", "queue", "stopAtFirst"], "fuzz --guided runs here, to its end: it takes no");
      checkQueue(command);
      if (choices.guided) return ended(await (await import("./guided-command.ts")).guidedCommand(choices, around));
      ended(await (await import("./fuzz-command.ts")).fuzzCommand(choices, around));
    });
  addSweep(program, around, ended);
  addWorkers(program, around, ended);
  addExplore(program, around, ended);
  program
    .command("shrink")
    .description("make a run that broke a law smaller")
    .exitOverride()
    .argument("<file>", "what `fuzz` or `run --repro` wrote")
    .option("--out <file>", "where to write it; over the file itself unless said")
    .option("--tries <count>", "runs that may be tried", tries, TRIES)
    .action(async (file: string, choices: ShrinkChoices) => {
      ended(await (await import("./shrink-command.ts")).shrinkCommand(file, choices, around));
    });
}

function addSweep(program: Command, around: Surroundings, ended: (code: number) => void): void {
  withPlaces(withParameters(withParts(program.command("sweep"))))
    .description("a scenario with every combination of values of parameters, and every seed: figures and their spread")
    .argument("<name>", "a scenario of `list`, or the path of a file: .json, .ts, .mjs, .js")
    .requiredOption("--seeds <range>", "A..B", seedRangeOf)
    .option("--csv <file>", "where the figures of every run are kept, a line each", "sweep.csv")
    .option("--resume <file>", "the figures that an interrupted sweep left: runs that are in it are not run again")
    .option("--report <file>", "write a page with plots")
    .option("--compare <file>", "the figures that other code made of the same sweep, beside which these are put")
    .option("--json", "print one JSON object and nothing else", false)
    .action(async (name: string, choices: SweepChoices, command: Command) => {
      checkQueue(command);
      ended(await (await import("./sweep-command.ts")).sweepCommand(name, choices, around));
    });
}

/** What runs jobs of other commands: on any machine, and for this one's own processes. */
function addWorkers(program: Command, around: Surroundings, ended: (code: number) => void): void {
  program
    .command("worker")
    .description("run what `fuzz`, `sweep` and `explore --all` hand out through a Redis, until told to stop")
    .exitOverride()
    .addOption(new Option("--queue <url>", "the Redis, redis:// or rediss://").env("OFS_QUEUE").makeOptionMandatory())
    .option("--workers <count>", "jobs at once", countOf("--workers", WORKERS_MAX), availableParallelism())
    .option("--idle-minutes <count>", "end after so many without a job", countOf("--idle-minutes", MINUTES_MAX))
    .action(async (choices: WorkerChoices) => {
      ended(await (await import("./worker-command.ts")).workerCommand(choices, around));
    });
  program.command("job-worker", { hidden: true }).action(async () => {
    ended(await (await import("./job-worker.ts")).jobWorkerCommand(around));
  });
}

/** Where many runs are made. */
function withPlaces(command: Command): Command {
  return command
    .option(...WORKERS)
    .option("--queue <url>", QUEUE)
    .option("--stop-at-first", "end all when a run breaks a law", false);
}

/** Refuses options that somebody gave and that would change nothing. */
function checkUnused(command: Command, options: readonly string[], why: string): void {
  const isGiven = (name: string) => options.includes(name) && command.getOptionValueSource(name) === "cli";
  const given = command.options.find((option) => isGiven(option.attributeName()));
  if (given !== undefined) throw new UsageError(`${why} ${given.long}.`);
}

/** How many jobs run at once is for each worker of a queue to say. */
function checkQueue(command: Command): void {
  if (command.getOptionValue("queue") === undefined) return;
  checkUnused(command, ["workers"], "--queue hands runs to every `worker`, which have their own");
}

/** What a sweep varies. */
function withParameters(command: Command): Command {
  return command.option("--param <name=v1,v2>", "a parameter and its values; as often as wanted", (text, before) => {
    return [...((before as readonly string[] | undefined) ?? []), text];
  });
}

function addExplore(program: Command, around: Surroundings, ended: (code: number) => void): void {
  program
    .command("explore")
    .description("every order of events of a small world; says how far it came where a bound ends it")
    .exitOverride()
    .argument("[scope]", "a scope of --list")
    .option("--list", "the scopes, one line each", false)
    .option("--all", "every scope, in processes or by workers beside each other", false)
    .option(...WORKERS)
    .option("--queue <url>", QUEUE)
    .option("--states <count>", "end after so many states", countOf("--states", STATES_MAX), STATES)
    .option("--minutes <count>", "end after so many minutes", countOf("--minutes", MINUTES_MAX), EXPLORE_MINUTES)
    .option("--no-reduced", "walk moves that do not touch each other in every order")
    .option("--repros <folder>", "where a violation is kept, for `replay`", "repros")
    .option("--json", "print one JSON object and nothing else", false)
    .action(async (name: string | undefined, choices: ExploreChoices, command: Command) => {
      if (choices.list) return ended((await import("./explore-command.ts")).listScopes(around));
      if (choices.all && name !== undefined) throw new UsageError("explore takes a scope or --all, not both.");
      if (choices.queue !== undefined && !choices.all) throw new UsageError("--queue is for explore --all.");
      if (!choices.all) checkUnused(command, ["workers"], "a scope is walked in this process: only --all takes");
      checkQueue(command);
      if (choices.all) return ended(await (await import("./explore-all.ts")).exploreAll(choices, around));
      ended(await (await import("./explore-command.ts")).exploreCommand(name, choices, around));
    });
}

/** The commands that take a run from a file. */
function addKeptRuns(program: Command, around: Surroundings, ended: (code: number) => void): void {
  program
    .command("resume")
    .description("go on with a run that was held")
    .exitOverride()
    .argument("<file>", "what `run --hold` wrote")
    .option("--json", "print one JSON object and nothing else", false)
    .action(async (file: string, choices: Pick<RunChoices, "json">) => {
      ended(await (await import("./replay-command.ts")).resumeCommand(file, choices, around));
    });
  addTravel(program, around, ended);
  program
    .command("replay")
    .description("play a run again that broke a law, or the life that a node recorded")
    .exitOverride()
    .argument("<file>", "what `run --repro` or `ofs-node start --record` wrote")
    .option("--identity <file>", "the key of the node that recorded")
    .option("--json", "print one JSON object and nothing else", false)
    .option("--report <file>", "write a page about the run")
    .action(async (file: string, choices: ReplayChoices) => {
      ended(await (await import("./replay-command.ts")).replayCommand(file, choices, around));
    });
}

/** The commands that look into a recorded run. */
function addTravel(program: Command, around: Surroundings, ended: (code: number) => void): void {
  program
    .command("at")
    .description("what nodes of a recorded run held after an event")
    .exitOverride()
    .argument("<file>", "what `run --record` wrote")
    .argument("<event>", "the number of an event", eventNumberOf)
    .option("--node <number>", "one node, with its tables", nodeNumberOf)
    .option("--table <name>", "the rows of one table")
    .option("--json", "print one JSON object and nothing else", false)
    .action(async (file: string, event: number, choices: AtChoices) => {
      ended((await import("./travel-command.ts")).atCommand(file, event, choices, around));
    });
  program
    .command("why")
    .description("the chain of events behind a field of a recorded run, back to the client's call")
    .exitOverride()
    .argument("<file>", "what `run --record` wrote")
    .argument("<event>", "the number of the event after which the field is looked at", eventNumberOf)
    .requiredOption("--node <number>", "whose row it is", nodeNumberOf)
    .requiredOption("--table <name>", "its table")
    .requiredOption("--key <text>", "its key, the beginning of it, or the record's id")
    .option("--member <path>", "one member, such as amount.base_units; the whole row unless said")
    .option("--json", "print one JSON object and nothing else", false)
    .action(async (file: string, event: number, choices: WhyChoices) => {
      ended((await import("./travel-command.ts")).whyCommand(file, event, choices, around));
    });
}

/** What every command that builds a world takes. */
function withWorldOptions(command: Command): Command {
  return withParts(command).option("--nodes <count>", "nodes of the network", nodesOf);
}

/** What every command that draws worlds takes. */
function withSeedOptions(command: Command): Command {
  return withParts(command).option("--scenario <name>", "one scenario instead, by name or path");
}

function withParts(command: Command): Command {
  return command
    .exitOverride()
    .option("--chain <name>", `${CHAINS.join(", ")}; what executes transactions`, choiceOf("--chain", CHAINS))
    .option(
      "--store <name>",
      `${STORES.join(", ")}; what keeps rows: maps, SQLite in memory, SQLite in a file`,
      choiceOf("--store", STORES),
      "memory",
    )
    .option(
      "--parity <name>",
      "reference: play the reference node, without what is ours",
      choiceOf("--parity", PARITIES),
    );
}

function refuse(around: Surroundings, line: string): number {
  around.err(`${line}\n`);
  return 2;
}

/** A refusal that names what was probably meant, and what would have been taken. */
function refusalOf(program: Command, args: readonly string[], error: CommanderError): string {
  const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const told = `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/[.]$/, "")}.`;
  const line = suggestion === undefined ? told : `${told} ${suggestion.replace(/^[(](.*)[)]$/, "$1")}`;
  const command = program.commands.find((candidate) => candidate.name() === args[0]);
  if (error.code === "commander.unknownCommand") return `${line} One of: ${commandNames(program)}.`;
  if (error.code !== "commander.unknownOption" || command === undefined) return line;
  if (command.options.length === 0) return `${line} ${command.name()} takes none.`;
  return `${line} One of: ${command.options.map((option) => option.long).join(", ")}.`;
}

function commandNames(program: Command): string {
  const shown = program.createHelp().visibleCommands(program);
  return shown.map((command) => command.name()).join(", ");
}
