/**
 * Plays a session again: a world of the same seed, asked for the same at the same instants, with nobody listening. The
 * first row that meets it at another instant tells where other code goes another way. Source: DESIGN section 6 "serve";
 * law L1.
 */
import { err, fromBase64 } from "../../core/index.ts";
import type { Scenario } from "../scenario.ts";
import { catchUp, mine } from "./chain-time.ts";
import { answerControl } from "./control/dispatch.ts";
import type { Controlled } from "./control/method.ts";
import { openSnapshots } from "./control/snapshots.ts";
import { openLiveWorld } from "./live-world.ts";
import type { Deed, SessionRow } from "./session.ts";
import type { SessionData } from "./session-file.ts";
import { optionsOf } from "./session-file.ts";
import { noApis } from "./unserved.ts";
import { warm } from "./warm.ts";
import type { WorldHost } from "./world-host.ts";
import { openWorldHost } from "./world-host.ts";

/** What a session came to when it was played again. */
export interface ReplayedSession {
  readonly events: number;
  /** The hash of the trace. */
  readonly trace: string;
  /** Where it goes another way than it went, in one line; nothing where it comes to the same. */
  readonly differs: string | undefined;
}

/** Plays a session to its end, or to the first row that finds another network than it did. */
export async function replaySession(
  session: SessionData,
  scenarios: () => Promise<readonly Scenario[]>,
): Promise<ReplayedSession> {
  const host = openWorldHost(await openLiveWorld(optionsOf(session), session.begins));
  try {
    await host.exclusive(() => warm(host, session.begins), null);
    const network = unservedNetwork(session, host, scenarios);
    const strays = await firstStray(network, session.rows);
    const { loop, trace } = host.world();
    const [events, hash] = [trace.events(), trace.head()];
    return { events, trace: hash, differs: strays ?? endsElsewhere(session, loop.now(), events, hash) };
  } finally {
    await host.close();
  }
}

/** A network as methods of control reach it, to which no server listens. */
function unservedNetwork(
  session: SessionData,
  host: WorldHost,
  scenarios: () => Promise<readonly Scenario[]>,
): Controlled {
  return {
    ...{ host, options: { ...optionsOf(session), pace: 0 }, snapshots: openSnapshots(), scenarios },
    save: async () => err("a session is played again without a file"),
    pace: {
      ...{ factor: () => 0, due: () => host.world().loop.now() },
      ...{ follow: none, stand: none, rebase: none },
      close: none,
    },
    apis: noApis(),
  };
}

function none(): void {
  return undefined;
}

async function firstStray(network: Controlled, rows: readonly SessionRow[]): Promise<string | undefined> {
  const { host } = network;
  for (const [number, row] of rows.entries()) {
    if (row.kind === "run") {
      await host.exclusive(() => pass(host, row.until, row.events));
      continue;
    }
    const now = host.world().loop.now();
    if (now !== row.at) return `rows[${number}], ${row.kind}, came at ${row.at} ms and comes at ${now} ms here`;
    await redo(network, row);
  }
  return undefined;
}

/** So many events happen, and then time passes without any up to an instant. */
async function pass(host: WorldHost, until: number, events: number): Promise<void> {
  let ran = -1;
  const isOver = () => {
    ran += 1;
    return ran >= events;
  };
  await host.advance(until, isOver);
  if (host.world().loop.now() < until) await host.advance(until);
}

async function redo(network: Controlled, deed: Deed): Promise<void> {
  const { host } = network;
  switch (deed.kind) {
    case "call":
      return await host.exclusive(() => void host.callOfClient(deed.node, deed.body, none));
    case "control":
      return void (await answerControl(
        network,
        `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(deed.method)},"params":${deed.params}}`,
      ));
    case "transaction":
      return await host.exclusive(async () => {
        await catchUp(host);
        host.noteDeed(deed);
        host.live().supply.submit(fromBase64(deed.wire) ?? new Uint8Array(0));
      });
    case "mine":
      return await host.exclusive(() => mine(host), { kind: "mine" });
  }
}

function endsElsewhere({ found }: SessionData, time: number, events: number, trace: string): string | undefined {
  if (time !== found.time) return `it ended at ${found.time} ms and ends at ${time} ms here`;
  if (events !== found.events) return `it came to ${found.events} events and comes to ${events} here`;
  return trace === found.trace ? undefined : `its trace was ${found.trace} and is ${trace} here`;
}
