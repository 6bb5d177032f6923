/**
 * A place of this machine where no other process of the tests listens. A port that the system chose and got back is no
 * such place: it may be the next that it gives to another.
 */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Below every port that a system chooses by itself. */
let last = 20_000;

/** A loopback address of this process, and a port that it has not had; the three ports after it are its own too. */
export function ownPlace(): Place {
  last += 4;
  const { pid } = process;
  return { host: `127.${1 + (pid >>> 16)}.${(pid >>> 8) & 255}.${pid & 255}`, port: last };
}
