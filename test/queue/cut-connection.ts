/**
 * A way to a Redis that is cut once, in the middle of what Redis answers to a script: the first answer is let through
 * and those behind it are not. Connections that are opened later are left alone.
 */
import type { Relay } from "./relay.ts";
import { openRelay } from "./relay.ts";

export interface CutConnection extends Relay {
  /** Whether it was cut. */
  readonly wasCut: boolean;
}

/** Opens it on a free port of this machine. */
export async function openCutConnection(url: string): Promise<CutConnection> {
  let wasCut = false;
  const relay = await openRelay(url, (near, far) => {
    let wasScript = false;
    near.on("data", (bytes) => {
      wasScript ||= bytes.includes("\r\neval");
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      const firstEnd = bytes.indexOf("\r\n", bytes.indexOf("\r\n") + 2) + 2;
      if (wasCut || !wasScript || firstEnd < 2 || firstEnd === bytes.length) {
        near.write(bytes);
        return;
      }
      wasCut = true;
      near.end(bytes.subarray(0, firstEnd));
      far.destroy();
    });
  });
  return {
    ...relay,
    get wasCut() {
      return wasCut;
    },
  };
}
