/**
 * From virtual time to height: moments in which something happens get room, the waits between them little.
 */
import type { Diagram } from "../../sim/diagram.ts";

export interface Scale {
  readonly from: number;
  readonly until: number;
  readonly height: number;
  y(time: number): number;
}

/** Pixels of a millisecond, and of a wait at most. */
const PIXELS_PER_MS = 0.3;
const WAIT_PIXELS_MAX = 26;
/** What is shown before the first and after the last moment, in milliseconds. */
const MARGIN_MS = 2_000;

export function scaleOf({ arrows, showings, observations, outages, spans }: Diagram, top: number): Scale {
  const begins = [...arrows.map((arrow) => arrow.sentAt), ...showings.map((showing) => showing.at)];
  if (begins.length === 0) return { from: 0, until: 0, height: top, y: () => top };
  const from = Math.min(...begins) - MARGIN_MS;
  const last = Math.max(...arrows.map((arrow) => arrow.at), ...showings.map((showing) => showing.at));
  const until = last + MARGIN_MS;
  const moments = [
    ...begins,
    ...arrows.map((arrow) => arrow.at),
    ...observations.map((observation) => observation.at),
    ...spans.flatMap((span) => [span.from, span.until]),
    ...outages.flatMap((outage) => [outage.from, ...(outage.until === undefined ? [] : [outage.until])]),
  ].filter((time) => time > from && time < until);
  const times = [...new Set([from, ...moments, until])].sort((a, b) => a - b);
  const heights = [top];
  for (const [place, time] of times.entries()) {
    if (place === 0) continue;
    const wait = (time - (times[place - 1] ?? time)) * PIXELS_PER_MS;
    heights.push((heights[place - 1] ?? top) + Math.min(wait, WAIT_PIXELS_MAX));
  }
  return { from, until, height: heights.at(-1) ?? top, y: (time) => heightAt(times, heights, time) };
}

/** Between two moments, in proportion. */
function heightAt(times: readonly number[], heights: readonly number[], time: number): number {
  const after = times.findIndex((other) => other >= time);
  if (after < 0) return heights.at(-1) ?? 0;
  const [t1, y1] = [times[after] ?? 0, heights[after] ?? 0];
  const [t0, y0] = [times[after - 1] ?? t1, heights[after - 1] ?? y1];
  return t1 === t0 ? y1 : y0 + ((time - t0) / (t1 - t0)) * (y1 - y0);
}
