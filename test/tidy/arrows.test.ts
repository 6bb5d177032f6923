// Goal: each arrow of .dependency-cruiser.mjs catches the import it forbids.
// Method: a small repository with one forbidden import per arrow, cruised once with the real rules.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ICruiseResult } from "dependency-cruiser";
import { cruise } from "dependency-cruiser";
import { afterAll, assert, beforeAll, test } from "vitest";
import { arrowsFor } from "../../.dependency-cruiser.mjs";
import { ringsOf } from "../../node/bootstrap/arrows.mjs";

const DOMAINS = ["reviews", "trade/disputes"];

/** What each file imports; every file also exports something, and legal neighbours stand beside the planted ones. */
const tree: Readonly<Record<string, readonly string[]>> = {
  "core/index.ts": ["./domains/reviews/rules.ts", "./domains.ts", "./parity/reviews.ts"],
  "core/ingress.ts": ["node:fs", "../adapters/http/server.ts", "../sim/world.ts", "../test/shape.ts"],
  "core/kernel/bytes.ts": ["../domains/reviews/schema.ts"],
  "core/solana/layout.ts": ["../engine/step.ts"],
  "core/profile.ts": ["./engine/step.ts", "./solana/layout.ts"],
  "core/engine/step.ts": ["../domains/reviews/schema.ts", "../solana/layout.ts"],
  "core/network/peers.ts": ["../domains/reviews/schema.ts", "../engine/step.ts"],
  "core/domains.ts": ["./index.ts", "./domains/reviews/rules.ts", "./parity/reviews.ts"],
  "core/parity/reviews.ts": ["../domains/reviews/rules.ts", "../domains.ts"],
  "core/domains/reviews/schema.ts": ["../../domains.ts", "../../parity/reviews.ts"],
  "core/domains/reviews/rules.ts": ["./schema.ts", "../trade/disputes/schema.ts", "../trade/disputes/rules.ts"],
  "core/domains/trade/disputes/schema.ts": [],
  "core/domains/trade/disputes/rules.ts": ["../../reviews/schema.ts"],
  "core/lonely.ts": [],
  "adapters/http/server.ts": ["../../core/index.ts", "../../core/ingress.ts", "node:fs"],
  "adapters/http/ring-a.ts": ["./ring-b.ts"],
  "adapters/http/ring-b.ts": ["./ring-a.ts", "./gone.ts", "planted-development-package", "sql.js"],
  "sim/world.ts": [
    "../adapters/http/server.ts",
    "../core/index.ts",
    "../core/ingress.ts",
    "../node/command.ts",
    "sql.js",
  ],
  "scenarios/one.ts": ["../sim/world.ts", "../adapters/http/server.ts"],
  "node/command.ts": ["../scenarios/one.ts", "../core/ingress.ts", "../sim/world.ts"],
  "node/ofs-node.ts": ["../sim/world.ts"],
  "test/shape.ts": ["../core/ingress.ts", "../node/command.ts"],
};

const planted = [
  "core-imports-core-and-named-pure-packages: core/ingress.ts -> adapters/http/server.ts",
  "core-imports-core-and-named-pure-packages: core/ingress.ts -> fs",
  "core-arrow-of-base: core/kernel/bytes.ts -> core/domains/reviews/schema.ts",
  "core-arrow-of-solana: core/solana/layout.ts -> core/engine/step.ts",
  "core-arrow-of-profile: core/profile.ts -> core/engine/step.ts",
  "core-arrow-of-engine: core/engine/step.ts -> core/domains/reviews/schema.ts",
  "core-arrow-of-engine: core/engine/step.ts -> core/solana/layout.ts",
  "core-arrow-of-network: core/network/peers.ts -> core/domains/reviews/schema.ts",
  "core-arrow-of-domains: core/domains/reviews/schema.ts -> core/domains.ts",
  "core-arrow-of-domains: core/domains/reviews/schema.ts -> core/parity/reviews.ts",
  "core-arrow-of-parity: core/parity/reviews.ts -> core/domains.ts",
  "core-arrow-of-list: core/domains.ts -> core/index.ts",
  "only-the-list-knows-parity: core/index.ts -> core/parity/reviews.ts",
  "only-the-list-knows-parity: core/domains/reviews/schema.ts -> core/parity/reviews.ts",
  "ask-a-domain-through-its-schema-and-queries: core/domains/reviews/rules.ts -> core/domains/trade/disputes/rules.ts",
  "adapters-know-core-index: adapters/http/server.ts -> core/ingress.ts",
  "sim-knows-core-index-and-adapters: sim/world.ts -> core/ingress.ts",
  "scenarios-know-sim: scenarios/one.ts -> adapters/http/server.ts",
  "node-wires: node/command.ts -> core/ingress.ts",
  "nothing-depends-on-sim: core/ingress.ts -> sim/world.ts",
  "optional-packages-where-named: adapters/http/ring-b.ts -> node_modules/sql.js/index.js",
  "a-node-loads-no-simulator: node/ofs-node.ts -> sim/world.ts",
  "nothing-depends-on-node: sim/world.ts -> node/command.ts",
  "nothing-depends-on-test: core/ingress.ts -> test/shape.ts",
  "no-cycles: adapters/http/ring-a.ts -> adapters/http/ring-b.ts",
  "no-orphans: core/lonely.ts -> core/lonely.ts",
  "no-unresolved: adapters/http/ring-b.ts -> ./gone.ts",
  "no-development-packages: adapters/http/ring-b.ts -> node_modules/planted-development-package/index.js",
];

const legal = [
  "core/domains/reviews/rules.ts -> core/domains/trade/disputes/schema.ts",
  "core/network/peers.ts -> core/engine/step.ts",
  "core/domains.ts -> core/domains/reviews/rules.ts",
  "core/domains.ts -> core/parity/reviews.ts",
  "core/parity/reviews.ts -> core/domains/reviews/rules.ts",
  "core/profile.ts -> core/solana/layout.ts",
  "adapters/http/server.ts -> core/index.ts",
  "adapters/http/server.ts -> fs",
  "sim/world.ts -> adapters/http/server.ts",
  "sim/world.ts -> node_modules/sql.js/index.js",
  "scenarios/one.ts -> sim/world.ts",
  "node/command.ts -> scenarios/one.ts",
  "test/shape.ts -> core/ingress.ts",
];

let folder = "";
let violations: readonly string[] = [];
let rings: readonly string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "arrows-"));
  writeTree();
  const result = await cruise(["core", "adapters", "sim", "scenarios", "node", "test"], {
    baseDir: folder,
    ruleSet: { forbidden: arrowsFor(DOMAINS) },
    validate: true,
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
  });
  const { summary, modules } = result.output as ICruiseResult;
  rings = ringsOf(modules);
  violations = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function writeTree(): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, imports] of Object.entries(tree)) {
    const lines = imports.map(
      (target, index) => `import * as i${index} from "${target}";\nexport const e${index} = i${index};`,
    );
    write(path, `${lines.join("\n")}\nexport const here = "${path}";\n`);
  }
  const names = ["planted-development-package", "sql.js"];
  const devDependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]));
  const peerDependencies = { "sql.js": "1.0.0" };
  write("package.json", JSON.stringify({ name: "planted", type: "module", devDependencies, peerDependencies }));
  for (const name of names) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
}

test.each(planted)("catches %s", (violation) => {
  assert.include(violations, violation);
});

// The planted imports close cycles through legal ones, which is not the legal ones' fault.
test.each(legal)("allows %s", (arrow) => {
  const about = violations.filter((violation) => violation.endsWith(`: ${arrow}`));
  assert.deepEqual(
    about.filter((violation) => !violation.startsWith("no-cycles:")),
    [],
  );
});

test("rings of folders are found, each once, and nothing else is one", () => {
  assert.isTrue(rings.some((ring) => /core\/domains\/reviews, core\/domains\/trade\b/.test(ring)));
  const of = (source: string, ...resolved: string[]) => {
    return { source, dependencies: resolved.map((to) => ({ resolved: to })) };
  };
  const straight = [of("core/domains/a/x.ts", "core/domains/b/y.ts", "core/kernel/z.ts"), of("core/domains/b/y.ts")];
  assert.deepEqual(ringsOf(straight), []);
  assert.deepEqual(ringsOf([...straight, of("core/domains/b/z.ts", "core/domains/a/x.ts")]), [
    "core/domains/a, core/domains/b",
  ]);
  assert.deepEqual(ringsOf([of("core/kernel/a.ts", "core/ports/b.ts"), of("core/ports/b.ts", "core/kernel/a.ts")]), []);
});

test("every arrow has a planted import", () => {
  const names = arrowsFor(DOMAINS).map((rule) => rule.name);
  assert.sameMembers([...new Set(planted.map((line) => line.split(":")[0]))], names);
});
