/**
 * What runs by itself in an adapter: repeated work and pauses, all of which end when it is closed. Work that fails ends
 * alone: a process never ends by what an endpoint says. Source: DESIGN L10.
 */

export interface Tasks {
  /** Runs work that nobody waits for. */
  run(work: () => Promise<void>): void;
  /** Resolves after a while, or at once when closed. */
  pause(ms: number): Promise<void>;
  readonly closed: () => boolean;
  /** Whether work is under way. */
  readonly busy: () => boolean;
  /** Ends every pause; `done` is called once no work is left. */
  close(done: () => void): void;
}

/** `failed` is told of work that ended by an error; without it, the error is the process's own. Source: DESIGN L10. */
export function openTasks(failed: (error: unknown) => void = thrown): Tasks {
  const pauses = new Map<NodeJS.Timeout, () => void>();
  let running = 0;
  let closed = false;
  let done: (() => void) | undefined;
  const finish = () => {
    if (running > 0 || done === undefined) return;
    setImmediate(done);
    done = undefined;
  };
  return {
    run(work) {
      if (closed) return;
      running += 1;
      void (async () => work())()
        .catch(failed)
        .finally(() => {
          running -= 1;
          finish();
        });
    },
    pause: (ms) =>
      new Promise((resolve) => {
        if (closed) return resolve();
        const timer = setTimeout(() => {
          pauses.delete(timer);
          resolve();
        }, ms);
        pauses.set(timer, resolve);
      }),
    closed: () => closed,
    busy: () => running > 0,
    close(told) {
      closed = true;
      done = told;
      for (const [timer, resolve] of pauses) {
        clearTimeout(timer);
        resolve();
      }
      pauses.clear();
      finish();
    },
  };
}

function thrown(error: unknown): never {
  throw error;
}
