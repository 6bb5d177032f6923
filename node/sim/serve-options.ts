/**
 * What `ofs-sim serve` takes, each option read once. Source: DESIGN section 6 "serve".
 */
import type { Command } from "commander";
import { Option } from "commander";
import { SERVED_NODES_MAX } from "../../sim/serve/members.ts";
import type { ServeChoices } from "./serve-command.ts";
import type { Surroundings } from "./surroundings.ts";
import { choiceOf, countOf, seedOf, UsageError } from "./usage.ts";

/** Milliseconds of the network's in one of ours. Source: DESIGN "Simulated world". */
export const PACE_MAX = 1_000;
const PORT_MAX = 65_535;
const CHAINS = ["litesvm", "model"] as const;
const MINING = ["slot", "send"] as const;

/** Adds the command. */
export function addServe(program: Command, around: Surroundings, ended: (code: number) => void): void {
  program
    .command("serve")
    .description("a network over HTTP, for who writes clients: nodes, chain, and what happens to them as you tell it")
    .exitOverride()
    .option("--nodes <count>", "nodes of the network", countOf("--nodes", SERVED_NODES_MAX), 5)
    .option("--gossip-only <count>", "the last so many have no endpoint of the chain; one unless said", wholeOf)
    .addOption(new Option("--seed <number>", "what wallets and chance come from").argParser(seedOf).default(1n, "1"))
    .option("--host <address>", "where nodes, chain and control listen", "127.0.0.1")
    .option("--port <number>", "of node 0; node i has this one plus i; 0 for any", portOf("--port"), 7080)
    .option("--chain-port <number>", "of the chain's RPC, PubSub at the next; 0 for any", portOf("--chain-port"), 8899)
    .option("--control-port <number>", "of control; 0 for any", portOf("--control-port"), 7070)
    .option("--token <text>", "what callers of control must bear; needed where --host is not loopback", tokenOf)
    .option("--chain <name>", `${CHAINS.join(" or ")}; what executes`, choiceOf("--chain", CHAINS), "litesvm")
    .option("--time <pace>", "wall, still, or so many times as fast as the wall clock", paceOf, 1)
    .option("--mine <when>", "slot or send; with send, what is sent is confirmed at once", choiceOf("--mine", MINING))
    .option("--state <file>", "goes on with the network that FILE holds, and keeps it there at the end", fileOf)
    .option("--open-network", "production nodes on this machine may join; with --time wall")
    .option("--gossip-port <number>", "where they reach node 0; 4101 unless said, 0 for any", portOf("--gossip-port"))
    .option("--until-input-ends", "ends with its standard input: for programs that start it as a child")
    .action(async (choices: ServeChoices, command: Command) => {
      const isChosen = (option: string) => command.getOptionValueSource(option) === "cli";
      const chosen = new Set(Object.keys(choices).filter(isChosen));
      ended(await (await import("./serve-command.ts")).serveCommand(choices, chosen, around));
    });
}

function wholeOf(text: string): number {
  return text === "0" ? 0 : countOf("--gossip-only", SERVED_NODES_MAX)(text);
}

function portOf(option: string): (text: string) => number {
  return (text) => {
    const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : PORT_MAX + 1;
    if (port <= PORT_MAX) return port;
    throw new UsageError(`${option} takes a port, 0 to ${PORT_MAX}, not "${text}".`);
  };
}

/** What a header can hold, and nobody guesses. */
function tokenOf(text: string): string {
  if (/^[\x21-\x7e]{16,256}$/.test(text)) return text;
  throw new UsageError("--token takes 16 to 256 characters of ASCII without spaces.");
}

function fileOf(text: string): string {
  if (text !== "") return text;
  throw new UsageError("--state takes the name of a file.");
}

function paceOf(text: string): number {
  if (text === "wall") return 1;
  if (text === "still") return 0;
  const pace = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (pace >= 1 && pace <= PACE_MAX) return pace;
  throw new UsageError(`--time is wall, still, or a whole number from 1 to ${PACE_MAX}, not "${text}".`);
}
