/**
 * The end of a recording as a recording of its own: what nodes held before, and all events from there on. What a page
 * can hold is bounded, and what a run came to is at its end. Source: DESIGN L10.
 */
import type { RunNotes } from "./format.ts";
import type { SeenChange, TravelRecording } from "./recording-reader.ts";
import type { RecordingSink, WrittenChange } from "./recording-writer.ts";
import { createRecordingWriter } from "./recording-writer.ts";

/** Writes the events of a recording from one on; `notes` are said of it. */
export function extract(recording: TravelRecording, from: number, notes: RunNotes, sink: RecordingSink): void {
  const writer = createRecordingWriter(sink, from);
  const { events, text } = recording;
  const written = (change: Pick<SeenChange, "table" | "key" | "text">): WrittenChange => {
    return {
      table: change.table,
      key: text(change.key),
      text: change.text === undefined ? undefined : text(change.text),
    };
  };
  for (const node of recording.notes.nodes.keys()) {
    const { up, rows } = recording.stateAt(node, from - 1);
    if (up) writer.changes(node, from - 1, [...rows.values()].map(written));
    let open: { event: number; changes: WrittenChange[] } = { event: 0, changes: [] };
    for (const change of recording.changesOf(node, from, events)) {
      if (change.event !== open.event || "forgotten" in change) {
        writer.changes(node, open.event, open.changes);
        open = { event: change.event, changes: [] };
      }
      if ("forgotten" in change) writer.forgotten(node, change.event, change.forgotten);
      else open.changes.push(written(change));
    }
    writer.changes(node, open.event, open.changes);
  }
  for (const { label, ...seen } of recording.eventsFrom(from, events)) writer.event({ ...seen, label: text(label) });
  writer.close(notes, events);
}
