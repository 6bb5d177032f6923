/**
 * Says that endpoints contradict each other: once a minute for each subject and endpoint, however often it happens.
 * Names hosts and subjects, never an address or a signature. Source: DESIGN section 4 "disagreement alarm"; L4.
 */
import type { ChainObservation, ChainSubject } from "../../core/index.ts";

/** Between two alarms about one endpoint and subject, in milliseconds. Source: DESIGN L10. */
export const ALARM_EVERY_MS = 60_000;

/** Tells that an endpoint said what others do not say. */
export type Alarm = (about: ChainSubject, endpoint: string) => void;

export function openAlarms(tell: (observation: ChainObservation) => void, now: () => number): Alarm {
  const told = new Map<string, number>();
  return (about, endpoint) => {
    const last = told.get(`${about} ${endpoint}`);
    if (last !== undefined && now() - last < ALARM_EVERY_MS) return;
    told.set(`${about} ${endpoint}`, now());
    tell({ type: "disagreement", about, endpoint });
  };
}
