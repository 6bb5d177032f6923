/**
 * Goal: the unit, the compose file, the image and the Kubernetes Job for workers start the command as it is.
 * Method: each is read as what it is; every flag and variable that it gives is looked for in the command's own help.
 */
import { readFileSync } from "node:fs";
import { assert, test } from "vitest";
import { parse } from "yaml";
import { commandLine } from "../../node/sim/command-line.ts";
import { toySurroundings } from "../sim/toy-surroundings.ts";

const read = (name: string) => readFileSync(new URL(`../../node/operations/${name}`, import.meta.url), "utf8");

async function helpOfWorker(): Promise<string> {
  const around = toySurroundings(false);
  await commandLine(["worker", "--help"], around);
  return around.printed.join("");
}

/** Words of a command that are no flag of `worker`, nor a value of one. */
async function unknown(texts: readonly string[]): Promise<readonly string[]> {
  const help = await helpOfWorker();
  return texts.filter((word) => word.startsWith("--") && !new RegExp(`^ +${word} `, "m").test(help));
}

test("the unit starts a worker whose settings come from a file", async () => {
  const unit = read("ofs-sim-worker.service");
  const texts = (/^ExecStart=(.+)$/m.exec(unit)?.[1] ?? "").split(" ");
  assert.deepEqual(texts.slice(0, 3), ["/usr/bin/env", "ofs-sim", "worker"]);
  assert.deepEqual(await unknown(texts), []);
  for (const line of ["KillMode=mixed", "EnvironmentFile=/etc/ofs-sim/worker.env", "Restart=on-failure"])
    assert.include(unit, `\n${line}\n`);
  assert.include(await helpOfWorker(), "env: OFS_QUEUE");
});

interface Compose {
  readonly services: Readonly<
    Record<
      "redis" | "worker",
      { readonly command: readonly string[]; readonly build?: { readonly dockerfile: string } }
    >
  >;
}

test("the compose file starts a Redis that keeps what it is told, and a worker that finds it", async () => {
  const { services } = parse(read("workers.compose.yml")) as Compose;
  assert.includeMembers([...services.redis.command], ["--appendonly", "yes", "noeviction"]);
  const [name, ...texts] = services.worker.command;
  assert.equal(name, "worker");
  assert.deepEqual(await unknown(texts), []);
  assert.include(texts, "redis://redis:6379");
  assert.equal(services.worker.build?.dockerfile, "node/operations/Dockerfile.worker");
  assert.include(read("Dockerfile.worker"), "node_modules/ofs-node/node/bin/ofs-sim.mjs");
});

interface JobManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}
interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string }[];
}

test("the Kubernetes Job starts workers that end by themselves", async () => {
  const { apiVersion, kind, spec } = parse(read("workers.job.yml")) as JobManifest;
  assert.deepEqual([apiVersion, kind], ["batch/v1", "Job"]);
  const [container] = spec.template.spec.containers;
  assert.include(container?.args ?? [], "--idle-minutes");
  assert.deepEqual(await unknown(container?.args ?? []), []);
  assert.deepEqual(
    container?.env.map(({ name }) => name),
    ["OFS_QUEUE", "OFS_QUEUE_PASSWORD"],
  );
});

test("a flag that is none is found", async () => {
  assert.deepEqual(await unknown(["worker", "--wokers", "2", "--queue"]), ["--wokers"]);
});
