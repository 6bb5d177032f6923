/**
 * The chain port over Solana JSON-RPC, by web3.js: slots, transactions of watched addresses and accounts, as finalized
 * unless asked otherwise, each believed by a quorum of the endpoints; submissions to all of them. Everything is
 * bounded, and after `close` nothing runs.
 * Source: protocol 03 C.2, C.6, C.8, A.10.3 R3-R8; DESIGN section 4 "Production".
 */
import type { ChainObservation, Commitment } from "../../core/index.ts";
import type { ChainPort, ObserveChain } from "../../core/ports/chain.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { openAccountReads } from "./account-reads.ts";
import { openAccountSweep } from "./account-sweep.ts";
import { openAlarms } from "./alarms.ts";
import { isAddress } from "./answer-texts.ts";
import type { Endpoint, EndpointOptions } from "./endpoint.ts";
import { ENDPOINTS_MAX, machineClock, namesOf, openEndpoint } from "./endpoint.ts";
import { failureText } from "./failures.ts";
import { openHead } from "./head.ts";
import type { HintsTiming } from "./hints.ts";
import { HINTS_TIMING, listeningUrl, openHints } from "./hints.ts";
import type { History } from "./history.ts";
import { openHistory } from "./history.ts";
import { askTransaction } from "./seen-transaction.ts";
import { openSubmissions, RETRY_MS } from "./submissions.ts";
import type { Tasks } from "./tasks.ts";
import { openTasks } from "./tasks.ts";
import { openTransactionStatuses } from "./transaction-statuses.ts";

/** How often the chain is asked, in milliseconds. Source: protocol 03 C.7. */
export const POLL_MS = 10_000;
/** Transactions in the news that are looked at; beyond, they are found in turn. Source: DESIGN L10. */
const NEWS_MAX = 256;

/** Which endpoints to ask about which program, and how often. */
export interface RpcChainOptions extends EndpointOptions, Partial<HintsTiming> {
  readonly urls: readonly string[];
  readonly crypto: CryptoPort;
  readonly observe: ObserveChain;
  /** The program whose transactions are listened for; without it, addresses are asked in turn alone. */
  readonly program?: string;
  /** The level at which they are listened for; finalized unless said. */
  readonly commitment?: Commitment;
  readonly pollMs?: number;
  /** Between two tries to hand one transaction over. */
  readonly retryMs?: number;
  /** Signatures of a page. */
  readonly page?: number;
}

/** What is known of one endpoint; named by its host, as a URL may hold a key. */
export interface EndpointState {
  readonly name: string;
  /** Why it is not relied on; null while it answers, and before it was asked. */
  readonly failure: string | null;
  /** The newest finalized slot it told; 0 before the first. */
  readonly slot: bigint;
  /** How many slots the newest one that any endpoint told is ahead of it. */
  readonly lag: bigint;
  /** How often it contradicted the others, counted once a minute for each subject. */
  readonly disagreements: number;
}

/** The chain port, and what its operator asks of it besides. */
export interface RpcChain extends ChainPort {
  readonly endpoints: () => readonly EndpointState[];
}

/** Opens the port; asks at once, then every so often. */
export function openRpcChain(options: RpcChainOptions): RpcChain {
  const { crypto, observe, pollMs = POLL_MS, retryMs = RETRY_MS, now = machineClock } = options;
  const urls = options.urls.slice(0, ENDPOINTS_MAX);
  const names = namesOf(urls);
  const endpoints = urls.map((url, place) => openEndpoint(url, names[place] ?? url, options));
  const tasks = openTasks(() => tell({ type: "unavailable", reason: "reading the chain failed" }));
  const disagreements = new Map<string, number>();
  const tell = (observation: ChainObservation) => {
    if (tasks.closed()) return;
    if (observation.type === "disagreement") {
      disagreements.set(observation.endpoint, 1 + (disagreements.get(observation.endpoint) ?? 0));
    }
    try {
      observe(observation);
    } catch (error) {
      // Whoever is told has a bug: that ends the process, which no endpoint's answer does.
      setImmediate(() => {
        throw error;
      });
    }
  };
  const parts = { endpoints, crypto, tasks, tell, alarm: openAlarms(tell, now), now, retryMs };
  const head = openHead(parts);
  const history = openHistory({ ...parts, ...(options.page !== undefined && { page: options.page }) });
  const accounts = openAccountSweep({ ...parts, changed: history.news });
  const reads = openAccountReads(parts);
  const statuses = openTransactionStatuses(parts);
  const submit = openSubmissions(parts);
  const lines = listenEverywhere({ ...options, urls }, endpoints, tasks, history);
  tasks.run(async () => {
    let looking: Promise<void> | undefined;
    while (!tasks.closed()) {
      looking ??= head().finally(() => {
        looking = undefined;
      });
      // An endpoint that is slow to tell its slot keeps nothing else waiting.
      await Promise.race([looking, tasks.pause(pollMs)]);
      accounts.sweep();
      history.sweep();
      reads.again();
      statuses.again();
      await tasks.pause(pollMs);
    }
  });
  return {
    endpoints: () => statesOf(endpoints, disagreements),
    watch(address, commitment = "finalized") {
      if (!isAddress(address)) return;
      history.watch(address, commitment);
      accounts.watch(address, commitment);
    },
    unwatch(address) {
      history.unwatch(address);
      accounts.unwatch(address);
    },
    read(address, slot, commitment = "finalized") {
      if (!tasks.closed() && isAddress(address)) reads.read(address, slot, commitment);
    },
    check: statuses.check,
    submit,
    close(done) {
      tasks.close(done);
      for (const end of lines) end();
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}

function statesOf(
  endpoints: readonly Endpoint[],
  disagreements: ReadonlyMap<string, number>,
): readonly EndpointState[] {
  const newest = endpoints.reduce((slot, endpoint) => (endpoint.slot > slot ? endpoint.slot : slot), 0n);
  return endpoints.map((endpoint) => {
    const failure = endpoint.failure();
    return {
      ...{ name: endpoint.name, slot: endpoint.slot, lag: newest - endpoint.slot },
      failure: failure === undefined ? null : failureText(failure),
      disagreements: disagreements.get(endpoint.name) ?? 0,
    };
  });
}

/** Listens at every endpoint; each piece of news is looked at once, by the endpoint that told it. */
function listenEverywhere(
  options: RpcChainOptions,
  endpoints: readonly Endpoint[],
  tasks: Tasks,
  history: History,
): readonly (() => void)[] {
  const { urls, program, crypto, commitment = "finalized" } = options;
  if (program === undefined) return [];
  const looked = new Set<string>();
  let looking = 0;
  const look = async (endpoint: Endpoint, signature: string): Promise<void> => {
    const told = await askTransaction(endpoint, crypto, signature, commitment);
    looking -= 1;
    if (!told.ok || told.value === null) return;
    for (const address of [...told.value.keys, ...(told.value.invoked?.loaded ?? [])]) history.news(address);
  };
  return endpoints.map((endpoint, place) =>
    openHints({
      ...{ now: machineClock, ...HINTS_TIMING, ...options },
      ...{ url: listeningUrl(urls[place] ?? ""), program, commitment, tasks },
      told(signature) {
        if (looked.has(signature) || looking >= NEWS_MAX) return;
        looked.add(signature);
        if (looked.size > NEWS_MAX) looked.delete([...looked][0] ?? "");
        looking += 1;
        tasks.run(() => look(endpoint, signature));
      },
    }),
  );
}
