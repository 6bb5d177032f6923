/**
 * What those who run a node see of it, put together: the watch, the checks, the metrics, and the address they are read
 * at. Source: DESIGN section 6.
 */
import { isAbsolute } from "node:path";
import type { ApiServer } from "../../adapters/http/server.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import type { NodeDriver, Result, RootTexts } from "../../core/index.ts";
import { absenceOf, gaugesOf, isNewcomer, rulesLacked } from "../../core/index.ts";
import type { Admin, AdminOptions } from "./admin.ts";
import { openAdmin } from "./admin.ts";
import type { Condition } from "./health.ts";
import { deadReason, readinessOf } from "./health.ts";
import { copyLedger } from "./ledger-commands.ts";
import { openCommitTimes, openMetrics } from "./metrics.ts";
import { packageVersion } from "./usage.ts";
import type { Watch } from "./watch.ts";
import { openWatch } from "./watch.ts";

/** What is looked at; parts that are not open yet are undefined. */
export interface Subject {
  readonly driver: NodeDriver | undefined;
  /** Copies the open ledger to a new file. */
  readonly copyTo: ((path: string) => Promise<void>) | undefined;
  readonly api: Pick<ApiServer, "counts"> | undefined;
  readonly transport: Pick<OpenedTransport, "counts"> | undefined;
}

export interface OverseenOptions {
  readonly ledger: string;
  readonly network: string;
  readonly entrypoints: number;
}

export interface Overseen extends Watch {
  /** Counts the connected peers of a node. */
  readonly peersOf: (subject: Subject) => () => number;
  /** Listens for those who run the node, or answers with one line why it cannot. */
  readonly open: (
    address: Pick<AdminOptions, "host" | "port" | "names">,
    subject: Subject,
  ) => Promise<Result<Admin, string>>;
}

/** Watches from the start; is read once it is opened. */
export function overseen(options: OverseenOptions): Overseen {
  const times = openCommitTimes();
  const watch = openWatch(times.observe);
  const { seen } = watch;
  return {
    ...watch,
    peersOf: (subject) => () =>
      subject.driver === undefined ? 0 : (gaugesOf(subject.driver.view).ofs_peers_connected ?? 0),
    open(address, subject) {
      const { ledger, network } = options;
      const gauges = () => (subject.driver === undefined ? {} : gaugesOf(subject.driver.view));
      const condition = (): Condition => ({
        ...{ now: performance.now(), loaded: subject.driver?.ready() === true, endpoints: seen.endpoints?.() },
        ...{ committingSince: seen.isHeld ? undefined : seen.committingSince, slotAt: seen.slotAt },
        ...{ commitFailure: seen.commitFailure },
        ...{ entrypoints: options.entrypoints, peers: gauges().ofs_peers_connected ?? 0 },
        ...{ rulesLacked: lackedBy(subject), absence: absenceIn(subject) },
      });
      const checks = () => readinessOf(condition());
      const api = () => subject.api?.counts();
      const links = () => subject.transport?.counts();
      const metrics = openMetrics(times.registry, {
        ...{ version: packageVersion(), network, ledger, seen, api, links, checks, gauges },
      });
      return openAdmin({
        ...{ ...address, metrics, checks, dead: () => deadReason(condition()) },
        roots: () => subject.driver?.roots(),
        endpoints: () => seen.endpoints?.() ?? [],
        backup: (out) => backedUp(out, ledger, watch, subject),
      });
    },
  };
}

function lackedBy({ driver }: Subject): Condition["rulesLacked"] {
  const { peers, from } = driver === undefined ? { peers: 0, from: undefined } : rulesLacked(driver.view);
  return { peers, sinceMs: from === undefined ? undefined : Date.now() - Number(from) };
}

function absenceIn({ driver }: Subject): Condition["absence"] {
  if (driver === undefined) return { away: false, peers: 0, isNew: true };
  const absence = absenceOf(driver.view, BigInt(Date.now()) as Parameters<typeof absenceOf>[1]);
  return { ...absence, isNew: isNewcomer(driver.view) };
}

/** Copies between two commits; the roots are those of the copy. One at a time: each holds up whoever writes. */
async function backedUp(out: string, ledger: string, watch: Watch, subject: Subject): Promise<RootTexts | string> {
  if (!isAbsolute(out)) return "a backup goes to an absolute path";
  const { driver, copyTo } = subject;
  if (driver?.ready() !== true || copyTo === undefined) return "the ledger is not loaded";
  if (watch.seen.isHeld) return "another backup is being made";
  return watch.whileHeld(
    () =>
      new Promise((resolve) => {
        watch.whenKept(driver.roots, (roots) => {
          if (roots === undefined) resolve("the ledger takes no writes; its disk may be full");
          else
            copyLedger(copyTo, ledger, out).then(
              () => resolve(roots),
              (error: Error) => resolve(error.message),
            );
        });
      }),
  );
}
