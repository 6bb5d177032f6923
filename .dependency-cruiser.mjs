/**
 * The arrows between modules: who may import whom, each with its reason. Everything not allowed here is an error.
 * `node/bootstrap/arrows.mjs` runs it and also fails when a source file was not read.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CORE = join(import.meta.dirname, "core");

/** Paths of the domains below core/domains: what has a row of its own. */
const domains = (existsSync(CORE) ? readdirSync(join(CORE, "domains"), { recursive: true, encoding: "utf8" }) : [])
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith("/domain.ts"))
  .map((path) => path.slice(0, -"/domain.ts".length));

/** The folders of the core in the order of their arrows: each imports itself and those before it. */
const LAYERS = {
  base: "core/(kernel/|ports/|errors[.]ts|reasons[.]ts|inputs[.]ts|globals[.]d[.]ts)",
  solana: "core/solana/",
  profile: "core/profile[.]ts",
  engine: "core/engine/",
  network: "core/network/",
  domains: "core/domains/",
  parity: "core/parity/",
  list: "core/(domains|foundation)[.]ts",
};
const ABOVE = {
  base: "The kernel and the ports hold words without a marketplace meaning.",
  solana: "What the chain writes is decoded from its bytes alone.",
  profile: "A profile is addresses and mints.",
  engine: "The engine is handed its domains as a value, so that it runs with any others.",
  network: "Peers carry whatever domains there are.",
  domains: "A domain knows the engine and those it reads, and not the list that it stands in.",
  parity: "What stands in the place of rules knows the rules, and not the list that takes it up.",
  list: "The list names the domains and nothing else.",
};
/** What else a layer leaves out: the engine and the base know no chain. */
const UNKNOWN = { engine: ["solana", "profile"], network: ["solana"] };

/** Modules below `from` may import only what `allowed` names. */
function only(name, comment, from, allowed) {
  return { name, comment, severity: "error", from: { path: from }, to: { pathNot: allowed } };
}

/** Modules below `from` may not import what `to` names. */
function never(name, comment, from, to) {
  return { name, comment, severity: "error", from, to };
}

const PURE_PACKAGES = "^node_modules/(bs58|base-x|@noble/[^/]+)/";
const PACKAGES = "^node_modules/";
/** Packages that only simulations use, which an operator does not install. */
const { peerDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
const OPTIONAL_PACKAGES = `^node_modules/(${Object.keys(peerDependencies).join("|").replaceAll(".", "[.]")})/`;
/** Where they may be imported: by simulations, their tests, what hands them out, and the one store that is named. */
const OPTIONAL_USERS = "^(sim|scenarios|test|node/queue)/|^adapters/sqlite/sqljs[.]ts$";
const BUILT_IN = "^(node:)?[a-z_/]+$";

/**
 * Every arrow, for a core with these domains.
 * @param {readonly string[]} domainNames
 * @returns {import("dependency-cruiser").IForbiddenRuleType[]}
 */
export function arrowsFor(domainNames) {
  const anyDomain = `(${domainNames.length > 0 ? domainNames.join("|") : "no-domain-yet"})`;
  const layers = Object.keys(LAYERS);
  return [
    only(
      "core-imports-core-and-named-pure-packages",
      "The core runs unchanged in a browser and in the simulator: no I/O can enter where nothing that does I/O is imported.",
      "^core/",
      ["^core/", PURE_PACKAGES],
    ),
    ...layers.map((layer, place) => {
      const below = layers.slice(0, place + 1).filter((each) => !UNKNOWN[layer]?.includes(each));
      const allowed = below.map((each) => `^${LAYERS[each]}`);
      return only(`core-arrow-of-${layer}`, ABOVE[layer], `^${LAYERS[layer]}`, [...allowed, PURE_PACKAGES]);
    }),
    never(
      "only-the-list-knows-parity",
      "Rules of the reference reach a node through its network; whoever imports one has branched on it.",
      { path: "^core/", pathNot: ["^core/parity/", "^core/domains[.]ts$"] },
      { path: "^core/parity/" },
    ),
    never(
      "ask-a-domain-through-its-schema-and-queries",
      "Nobody asks a second domain's rules or methods, so that they change without that domain changing.",
      { path: `^core/domains/${anyDomain}/` },
      { path: `^core/domains/${anyDomain}/(rules|methods)[.]ts$`, pathNot: ["^core/domains/$1/"] },
    ),
    only(
      "adapters-know-core-index",
      "Adapters translate and decide nothing: the public index and the ports are all they need of the core.",
      "^adapters/",
      ["^adapters/", "^core/index[.]ts$", "^core/ports/", PACKAGES, BUILT_IN],
    ),
    only(
      "sim-knows-core-index-and-adapters",
      "The simulator runs the same core as production (law L11), so it reaches it through the same entry.",
      "^sim/",
      ["^sim/", "^core/(index|testing)[.]ts$", "^core/ports/", "^adapters/", PACKAGES, BUILT_IN],
    ),
    only(
      "scenarios-know-sim",
      "A scenario is data about a simulated world; it needs the words of the simulator and of the core, nothing else.",
      "^scenarios/",
      ["^scenarios/", "^sim/", "^core/(index|testing)[.]ts$"],
    ),
    only(
      "node-wires",
      "The commands wire configuration to adapters and the loop; they see the core through its public index.",
      "^node/",
      [
        "^node/",
        "dist/node/",
        "^core/index[.]ts$",
        "^core/ports/",
        "^adapters/",
        "^sim/",
        "^scenarios/",
        PACKAGES,
        BUILT_IN,
      ],
    ),
    never(
      "nothing-depends-on-sim",
      "Production must not carry the simulator: only scenarios, the commands and the tests know it.",
      { pathNot: "^(sim|scenarios|node|test)/" },
      { path: "^sim/" },
    ),
    never(
      "optional-packages-where-named",
      "An operator installs no simulator: what else imported one of its packages would not start.",
      { pathNot: OPTIONAL_USERS },
      { path: OPTIONAL_PACKAGES },
    ),
    never(
      "a-node-loads-no-simulator",
      "The commands stand side by side and only one of them simulates.",
      { path: "^node/(production/|ofs-node[.]ts)" },
      { path: "^(sim|scenarios|node/(sim|queue))/|^adapters/sqlite/sqljs[.]ts$" },
    ),
    never(
      "nothing-depends-on-node",
      "node/ is where everything ends: what another folder needs of it belongs elsewhere.",
      { pathNot: "^(node|test)/" },
      { path: "^node/" },
    ),
    never(
      "nothing-depends-on-test",
      "What is shipped does not need its tests.",
      { pathNot: "^test/" },
      { path: "^test/" },
    ),
    never(
      "no-cycles",
      "Modules of a cycle can only be understood, tested and removed together.",
      {},
      { circular: true },
    ),
    never(
      "no-orphans",
      "A module that nobody imports and that imports nobody is dead.",
      { orphan: true, pathNot: ["^node/", "^test/", "[.]d[.]ts$"] },
      {},
    ),
    never(
      "no-unresolved",
      "An import that resolves to nothing fails when it runs, not when it is checked.",
      {},
      // What `npm run build` makes stands beside the launchers only in an installed package.
      { couldNotResolve: true, pathNot: "dist/node/" },
    ),
    never(
      "no-development-packages",
      "What is shipped may import only what is installed with it.",
      // The bootstrap is not shipped; optional peers are installed by whoever simulates. QUIC is loaded where it is found.
      {
        path: "^(core|adapters|sim|scenarios|node)/",
        pathNot: ["[.]d[.]ts$", "^node/bootstrap/", "^adapters/libp2p/quic[.]ts$"],
      },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "npm-peer"] },
    ),
  ];
}

// biome-ignore lint/style/noDefaultExport: dependency-cruiser reads its configuration from the default export
export default {
  forbidden: arrowsFor(domains),
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|reports|repros)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    moduleSystems: ["es6"],
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
