/**
 * Translates TypeScript as it is imported, file by file: types are dropped and nothing else, so what runs is what a
 * build would give. (tsx, which did this, keeps the name of every closure by a call around it: a quarter of the time of
 * a simulated world.) A translation is kept beside what else is derived, one file a source, and taken again as long as
 * it is of that very text. Runs in the thread where Node keeps its loaders.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { transform, version } from "esbuild";

const root = join(import.meta.dirname, "..", "..");
const kept = join(root, "node_modules", ".cache", "ofs", "typescript");

/** Decides beside a source what its translation is. `verbatimModuleSyntax`: an import that is no type stays. */
const SETTINGS = {
  loader: "ts",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
};
const MADE_BY = `${version} ${JSON.stringify(SETTINGS)}`;

/**
 * A TypeScript file is a module, whatever a package says that it lies in. Where a source names one by its place, that
 * is where it lies, and nobody else is asked: other hooks and the runtime take as long as all the rest.
 */
export async function resolve(specifier, context, next) {
  if (specifier.startsWith(".") && isTypeScript(context.parentURL ?? "")) {
    const { href } = new URL(specifier, context.parentURL);
    if (isTypeScript(href)) return { url: href, format: "module", importAttributes: {}, shortCircuit: true };
  }
  const found = await next(specifier, context);
  return isTypeScript(found.url) ? { ...found, format: "module", importAttributes: {} } : found;
}

export async function load(url, context, next) {
  if (!isTypeScript(url)) return next(url, context);
  const path = fileURLToPath(url);
  return { format: "module", source: await translated(readFileSync(path, "utf8"), path), shortCircuit: true };
}

/** A package brings JavaScript. */
function isTypeScript(url) {
  return url.startsWith("file:") && /[.]m?ts($|[?#])/.test(url) && !url.includes("/node_modules/");
}

/** The JavaScript of a source, kept or made now. */
export async function translated(source, path) {
  const stamp = `\n// ${createHash("sha256").update(`${MADE_BY} ${path} ${source}`).digest("hex")}\n`;
  const file = `${join(kept, relative(root, path))}.js`;
  const before = read(file);
  if (before?.endsWith(stamp)) return before;
  const { code } = await transform(source, { ...SETTINGS, sourcefile: path });
  const made = `${code.trimEnd()}${stamp}`;
  if (file.startsWith(kept)) keep(file, made);
  return made;
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Whole or not at all: other processes read meanwhile. Where nothing can be written, nothing is kept. */
function keep(file, text) {
  const draft = `${file}.${process.pid}.${threadId}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch {
    // The next process translates it again.
  }
}
