/**
 * Another network over the same engine, as a researcher would define one: notes, and likes of notes. Two domains, from
 * the public index alone; nothing of the marketplace is in it.
 */
import type { Mark, Reader, Statement, Table } from "../../core/index.ts";
import {
  COMMON_LIMITS,
  childrenOfType,
  compareText,
  defineDomain,
  EpochMillis,
  foundation,
  isAmended,
  list,
  mutation,
  networkOf,
  noParams,
  PeerId,
  parentsOf,
  query,
  Statements,
  signed,
  signedTypes,
  struct,
  Text,
  table,
  typeRow,
  u64,
} from "../../core/index.ts";

const NOTE_BYTES_MAX = 4_096;
/** A rule that a network of notes may take up: what is longer than so many letters is no note. */
export const SHORT_NOTES = "short-notes";
const SHORT = 32;
const GOSSIP = { ofs: 9001, priority: 2 } as const;

/** Signed by its author; `id` is his to choose. */
export const NoteWrite = signed("notes/notes/NoteWrite/v1", {
  outer: "note",
  fields: { id: Text, author: PeerId, text: Text, timestamp: EpochMillis },
  ...{ signer: "author", time: "timestamp", creates: "note", naming: "identity", event: "NoteWritten" },
  ...GOSSIP,
});
/** One of each reader for each note: a register, so that the newest counts. */
export const NoteLike = signed("notes/likes/NoteLike/v1", {
  outer: "like",
  fields: { note: Text, reader: PeerId, timestamp: EpochMillis },
  ...{ signer: "reader", time: "timestamp", event: "NoteLiked" },
  about: { kind: "note", member: "note" },
  register: ({ note }) => note,
  ...GOSSIP,
});

const Note = struct("Note", { id: Text, author: PeerId, text: Text });
const Notes = table("notes", Note, { root: "state" });
const Popularity = struct("Popularity", { id: Text, likes: u64 });
const Popularities = table("popularities", Popularity, { root: "state" });

const payloadOf = (statement: Statement) => statement.payload as { readonly id: string; readonly text: string };

const notes = defineDomain({
  name: "notes",
  types: [
    typeRow(NoteWrite, {
      ...COMMON_LIMITS,
      withinLimits: (_, statement) => payloadOf(statement).text.length <= NOTE_BYTES_MAX,
    }),
  ],
  records: [Notes],
  amendments: [SHORT_NOTES],
  folds: () => [
    {
      name: "notes",
      touches: { [NoteWrite.name]: (_, statement, mark) => mark("notes", statement.identity) },
      refold(draft, identity) {
        const note = draft.get(Statements, identity);
        if (note === undefined || note.idForm === "void") return;
        if (isAmended(draft, SHORT_NOTES, note) && payloadOf(note).text.length > SHORT) return;
        const { id, text } = payloadOf(note);
        draft.put(Notes, identity, { id, author: note.signer, text });
      },
    },
  ],
  methods: {
    sendNote: mutation({
      signed: signedTypes(NoteWrite),
      checks: (_, { verdict }) => (verdict.form === undefined ? "INVALID_SIGNATURE" : undefined),
      answers: "id",
      errors: ["INVALID_SIGNATURE"],
      source: "a toy",
      doc: "Publishes a note.",
    }),
    getNotes: query({
      params: noParams,
      need: "none",
      result: list(Note),
      source: "a toy",
      doc: "Every note, by id.",
      read: (reader) => rowsOf(reader, Notes),
    }),
  },
});

const likes = defineDomain({
  name: "likes",
  types: [typeRow(NoteLike, COMMON_LIMITS)],
  records: [Popularities],
  folds: () => [
    {
      name: "likes",
      touches: {
        [NoteWrite.name]: (_, statement, mark) => mark("likes", statement.identity),
        [NoteLike.name](draft, like, mark: Mark) {
          for (const note of parentsOf(draft, like)) mark("likes", note.identity);
        },
      },
      refold(draft, identity) {
        const note = draft.get(Statements, identity);
        if (note === undefined) return;
        const readers = new Set(childrenOfType(draft, note, NoteLike).map(({ signer }) => signer));
        draft.put(Popularities, identity, { id: payloadOf(note).id, likes: BigInt(readers.size) });
      },
    },
  ],
  methods: {
    sendLike: mutation({
      signed: signedTypes(NoteLike),
      checks: (_, { verdict }) => (verdict.form === undefined ? "INVALID_SIGNATURE" : undefined),
      answers: "null",
      errors: ["INVALID_SIGNATURE"],
      source: "a toy",
      doc: "Likes a note.",
    }),
    getPopularity: query({
      params: noParams,
      need: "none",
      result: list(Popularity),
      source: "a toy",
      doc: "How many like each note, by id.",
      read: (reader) => rowsOf(reader, Popularities),
    }),
  },
});

export const notesNetwork = networkOf([...foundation, notes, likes]);

function rowsOf<R extends { readonly id: string }>(reader: Reader, from: Table<R>): readonly R[] {
  const rows = [...reader.keys(from)].flatMap((key) => reader.get(from, key) ?? []);
  return rows.sort((a, b) => compareText(a.id, b.id));
}
