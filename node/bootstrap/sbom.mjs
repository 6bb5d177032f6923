/**
 * The list of packages that travels beside the tarball: CycloneDX 1.5 of what package-lock.json says ships, each with
 * version, license and hash, and who needs whom. `npm sbom` reads installed folders instead, in which packages of
 * development may stand in the way of it. No instant and no serial number: the same lock gives the same bytes, so
 * anybody can make the list again and compare. Its form: https://cyclonedx.org/docs/1.5/json/, purl type "npm".
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shrinkwrapOf } from "./shrinkwrap.mjs";

const FOLDER = "node_modules/";
/** Names of hashes in a lock, and in CycloneDX. */
const ALGORITHMS = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

/** In the order of their characters' numbers, which no locale changes. */
const byText = (a, b) => (a < b ? -1 : Number(a > b));

/** A lock's production packages as CycloneDX. Throws for one that has no hash: nobody could tell it from another. */
export function sbomOf(lock) {
  const { packages } = shrinkwrapOf(lock);
  const components = new Map();
  const needs = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    const ref = refOf(path, packages);
    // Two copies of one version are one package, which may find its own dependencies in two places.
    needs.set(ref, new Set([...(needs.get(ref) ?? []), ...neededBy(path, packages)]));
    if (path === "") continue;
    const needed = components.get(ref)?.scope === "required" || (entry.optional ?? entry.devOptional) !== true;
    components.set(ref, componentOf(ref, path, entry, needed ? "required" : "optional"));
  }
  const inOrder = [...components.keys()].sort(byText);
  const { name, version, license } = packages[""];
  const own = { type: "application", "bom-ref": refOf("", packages), name, version, purl: refOf("", packages) };
  return {
    ...{ $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", bomFormat: "CycloneDX", specVersion: "1.5" },
    ...{ version: 1, metadata: { component: { ...own, licenses: licensesOf(license) } } },
    components: inOrder.map((ref) => components.get(ref)),
    dependencies: [own.purl, ...inOrder].map((ref) => ({ ref, dependsOn: [...needs.get(ref)].sort(byText) })),
  };
}

/** Writes the list of this repository's lock; answers the exit code. */
export function writeSbom(root, file) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const out = file ?? join(root, "reports", `${lock.name}-${lock.version}.cdx.json`);
  const sbom = sbomOf(lock);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(`${out}: ${sbom.components.length} packages`);
  return 0;
}

function componentOf(ref, path, { version, license, integrity }, scope) {
  const hashes = hashesOf(integrity);
  if (hashes.length === 0) throw new Error(`${path} has no integrity in package-lock.json.`);
  const [group, name] = partsOf(nameOf(path));
  return {
    ...{ type: "library", "bom-ref": ref, ...(group && { group }), name, version, scope, hashes },
    ...(license && { licenses: licensesOf(license) }),
    purl: ref,
  };
}

/** Hashes of an integrity text, in hexadecimal. */
function hashesOf(integrity = "") {
  return integrity.split(" ").flatMap((one) => {
    const dash = one.indexOf("-");
    const alg = ALGORITHMS[one.slice(0, dash)];
    return alg === undefined ? [] : [{ alg, content: Buffer.from(one.slice(dash + 1), "base64").toString("hex") }];
  });
}

function licensesOf(license) {
  return license.includes(" ") ? [{ expression: license.replace(/^\((.*)\)$/, "$1") }] : [{ license: { id: license } }];
}

/** The packages that one needs and that ship, as it finds them: in its own folder or in one around it. */
function neededBy(path, packages) {
  const { dependencies, optionalDependencies, peerDependencies } = packages[path];
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...(path !== "" && peerDependencies) });
  return names.flatMap((name) => {
    const found = foldersAround(path).find((folder) => packages[`${folder}${FOLDER}${name}`] !== undefined);
    return found === undefined ? [] : [refOf(`${found}${FOLDER}${name}`, packages)];
  });
}

/** `node_modules/a/node_modules/b` looks in itself, in `node_modules/a`, and at the top. */
function foldersAround(path) {
  if (path === "") return [""];
  return [`${path}/`, ...foldersAround(path.slice(0, Math.max(0, path.lastIndexOf(`/${FOLDER}`))))];
}

/** A package's purl, by which the list names it. */
function refOf(path, packages) {
  const { name, version } = packages[path];
  const parts = partsOf(path === "" ? name : nameOf(path));
  return `pkg:npm/${parts.filter(Boolean).map(encodeURIComponent).join("/")}@${encodeURIComponent(version)}`;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
}

/** Scope and name. */
function partsOf(name) {
  const slash = name.indexOf("/");
  return slash < 0 ? [undefined, name] : [name.slice(0, slash), name.slice(slash + 1)];
}
