/**
 * The marketplace, noting which steps ask for the number of their input. A step that did not ask is the same whatever
 * that number is; so only those that ask need a number of their own. Source: DESIGN section 5.1.
 */
import type { Network } from "../../core/index.ts";

type Context = Parameters<Network["starts"][number]>[0];

/** The same network; `onAsked` hears of every time that a step asks for its number. */
export function countedNetwork(network: Network, onAsked: () => void): Network {
  const watched = (context: Context): Context =>
    Object.defineProperties({} as Context, {
      ...Object.getOwnPropertyDescriptors(context),
      number: {
        enumerable: true,
        get() {
          onAsked();
          return context.number;
        },
      },
    });
  const watching =
    <A extends readonly unknown[], R>(handle: (context: Context, ...more: A) => R) =>
    (context: Context, ...more: A) =>
      handle(watched(context), ...more);
  const methods = Object.entries(network.methods).map(([name, row]) => {
    const { read } = row;
    return [name, read === undefined ? row : { ...row, read: watching(read) }] as const;
  });
  return {
    ...network,
    methods: Object.fromEntries(methods),
    starts: network.starts.map(watching),
    reactions: network.reactions.map(({ to, act }) => ({ to, act: watching(act) })),
    timers: new Map([...network.timers].map(([timer, handle]) => [timer, watching(handle)])),
    inputs: new Map([...network.inputs].map(([type, handlers]) => [type, handlers.map(watching)])),
  };
}
