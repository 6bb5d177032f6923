/**
 * The command line of `ofs-node`. Commands are loaded when they run, so that help and refusals are quick.
 * Bad usage ends with one line on stderr and exit code 2. Source: DESIGN section 6.
 */
import { Command, CommanderError } from "commander";
import type { StartChoices } from "./start.ts";
import type { Terminal } from "./usage.ts";
import { Failure, packageVersion, Refusal } from "./usage.ts";

/** Runs what the arguments ask for; answers the exit code. */
export async function commandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal);
  try {
    if (args.length === 0)
      throw new Refusal(
        "Say what to do. One of: start, config, check, repair, backup, export, keygen, address, openrpc. --help says more.",
      );
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (!(error instanceof CommanderError || error instanceof Refusal || error instanceof Failure)) throw error;
    terminal.err(`${lineOf(error)}\n`);
    return error instanceof Failure ? 1 : 2;
  }
}

/** Commander puts what may have been meant on a line of its own. */
function lineOf(error: Error): string {
  const [line, meant = ""] = error.message.replace(/^error: /, "").split("\n");
  return error instanceof CommanderError && meant.startsWith("(Did you mean ") ? `${line} ${meant}` : `${line}`;
}

function createProgram(terminal: Terminal): Command {
  const program = new Command("ofs-node")
    .description("A node of the marketplace network: libp2p gossip, JSON-RPC over HTTP and WebSocket, SQLite.")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: () => undefined })
    .helpCommand(false);
  startOptions(program.command("start").exitOverride())
    .description("run a node")
    .action(async (_choices: unknown, command: Command) => {
      const { choicesOf, ignoredOf } = await import("./settings.ts");
      const read = () => choicesOf(command, process.env) as unknown as StartChoices;
      await (await import("./start.ts")).startCommand(read, terminal, ignoredOf(command, process.env));
    });
  startOptions(program.command("config").exitOverride())
    .description("check the settings that start would use")
    .option("--print", "show what is in force, and whence")
    .action(async (choices: { readonly print?: true }, command: Command) => {
      const { choicesOf, ignoredOf, printed, settingsOf } = await import("./settings.ts");
      (await import("./start.ts")).planOf(choicesOf(command, process.env) as unknown as StartChoices);
      const shown = () => printed(settingsOf(command, process.env), ignoredOf(command, process.env));
      terminal.out(choices.print === true ? shown() : "the settings can be used\n");
    });
  ledgerCommands(program, terminal);
  program
    .command("keygen")
    .exitOverride()
    .description("write a new identity file")
    .argument("<file>")
    .action(async (file: string) => (await import("./keys.ts")).keygenCommand(file, terminal));
  program
    .command("address")
    .exitOverride()
    .description("print the peer id of an identity file")
    .argument("<file>")
    .action(async (file: string) => (await import("./keys.ts")).addressCommand(file, terminal));
  program
    .command("openrpc")
    .exitOverride()
    .description("write the static copy of the OpenRPC document")
    .requiredOption("--out <file>", "where to")
    .action(async ({ out }: { readonly out: string }) => (await import("./openrpc.ts")).openrpcCommand(out, terminal));
  return program;
}

function ledgerCommands(program: Command, terminal: Terminal): void {
  const load = () => import("./ledger-commands.ts");
  const on = (name: string, what: string) => {
    return program.command(name).exitOverride().description(what).option("--ledger <dir>", "the ledger");
  };
  on("check", "read a whole ledger and tell its roots; the node must not run").action(async ({ ledger = "" }: Paths) =>
    (await load()).checkCommand(ledger, terminal),
  );
  on("export", "write every row as a line of JSON; the node must not run")
    .requiredOption("--out <file>", "where to")
    .action(async ({ ledger = "", out }: Paths) => (await load()).exportCommand(ledger, out, terminal));
  on("repair", "keep what can be read of a damaged ledger in a new one")
    .requiredOption("--out <dir>", "the new ledger")
    .action(async ({ ledger = "", out }: Paths) => (await load()).repairCommand(ledger, out, terminal));
  on("backup", "copy a ledger, of a running node with --admin, and verify the copy")
    .option("--admin <url>", "the admin address of the running node, such as http://127.0.0.1:7081")
    .requiredOption("--out <dir>", "the copy, which is a ledger")
    .action(async ({ ledger = "", out, admin }: Paths) => {
      if (admin === undefined) await (await load()).backupCommand(ledger, out, terminal);
      else await (await load()).hotBackupCommand(admin, out, terminal);
    });
}

interface Paths {
  readonly ledger?: string;
  readonly out: string;
  readonly admin?: string;
}

/** Gathers what a repeatable flag is given. */
const many = (value: string, held: readonly string[] | undefined) => [...(held ?? []), value];

function startOptions(command: Command): Command {
  command
    .option("--config <file>", "settings as TOML or JSON, under the names of these flags")
    .option("--ledger <dir>", "where everything this node acknowledged is kept")
    .option("--network <name>", "devnet, simulated, or a file about another: programs, mints, commitment", "devnet")
    .option("--identity <file>", "the node's key; without it, one is kept in the ledger");
  return otherOptions(clientOptions(command));
}

/** Where clients and its operator reach it, and what they may ask. */
function clientOptions(command: Command): Command {
  return command
    .option("--rpc-bind-address <host:port>", "where clients reach it", "0.0.0.0:7080")
    .option(
      "--admin-bind-address <host:port>",
      "where its operator reads readiness and metrics, or off",
      "127.0.0.1:7081",
    )
    .option("--admin-name <host>", "a name under which its operator reads that; repeatable", many)
    .option(
      "--trusted-proxy <address>",
      "a proxy, or a network of them, whose x-forwarded-for is believed; repeatable",
      many,
    )
    .option("--rate-limit <calls>", "BURST/PER_SECOND of calls for each client, or off", "120/2")
    .option(
      "--aside-rate <answers>",
      "BURST/PER_SECOND of answers to health checks, preflights and bad requests for each client, or off",
      "240/4",
    )
    .option("--connection-rate <connections>", "BURST/PER_SECOND of new connections for each client, or off", "240/4")
    .option("--max-connections <n>", "connections of clients at once", "4096");
}

/** Where peers and the chain are, what the node says of itself, what it keeps and what it logs. */
function otherOptions(command: Command): Command {
  return command
    .option("--gossip-bind-address <multiaddr>", "where peers reach it; repeatable", many)
    .option(
      "--entrypoint <multiaddr>",
      "a peer to dial first, ending in /p2p/12D3Koo…, or the id of one met before; repeatable",
      many,
    )
    .option("--external-addr <multiaddr>", "an address to announce; repeatable", many)
    .option("--max-local-peers <n>", "peers from one private or loopback address, such as a proxy before it", "64")
    .option("--solana-rpc-url <url>", "a chain endpoint; without one the node is gossip-only; repeatable", many)
    .option("--solana-poll-secs <n>", "between two looks at the chain", "10")
    .option("--parity <name>", "reference: play the reference node, without what is ours; for comparison")
    .option("--allow-private-gateways", "post notifications to private and loopback addresses too")
    .option("--public-rpc-url <url>", "where anybody may call it; registers the node as a public API")
    .option("--payout-wallet <address>", "where rewards go; the node's own key unless said")
    .option("--provider-name <text>", "how the registry shows it")
    .option("--provider-description <text>", "what the registry says of it")
    .option("--provider-logo <cid>", "a picture of it in the content store")
    .option("--provider-website <url>", "where to read about it")
    .option("--snapshot-dir <dir>", "where its snapshots are kept and served from; in the ledger unless said")
    .option(
      "--snapshot-public-url <url>",
      "under which others fetch its snapshots; derived from its addresses unless said",
    )
    .option("--snapshot-interval-secs <n>", "between two snapshots", "3600")
    .option("--snapshot-search-secs <n>", "between two searches for a snapshot to start from", "30")
    .option("--no-snapshot-production", "make no snapshots")
    .option("--snapshot-anchor <key>", "a producer whose snapshots it starts from; repeatable", many)
    .option("--allow-local-snapshots", "fetch snapshots from loopback and link-local addresses too")
    .option("--checkpoint-every <rows>", "rows that change before a running node packs its ledger, or off", "3000")
    .option("--retention <days>", "how long attachments are kept, 30 days at least, or archival", "30")
    .option(
      "--record <file>",
      "write every input down, for ofs-sim replay; for you alone, as it holds what people send",
    )
    .option("--record-redacted", "leave out what inputs say; such a recording can be shown, and not played")
    .option("--log <filter>", "debug, info, warn or error, and MODULE=LEVEL after it", "info")
    .option("--log-format <format>", "text or json", "text");
}
