/**
 * Who reads the lists of which addresses: every endpoint has readers and a queue of its own, so that one whose lists
 * are slow or without end keeps nobody from reading the others'. Source: protocol 03 C9; DESIGN L10.
 */
import type { Tasks } from "./tasks.ts";

/** Lists of one endpoint that are read at once. Source: DESIGN "Work at once". */
const READERS = 4;
/** Long lists of one endpoint that are read on at a poll. Source: DESIGN "Work at once". */
const LONG_LISTS = 4;

/** Reads at the endpoint of a place; answers whether its list goes on further back than was read. */
type Read = (place: number, address: string) => Promise<boolean>;

export interface ListReaders {
  ask(place: number, address: string): void;
  drop(address: string): void;
  /** Goes on with lists that were not read to their beginning. */
  sweep(): void;
}

interface Lane {
  readonly due: Set<string>;
  readonly reading: Set<string>;
  /** Lists that were not read to their beginning, longest unread first. */
  readonly long: Set<string>;
}

/** Opens readers for so many endpoints. Source: protocol 03 C9. */
export function openListReaders(endpoints: number, tasks: Tasks, read: Read): ListReaders {
  const lanes = Array.from(
    { length: endpoints },
    (): Lane => ({ due: new Set(), reading: new Set(), long: new Set() }),
  );
  const next = ({ due, reading }: Lane): string | undefined => {
    if (reading.size >= READERS) return undefined;
    for (const address of due) if (!reading.has(address)) return address;
    return undefined;
  };
  const start = (lane: Lane, place: number): void => {
    for (let address = next(lane); address !== undefined && !tasks.closed(); address = next(lane)) {
      const taken = address;
      lane.due.delete(taken);
      lane.reading.add(taken);
      tasks.run(async () => {
        try {
          lane.long.delete(taken);
          if (await read(place, taken)) lane.long.add(taken);
        } finally {
          lane.reading.delete(taken);
          start(lane, place);
        }
      });
    }
  };
  return {
    ask(place, address) {
      const lane = lanes[place];
      lane?.due.add(address);
      if (lane !== undefined) start(lane, place);
    },
    drop(address) {
      for (const { due, long } of lanes) {
        due.delete(address);
        long.delete(address);
      }
    },
    sweep() {
      for (const [place, lane] of lanes.entries()) {
        for (const address of [...lane.long].slice(0, LONG_LISTS)) lane.due.add(address);
        start(lane, place);
      }
    },
  };
}
