/**
 * A program that opens two transports, links them, leaves a request unanswered, closes them and has nothing more to
 * do: it ends if nothing keeps the process, and tells of each timer that would hold its end up. They listen at the
 * multiaddr that it is given, or on TCP. Started by libp2p-transport.test.ts and libp2p-quic.test.ts.
 */
import { loadQuic } from "../../adapters/libp2p/quic.ts";
import { whenQuiet } from "../../adapters/libp2p/quiet.ts";
import type { OpenedTransport } from "../../adapters/libp2p/transport.ts";
import { openLibp2pTransport } from "../../adapters/libp2p/transport.ts";

/** Waits of this length are noticed by whoever waits for a process to end, in milliseconds. */
const NOTICED_MS = 100;

await main();

async function main(): Promise<void> {
  const held = heldTimers();
  const [a, b] = [await open(1), await open(2)];
  a.dial(b.addresses()[0] ?? "");
  await whenQuiet([a, b]);
  a.send(b.peer, 1, Uint8Array.of(1));
  b.send(a.peer, 1, Uint8Array.of(1));
  for (const transport of [a, b]) await new Promise<void>((done) => transport.close(done));
  process.stdout.write("closed\n");
  for (const timer of held()) process.stdout.write(`${timer}\n`);
}

/** From now on notes which timers are set; answers those that are neither over nor called off, and hold the process. */
function heldTimers(): () => readonly string[] {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const waiting = new Map<unknown, string>();
  const noted = (act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): NodeJS.Timeout => {
    const timer = set(() => {
      waiting.delete(timer);
      act(...given);
    }, ms);
    if (ms >= NOTICED_MS) waiting.set(timer, `${ms} ms: ${new Error("set").stack?.split("\n")[2]?.trim()}`);
    return timer;
  };
  const calledOff: typeof clearTimeout = (timer) => {
    waiting.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, { setTimeout: noted, clearTimeout: calledOff });
  return () => [...waiting].flatMap(([timer, text]) => ((timer as NodeJS.Timeout).hasRef() ? [text] : []));
}

async function open(key: number): Promise<OpenedTransport> {
  const ignore = () => {};
  const [, , address = "/ip4/127.0.0.1/tcp/0"] = process.argv;
  const quic = address.includes("quic") ? await loadQuic() : undefined;
  const opened = await openLibp2pTransport({
    secretKey: new Uint8Array(32).fill(key),
    listen: [address],
    quic: quic?.ok ? quic.value : undefined,
    events: {
      ...{ connected: ignore, disconnected: ignore, unreachable: ignore, measured: ignore },
      ...{ observed: ignore, received: ignore, answered: ignore, failed: ignore },
    },
  });
  if (!opened.ok) throw new Error(opened.error.reason);
  return opened.value;
}
