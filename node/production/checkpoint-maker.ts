/**
 * Has checkpoints made beside a running node, in a process of their own, each time enough rows have changed. The node
 * only hands over the rows that changed, a page at a time, and has the ledger name what was made if that comes to the
 * roots that the node had itself.
 * Not here: how one is made (checkpoint-process.ts), and how a node begins with it (checkpoint.ts).
 */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LedgerChanges } from "../../adapters/sqlite/changes.ts";
import { dropCheckpoints } from "../../adapters/sqlite/checkpoint-file.ts";
import type { NodeConfiguration, NodeDriver, RootTexts } from "../../core/index.ts";
import { isFolded, marketplace, rowsOf } from "../../core/index.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { rowOf } from "./checkpoint-parts.ts";
import type { CheckpointOrder, CheckpointOutcome, CheckpointPage, CheckpointQuestion } from "./checkpoint-process.ts";
import type { Line } from "./logs.ts";

/** When so many times as many rows have changed, no checkpoint came about: what there is, is of no use any more. */
const FAR_BEHIND = 4;
/** So much of what a process wrote before it ended is told. */
const OUTPUT_LENGTH = 1_000;

/** Makes checkpoints of a node. */
export interface CheckpointMaker {
  /** The same store; what it commits is counted, and makes checkpoints due. */
  watched(store: StorePort): StorePort;
  watch(driver: NodeDriver): void;
  /** The node is ready: what it holds may make a checkpoint due. */
  ready(): void;
  /** How many rows changed since the named checkpoint. */
  behind(): number;
  /** Ends what is being made, and resolves when no commit is under way. */
  close(): Promise<void>;
}

interface MakerOptions {
  readonly ledger: string;
  readonly changes: LedgerChanges;
  /** Rows that change at least between two, and of a large ledger what part of its rows; or never. */
  readonly every: number | "off";
  readonly part: number;
  /** Rows that had changed since the named checkpoint when the node began with it. */
  readonly changed: ReadonlySet<string>;
  readonly configuration: Pick<NodeConfiguration, "profile" | "peerId">;
  readonly log: (event: string, fields: Line["fields"], level?: Line["level"]) => void;
}

/** A maker for an open ledger. */
export function openCheckpointMaker({
  ledger,
  changes,
  every,
  part,
  configuration,
  log,
  ...given
}: MakerOptions): CheckpointMaker {
  let driver: NodeDriver | undefined;
  let rows = changes.named()?.rows;
  let changed = new Set(given.changed);
  let making: Making | undefined;
  /** Where the process waits for the last page, which is one after which memory is what the ledger holds. */
  let asked: number | undefined;
  let next = 0;
  let pending = 0;
  let isClosed = false;
  const idle: (() => void)[] = [];

  const least = () => Math.max(every === "off" ? 0 : every, Math.ceil((rows ?? 0) / part));
  const behind = () => (rows === undefined && driver !== undefined ? rowsOf(marketplace, driver.view) : changed.size);

  function onCommitted(writes: Parameters<StorePort["commit"]>[0], roots: RootTexts | undefined): void {
    for (const write of writes) changed.add(rowOf(write));
    if (asked !== undefined && roots !== undefined) answer({ type: "ask", place: asked, kinds: "all" }, roots);
    else if (asked !== undefined)
      setImmediate(() => asked !== undefined && answer({ type: "ask", place: asked, kinds: "all" }));
    if (rows !== undefined && changed.size > FAR_BEHIND * Math.max(least(), 1)) fallBehind();
    beginWhenDue();
  }

  function beginWhenDue(): void {
    if (every !== "off" && making === undefined && behind() >= Math.max(least(), next)) begin();
  }

  /** Removals are not kept for a checkpoint that nobody would begin with. */
  function fallBehind(): void {
    if (making !== undefined) return;
    changes.name(undefined);
    dropCheckpoints(ledger);
    rows = undefined;
    changed = new Set();
    log("checkpoint dropped: too many rows have changed since", {}, "warn");
  }

  function begin(): void {
    if (isClosed || driver?.ready() !== true) return;
    changes.keepRemovals();
    const order = { ledger, named: changes.named(), newest: changes.newest(), ...configuration };
    making = begun(order, answer, onEnd);
    making.before = changed;
    changed = new Set();
  }

  function answer(question: CheckpointQuestion, known?: RootTexts): void {
    changes.betweenCommits(() => answerNow(question, known));
  }

  function answerNow({ place, kinds }: CheckpointQuestion, known?: RootTexts): void {
    asked = undefined;
    const page = changes.behind(place, kinds);
    if (kinds === "rows" || !page.ok || !page.value.last) return making?.send(page);
    const roots = known ?? rootsAtRest(driver);
    if (roots === undefined) asked = place;
    else making?.send({ ok: true, value: { ...page.value, roots } });
  }

  function onEnd(outcome: CheckpointOutcome["made"]): void {
    changes.betweenCommits(() => takeUp(outcome));
  }

  function takeUp(outcome: CheckpointOutcome["made"]): void {
    const before = making?.before ?? new Set();
    [making, asked] = [undefined, undefined];
    if (isClosed) return;
    const reason = outcome.ok ? nameMade(outcome.value) : outcome.error;
    if (reason === undefined) {
      next = 0;
      return;
    }
    for (const row of before) changed.add(row);
    next = behind() + least();
    if (rows === undefined) changes.name(undefined);
    dropCheckpoints(ledger, changes.named());
    log("no checkpoint was made", { reason }, "warn");
  }

  /** Has the ledger name what was made; or says why not. */
  function nameMade({ written, roots, expected }: Made): string | undefined {
    if ((Object.keys(expected) as (keyof RootTexts)[]).some((root) => roots[root] !== expected[root])) {
      // One of the two is wrong, and the rows decide: the next one is made of them.
      changes.name(undefined);
      rows = undefined;
      return "it comes to other roots than the node has";
    }
    const named = changes.name(written);
    if (!named.ok) return named.error;
    rows = written.rows;
    dropCheckpoints(ledger, written);
    log("checkpoint written", { bytes: written.bytes });
    return undefined;
  }

  return {
    behind,
    watched: (store) => ({
      load: store.load,
      close: store.close,
      commit(writes, done) {
        const roots = asked === undefined ? undefined : rootsOf(driver);
        pending += 1;
        store.commit(writes, (result) => {
          pending -= 1;
          done(result);
          if (result.ok) onCommitted(writes, roots);
          for (const resolve of idle.splice(0)) resolve();
        });
      },
    }),
    watch(node) {
      driver = node;
    },
    ready: () => changes.betweenCommits(beginWhenDue),
    async close() {
      isClosed = true;
      for (const row of making?.before ?? []) changed.add(row);
      making?.end();
      while (pending > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}

type Made = Extract<CheckpointOutcome["made"], { readonly ok: true }>["value"];

/** A process that makes a checkpoint. */
interface Making {
  send(page: CheckpointPage): void;
  end(): void;
  /** Rows that had changed when it began. */
  before: Set<string>;
}

function begun(
  order: CheckpointOrder,
  answer: (question: CheckpointQuestion) => void,
  ended: (outcome: CheckpointOutcome["made"]) => void,
): Making {
  const isSource = import.meta.filename.endsWith(".ts");
  const script = fileURLToPath(new URL(`./checkpoint-process.${isSource ? "ts" : "js"}`, import.meta.url));
  const loader = isSource ? ["--import", new URL("../bootstrap/typescript.mjs", import.meta.url).href] : [];
  const execArgv = [...loader, ...process.execArgv.filter((flag) => flag.startsWith("--max"))];
  const child: ChildProcess = fork(script, [], {
    ...{ execArgv, serialization: "advanced", stdio: ["ignore", "ignore", "pipe", "ipc"] },
  });
  let [output, isOver] = ["", false];
  const end = (outcome: CheckpointOutcome["made"]): void => {
    if (isOver) return;
    isOver = true;
    ended(outcome);
  };
  child.stderr?.on("data", (text: Buffer) => {
    output = (output + text.toString("utf8")).slice(-OUTPUT_LENGTH);
  });
  child.on("message", (message) => {
    const told = message as CheckpointQuestion | CheckpointOutcome;
    if (told.type === "ask") answer(told);
    else end(told.made);
  });
  child.on("error", (error) => end({ ok: false, error: error.message }));
  child.on("exit", (code, signal) => {
    end({ ok: false, error: `its process ended with ${signal ?? code}: ${output.trim().split("\n").at(-1)}` });
  });
  child.send(order, () => undefined);
  return {
    before: new Set(),
    send: (page) => void child.send(page, () => undefined),
    end: () => void child.kill("SIGKILL"),
  };
}

/** The roots of a node whose memory is what it has on disk, all of it folded. */
function rootsAtRest(driver: NodeDriver | undefined): RootTexts | undefined {
  const held = driver?.held("bytes");
  const isAtRest = held?.ready === true && held.flying === undefined && held.open.writes.length === 0;
  return isAtRest ? rootsOf(driver) : undefined;
}

/** The roots of a node that has nothing left to fold. */
function rootsOf(driver: NodeDriver | undefined): RootTexts | undefined {
  return driver?.ready() === true && isFolded(driver.view) ? driver.roots() : undefined;
}
