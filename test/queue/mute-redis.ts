/**
 * A way to a Redis that answers until it is asked for one command; from then on it takes what it is sent on that
 * connection and says nothing.
 */
import type { Relay } from "./relay.ts";
import { openRelay } from "./relay.ts";

/** Opens it on a free port of this machine. */
export function openMuteRedis(url: string, asked: string): Promise<Relay> {
  return openRelay(url, (near, far) => {
    let isMute = false;
    near.on("data", (bytes) => {
      isMute ||= bytes.includes(`\r\n${asked}\r\n`);
      if (!isMute) far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (!isMute) near.write(bytes);
    });
  });
}
