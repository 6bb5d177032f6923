/**
 * Which tests judge a mutant, and in which order: first the mirror of its folder, then the suites that see the whole
 * product. A mutant that survives has been through all of them, so a set is as small as it may be and no smaller.
 * Paths are relative to the repository, with slashes; a judge is a folder of tests or one test file.
 */

/**
 * How widely is judged: `quick` leaves the named suites out, which take longest, so that a survivor of it may still be
 * noticed by them; `all` asks every test, whatever the folder.
 */
export type Breadth = "quick" | "usual" | "all";

/** Judges of everything in a folder of the product, beside its mirror. */
interface Judges {
  /** The tests of this folder alone, where they do not stand in `test/<same name>`. */
  readonly mirrors: Readonly<Record<string, readonly string[]>>;
  /** What every file of the folder has in common. */
  readonly general: readonly string[];
  /** Of these, the ones that also judge what is computed once while a module loads. */
  readonly fixed: readonly string[];
}

/** Long stories with checkers of their own. */
const NAMED_SUITES = ["test/suites/", "test/scenarios/"];

const judgesByFolder: Readonly<Record<string, Judges>> = {
  core: {
    mirrors: {
      "core/domains/content/blocks": ["test/content/"],
      "core/domains/node-info": ["test/gossip/", "test/examples/node-information"],
      "core/domains/trade/sealing": ["test/convergence/sealing", "test/sealing/"],
      "core/engine": ["test/rpc/", "test/gossip/", "test/laws/", "test/ports/memory-store"],
      "core/engine/admission": ["test/rpc/", "test/gossip/", "test/identity/"],
      "core/engine/statements": ["test/statements/", "test/convergence/"],
      "core/network": ["test/gossip/", "test/ports/memory-store"],
      "core/ports": ["test/ports/memory-store"],
      "core/solana": ["test/chain-bridge/", "test/solana/"],
    },
    general: [
      "test/refusals/",
      "test/limits/",
      "test/rpc/",
      "test/examples/",
      "test/settlements/",
      "test/convergence/",
    ],
    fixed: ["test/refusals/"],
  },
  adapters: {
    mirrors: {
      "adapters/chain": ["test/ports/rpc-chain"],
      "adapters/chain/program": ["test/chain/linker"],
      "adapters/client": ["test/client/", "test/http/", "test/sim/legacy-wire-format"],
      "adapters/crypto": ["test/ports/crypto", "test/notifications/sealed-box"],
      "adapters/folders": ["test/node/folders"],
      "adapters/gateway": [
        "test/ports/name-servers",
        "test/ports/gateway",
        "test/ports/http-gateway",
        "test/ports/snapshot-files",
      ],
      "adapters/http": ["test/http/", "test/ports/http.test.ts", "test/examples/transport-errors"],
      "adapters/libp2p": ["test/ports/libp2p"],
      "adapters/memory": ["test/ports/memory-store"],
      "adapters/pages": ["test/ports/pages"],
      "adapters/recording": ["test/sim/byte-sink", "test/sim/trace", "test/node/record"],
      "adapters/snapshots": ["test/ports/snapshot-files"],
      "adapters/sqlite": ["test/ports/ledger", "test/ports/libsql-store", "test/ports/sqljs-store"],
      "adapters/store": ["test/ports/memory-store", "test/ports/libsql-store", "test/ports/sqljs-store"],
    },
    general: ["test/content/http", "test/limits/"],
    fixed: [],
  },
  sim: {
    mirrors: { "sim/chain": ["test/sim/", "test/chain/litesvm"], "sim/byzantine": ["test/attacks/", "test/sim/"] },
    general: [
      "test/sim/",
      "test/governance/simulated-chain",
      "test/attacks/",
      "test/ports/snapshot-files",
      "test/trade-channel/crypto",
      "test/wallet-proofs/",
    ],
    fixed: ["test/sim/"],
  },
};

/** Tests that look at sources, at processes, at the checks themselves or at house rules: no mutant is theirs. */
const NEVER = [
  ...["test/tidy/", "test/bootstrap/", "test/planted/", "test/nightly/", "test/mutation/", "test/property/"],
  ...["test/laws/", "test/snapshots/laws", "test/convergence/planted", "test/suites/redaction-planted"],
  "test/scenarios/part-e-planted",
];

/**
 * Names of tests that never judge: planted bugs, which load a copy of the product; stories told again on another
 * executor of the program; and runs told again in another process, where the mutant is not.
 */
export const NEVER_NAMED = /^(?!.*( is (found|caught)( out)?$| on (bankrun|litesvm)$| in a process with another ))/;

/** The judges of one file, each test file once. */
export function judgesOf(file: string, tests: readonly string[], breadth: Breadth = "usual"): readonly string[] {
  return among(tests, [...mirrorsOf(file), ...(judgesByFolder[top(file)]?.general ?? []), ...wider(file, breadth)]);
}

/** The judges of what is computed once while a module loads: it needs the whole file to be loaded anew. */
export function judgesOfStatic(file: string, tests: readonly string[], breadth: Breadth = "usual"): readonly string[] {
  return among(tests, [...mirrorsOf(file), ...(judgesByFolder[top(file)]?.fixed ?? []), ...wider(file, breadth)]);
}

/** Adapters stand outside every story of the named suites. */
function wider(file: string, breadth: Breadth): readonly string[] {
  switch (breadth) {
    case "quick":
      return [];
    case "usual":
      return top(file) === "adapters" ? [] : NAMED_SUITES;
    case "all":
      return ["test/"];
  }
}

function among(tests: readonly string[], folders: readonly string[]): readonly string[] {
  const found = folders.flatMap((folder) => tests.filter((test) => test.startsWith(folder)));
  return [...new Set(found)].filter((test) => !NEVER.some((path) => test.startsWith(path)));
}

/** The tests of this file's folder alone: they judge first. */
export function mirrorTests(file: string, tests: readonly string[]): readonly string[] {
  return tests.filter((test) => mirrorsOf(file).some((folder) => test.startsWith(folder)));
}

/** Where the tests of this file's folder stand. */
function mirrorsOf(file: string): readonly string[] {
  const mirrors = Object.entries(judgesByFolder[top(file)]?.mirrors ?? {});
  const found = mirrors.filter(([folder]) => file.startsWith(`${folder}/`)).sort(([a], [b]) => b.length - a.length);
  // A domain's tests stand in the folder of its own name, wherever it stands among the domains.
  const folder = file.startsWith("core/domains/") ? file.split("/").at(-2) : file.split("/")[1];
  return found[0]?.[1] ?? (folder?.endsWith(".ts") ? [] : [`test/${folder}/`]);
}

function top(file: string): string {
  return file.split("/")[0] ?? "";
}
