// Goal: the list of packages that travels with a release holds all that an installation gets, each once and with what
// tells it from any other, and nothing else.
// Method: the list of this repository's own lock beside what is reached from package.json by the rule by which Node.js
// finds packages; then small locks with the cases that ours may stop having.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, onTestFinished, test } from "vitest";
import { sbomOf } from "../../node/bootstrap/sbom.mjs";

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}

interface Component {
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope: string;
  readonly licenses?: unknown;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const root = join(import.meta.dirname, "..", "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
const listed = (of: unknown) => sbomOf(of) as Sbom;
const sbom = listed(lock);

/** Where Node.js finds a package that another one asks for. */
function foundFrom(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf("/node_modules/"))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.packages[path] !== undefined) return path;
    if (folder === "") return undefined;
    if (!folder.includes("/node_modules/")) folder = "/node_modules/";
  }
}

/** Every folder that an installation without development needs. */
function reached(): ReadonlySet<string> {
  const seen = new Set<string>();
  const ahead = [""];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path] ?? assert.fail(path);
    const peers = path === "" ? {} : peerDependencies;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peers })) {
      const found = foundFrom(path, name);
      if (found === undefined || seen.has(found)) continue;
      seen.add(found);
      ahead.push(found);
    }
  }
  return seen;
}

const identityOf = (path: string, { version, integrity }: Entry) => {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return `pkg:npm/${name.replace("@", "%40")}@${version} ${integrity}`;
};
const integrityOf = ({ hashes }: Component) =>
  hashes.map(
    ({ alg, content }) => `${alg.toLowerCase().replace("-", "")}-${Buffer.from(content, "hex").toString("base64")}`,
  );

describe("the list of this repository", () => {
  test("holds every package that an installation needs, once, by version and hash", () => {
    const needed = [...reached()].map((path) => identityOf(path, lock.packages[path] ?? assert.fail(path)));
    assert.isAbove(needed.length, 150);
    const held = sbom.components.map((component) => `${component.purl} ${integrityOf(component).join(" ")}`);
    assert.sameMembers(held, [...new Set(needed)]);
  });

  test("holds every dependency of package.json and none of development", () => {
    const own = lock.packages[""] ?? assert.fail("no root");
    const names = sbom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
    assert.includeMembers(names, Object.keys(own.dependencies ?? {}));
    const atTop = (name: string) => lock.packages[`node_modules/${name}`]?.dev === true;
    const development = Object.keys(own.devDependencies ?? {}).filter(atTop);
    assert.isAbove(development.length, 10);
    assert.deepEqual(
      names.filter((name) => development.includes(name)),
      [],
    );
  });

  test("names parts by one name each, and leads from the node to all of them", () => {
    assert.equal(`${sbom.bomFormat} ${sbom.specVersion}`, "CycloneDX 1.5");
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string; version: string };
    assert.include(sbom.metadata.component, { name: manifest.name, version: manifest.version });
    for (const component of sbom.components) assert.equal(component["bom-ref"], component.purl);
    const needs = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const seen = new Set<string>();
    const visit = (ref: string): void => {
      if (seen.has(ref)) return;
      seen.add(ref);
      for (const next of needs.get(ref) ?? assert.fail(ref)) visit(next);
    };
    visit(`pkg:npm/${manifest.name}@${manifest.version}`);
    assert.equal(seen.size, sbom.components.length + 1);
  });

  test("is written by npm run sbom, the same bytes each time", () => {
    const folder = mkdtempSync(join(tmpdir(), "sbom-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [one = "", two = ""] = ["one", "two"].map((name) => {
      const file = join(folder, "new", `${name}.json`);
      const ended = spawnSync(process.execPath, [join(root, "node/bootstrap/run.mjs"), "sbom", file]);
      assert.equal(ended.status, 0, String(ended.stderr));
      return readFileSync(file, "utf8");
    });
    assert.equal(one, two);
    assert.deepEqual(JSON.parse(one), JSON.parse(JSON.stringify(sbom)));
  });
});

describe("a lock", () => {
  const of = (byte: number) => `sha512-${Buffer.alloc(64, byte).toString("base64")}`;
  const own = { name: "own", version: "1.0.0", license: "MIT", dependencies: { "@a/b": "1", c: "1" } };
  const packages = {
    "": { ...own, devDependencies: { d: "1" } },
    "node_modules/@a/b": { version: "1.0.0", license: "(MIT OR ISC)", integrity: of(1), dependencies: { c: "2" } },
    "node_modules/@a/b/node_modules/c": { version: "2.0.0", license: "ISC", integrity: of(2) },
    "node_modules/c": { version: "1.0.0", integrity: of(3), optionalDependencies: { e: "1" } },
    "node_modules/d": { version: "1.0.0", dev: true, integrity: of(4) },
    "node_modules/e": { version: "1.0.0-x", optional: true, integrity: of(5) },
  };

  test("gives scope, name, license and hash, and to each what it finds", () => {
    const { components, dependencies } = listed({ packages });
    assert.deepEqual(components[0], {
      ...{ type: "library", "bom-ref": "pkg:npm/%40a/b@1.0.0", group: "@a", name: "b", version: "1.0.0" },
      ...{ scope: "required", hashes: [{ alg: "SHA-512", content: "01".repeat(64) }] },
      ...{ licenses: [{ expression: "MIT OR ISC" }], purl: "pkg:npm/%40a/b@1.0.0" },
    } as Component);
    assert.deepEqual(
      components.map(({ purl, scope, licenses }) => [purl.slice(8), scope, JSON.stringify(licenses)]),
      [
        ["%40a/b@1.0.0", "required", '[{"expression":"MIT OR ISC"}]'],
        ["c@1.0.0", "required", undefined],
        ["c@2.0.0", "required", '[{"license":{"id":"ISC"}}]'],
        ["e@1.0.0-x", "optional", undefined],
      ],
    );
    assert.deepEqual(
      dependencies.map(({ ref, dependsOn }) => `${ref} ${dependsOn.join(" ")}`.replaceAll("pkg:npm/", "")),
      ["own@1.0.0 %40a/b@1.0.0 c@1.0.0", "%40a/b@1.0.0 c@2.0.0", "c@1.0.0 e@1.0.0-x", "c@2.0.0 ", "e@1.0.0-x "],
    );
  });

  test("with one version in two folders gives it once, needed when either is", () => {
    const twice = { ...packages, "node_modules/@a/b/node_modules/e": { version: "1.0.0-x", integrity: of(5) } };
    for (const order of [Object.entries(twice), Object.entries(twice).reverse()]) {
      const { components } = listed({ packages: Object.fromEntries(order) });
      const scopes = components.filter(({ name }) => name === "e").map(({ scope }) => scope);
      assert.deepEqual(scopes, ["required"]);
    }
  });

  test("that lacks a hash of what ships gives no list", () => {
    const bare = { ...packages, "node_modules/c": { version: "1.0.0" } };
    assert.throws(() => sbomOf({ packages: bare }), "node_modules/c has no integrity in package-lock.json.");
  });
});
