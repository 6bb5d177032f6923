/**
 * The page of the playground: the page of a network, whose world runs in a worker of the same document. Nobody else is
 * asked for anything. A seed stands in the part of the address after #, so that a link shows another reader the same.
 * Source: DESIGN section 6 "playground".
 */
import { openApi, Refusal } from "./api.ts";
import type { Begun } from "./begin.ts";
import { beginPage } from "./begin.ts";
import { at, h, show } from "./dom.ts";
import { notice } from "./page.ts";
import type { FlagshipReport, FromWorld, ToWorld } from "./playground-messages.ts";

/** Largest seed. */
const SEED_MAX = 2n ** 64n - 1n;
const NODES_MAX = 50;
const OK_STATUS = 200;
const PERCENT = 100;

/** A network behind the page. */
interface Network {
  readonly worker: Worker;
  readonly waiting: Map<number, { readonly done: (text: string) => void; readonly failed: (why: Error) => void }>;
}

interface State {
  network: Network | undefined;
  begun: Begun | undefined;
  run: Worker | undefined;
  asked: number;
}

begin();

function begin(): void {
  const state: State = { network: undefined, begun: undefined, run: undefined, asked: 0 };
  const chosen = readAddress();
  at<HTMLInputElement>("play-seed").value = chosen.seed;
  at<HTMLInputElement>("play-nodes").value = chosen.nodes;
  submits("play", () => startNetwork(state));
  presses("play-flagship", () => runFlagship(state));
  presses("play-share", () => share());
  stayInPlace();
  if (chosen.does === "flagship") attempt(() => runFlagship(state));
  if (chosen.does === "network") attempt(() => startNetwork(state));
}

/** A worker of this document. */
function openWorker(told: (message: FromWorld) => void): Worker {
  const source = at("world").textContent ?? "";
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorld>) => told(data));
  worker.addEventListener("error", ({ message }) => told({ kind: "failed", reason: message || "the worker failed" }));
  return worker;
}

function startNetwork(state: State): void {
  const [seed, nodes] = [seedText(), nodeCount()];
  close(state.network);
  const waiting: Network["waiting"] = new Map();
  const worker = openWorker((message) => {
    if (state.network?.worker !== worker) return;
    if (message.kind === "opened")
      return show(at("play-state"), `a network of ${nodes} nodes, seed ${seed}, runs here`);
    if (message.kind === "answer") return answered(waiting, message.id, message.text);
    if (message.kind !== "failed") return;
    at("play-state").className = "bad";
    show(at("play-state"), message.reason);
    close(state.network);
  });
  state.network = { worker, waiting };
  post(worker, { kind: "open", seed, nodes });
  writeAddress("network");
  at("play-state").className = "dim";
  show(at("play-state"), "the network starts …");
  document.body.dataset.plays = "";
  if (state.begun === undefined) state.begun = beginPage(openApi((body) => ask(state, body)));
  else state.begun.forget();
}

function ask(state: State, body: string): Promise<{ readonly status: number; readonly text: string }> {
  const { network } = state;
  if (network === undefined) return Promise.reject(new Refusal(0, "no network runs: start one"));
  const id = state.asked++;
  return new Promise((resolve, failed) => {
    network.waiting.set(id, { done: (text) => resolve({ status: OK_STATUS, text }), failed });
    post(network.worker, { kind: "ask", id, body });
  });
}

function answered(waiting: Network["waiting"], id: number, text: string): void {
  waiting.get(id)?.done(text);
  waiting.delete(id);
}

function close(network: Network | undefined): void {
  network?.worker.terminate();
  for (const { failed } of network?.waiting.values() ?? []) failed(new Refusal(0, "the network has ended"));
  network?.waiting.clear();
}

/** Runs the flagship in a worker of its own, and shows its story as it happens. */
function runFlagship(state: State): void {
  const seed = seedText();
  state.run?.terminate();
  const lines = at("flagship-story");
  show(lines);
  lines.hidden = false;
  show(at("flagship-hash"));
  const worker = openWorker((message) => {
    if (state.run !== worker) return;
    if (message.kind === "told") {
      lines.append(h("li", {}, message.line));
      lines.scrollTop = lines.scrollHeight;
    } else if (message.kind === "progress")
      show(at("flagship-state"), `${Math.floor(message.share * PERCENT)} %, ${message.events} events`);
    else if (message.kind === "ran") showReport(message.report);
    else if (message.kind === "failed") showFailure(message.reason);
    if (message.kind === "ran" || message.kind === "failed") worker.terminate();
  });
  state.run = worker;
  post(worker, { kind: "run", seed });
  writeAddress("flagship");
  at("flagship-state").className = "dim";
  show(at("flagship-state"), "the run begins …");
}

function showReport({ scenario, seed, nodes, events, trace, violations }: FlagshipReport): void {
  const state = at("flagship-state");
  state.className = violations.length === 0 ? "good" : "bad";
  const verdict = violations.length === 0 ? "every law held" : violations.join("; ");
  show(state, `${scenario}, seed ${seed}: ${nodes} nodes, ${events} events; ${verdict}`);
  const command = h("code", {}, `ofs-sim run ${scenario} --chain model --seed ${seed}`);
  show(at("flagship-hash"), "trace ", h("code", { id: "trace" }, trace), "; ", command, " comes to the same");
}

function showFailure(reason: string): void {
  at("flagship-state").className = "bad";
  show(at("flagship-state"), reason);
}

async function share(): Promise<void> {
  if (readAddress().does === undefined) writeAddress("flagship");
  const link = at<HTMLInputElement>("play-link");
  link.value = location.href;
  link.hidden = false;
  link.select();
  const copied = await navigator.clipboard?.writeText(link.value).then(
    () => true,
    () => false,
  );
  notice(copied ? "the link is copied" : "copy the link", false);
}

/** Links within the page move there and leave the address alone, which says what runs here. */
function stayInPlace(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[href^='#']"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const target = at((link.getAttribute("href") ?? "").slice(1));
      target.scrollIntoView();
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
    });
}

type Does = "flagship" | "network" | undefined;

function readAddress(): { readonly seed: string; readonly nodes: string; readonly does: Does } {
  const given = new URLSearchParams(location.hash.slice(1));
  const does = given.get("show");
  return {
    ...{ seed: given.get("seed") ?? "1", nodes: given.get("nodes") ?? "5" },
    does: does === "flagship" || does === "network" ? does : undefined,
  };
}

function writeAddress(does: Does): void {
  const told = new URLSearchParams({ seed: seedText(), nodes: String(nodeCount()), ...(does && { show: does }) });
  history.replaceState(null, "", `#${told}`);
}

function seedText(): string {
  const text = at<HTMLInputElement>("play-seed").value.trim();
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > SEED_MAX) throw new Error("a seed is a whole number below 2^64");
  return String(BigInt(text));
}

function nodeCount(): number {
  const count = Number(at<HTMLInputElement>("play-nodes").value);
  if (!Number.isInteger(count) || count < 1 || count > NODES_MAX) throw new Error(`nodes are 1 to ${NODES_MAX}`);
  return count;
}

function presses(id: string, act: () => void | Promise<void>): void {
  at(id).addEventListener("click", () => attempt(act));
}

function submits(id: string, act: () => void): void {
  at(id).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(act);
  });
}

/** Shows why something was not done. */
function attempt(act: () => void | Promise<void>): void {
  Promise.resolve()
    .then(act)
    .catch((error: unknown) => notice(error instanceof Error ? error.message : String(error), true));
}

function post(worker: Worker, message: ToWorld): void {
  worker.postMessage(message);
}
