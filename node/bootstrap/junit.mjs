/**
 * The results of a run as JUnit XML, for services that show them: the checks (types, lint, …) as one suite, then the
 * suites that vitest's own reporter wrote. What failed outside every test is a failed case as well, so that a run that
 * exits with 1 never shows as clean. Source: the JUnit XML format as Jenkins and GitLab read it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Takes `--junit FILE` out of the arguments of `npm test`; OFS_JUNIT names the file otherwise. */
export function junitFileOf(args, env) {
  const at = args.findIndex((arg) => arg === "--junit" || arg.startsWith("--junit="));
  if (at < 0) return { file: env.OFS_JUNIT || undefined, filters: args };
  const inline = args[at].includes("=");
  const file = inline ? args[at].slice("--junit=".length) : args[at + 1];
  const filters = args.toSpliced(at, inline ? 1 : 2);
  return file === undefined || file === "" || file.startsWith("-") ? { file: null, filters } : { file, filters };
}

/** Writes the one file; `testsFile` is what vitest wrote, and is taken away. */
export function writeJunit(file, checks, tests, testsFile) {
  let written = "";
  try {
    written = readFileSync(testsFile, "utf8");
  } catch {
    // Vitest ended before it reported: junitOf says so.
  }
  rmSync(testsFile, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, junitOf(checks, tests, written));
}

/** One document of both: checks as `runChecks` answers them, counts as `runTests` does, and vitest's document. */
export function junitOf(checks, tests, written) {
  const [, head = "", suites = ""] = /<testsuites([^>]*)>([\s\S]*)<\/testsuites>/.exec(written) ?? [];
  const number = (name) => Number(new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? 0);
  const outside = Math.max(0, tests.failed - number("failures"));
  const own = [suiteOf("checks", checks.results), suiteOf("run", outsideCases(outside))].filter(Boolean);
  const failures = checks.failed + number("failures") + outside;
  const count = checks.results.length + number("tests") + outside;
  const seconds = number("time") + checks.results.reduce((sum, { seconds: each }) => sum + Number(each), 0);
  const attributes = `name="ofs-node" tests="${count}" failures="${failures}" errors="0" time="${seconds.toFixed(3)}"`;
  const body = [...own, suites.trim()].filter(Boolean).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n${body}\n</testsuites>\n`;
}

function outsideCases(count) {
  const output = "Failed outside every test: the output of the run says how.";
  return Array.from({ length: count }, (_, n) => {
    return { name: `outside every test ${n + 1}`, passed: false, seconds: "0", output };
  });
}

function suiteOf(name, cases) {
  if (cases.length === 0) return "";
  const failures = cases.filter(({ passed }) => !passed).length;
  const lines = cases.map((each) => {
    const opening = `<testcase classname="${name}" name="${escaped(each.name)}" time="${each.seconds}"`;
    if (each.passed) return `  ${opening}/>`;
    return `  ${opening}>\n    <failure message="failed">${escaped(each.output)}</failure>\n  </testcase>`;
  });
  const head = `<testsuite name="${name}" tests="${cases.length}" failures="${failures}" errors="0" skipped="0">`;
  return [head, ...lines, "</testsuite>"].join("\n");
}

/** Text as XML allows it: no colours of a terminal, no other control characters. Source: XML 1.0 §2.2. */
function escaped(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const plain = text
    .replaceAll(/\u001b\[[0-9;]*m/g, "")
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
  return plain.replaceAll(/[&<>"]/g, (character) => entities[character]);
}
