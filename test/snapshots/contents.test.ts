/**
 * Goal: `state` and the archive around it are the published bytes; a reader takes what any tar wrote, and no bytes of
 * a stranger do more than fail (protocol 05 §6.6, §6.7, §15.9).
 * Method: the published vectors; archives of random members, mutated; GNU tar where the machine has one.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeCarried,
  encodeEntry,
  nextEntry,
  nextStatement,
  openState,
  openStatements,
  statementsOf,
  stateOf,
} from "../../core/domains/snapshots/contents.ts";
import { families } from "../../core/domains/snapshots/families.ts";
import type { Entry } from "../../core/domains/snapshots/family.ts";
import { bytesOfTar, membersOf, tarOf } from "../../core/domains/snapshots/tar.ts";
import { compareBytes } from "../../core/kernel/bytes.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "../rpc/lone-node.ts";

/** The records of the published examples, as stored. Source: protocol 05 §15.1, §15.7. */
const KEY_01 =
  "260024080112208a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c";
const SERVICE = `057376632d310301${KEY_01}0002dc0bd836000108555344432f4b455300000000808481b58533808481b58533`;
const RATE = `0a757364632d6b65732d31${KEY_01}000455534443034b4553713d0ad7a330604001808481b58533e0d884b58533`;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const digest = (bytes: Uint8Array) => hex(crypto.sha256(bytes));

function family(name: string, entries: Readonly<Record<string, Uint8Array>>) {
  const bytes = Object.entries(entries).map(([key, value]) => encodeEntry({ key: utf8(key), value }));
  return { name, count: bytes.length, bytes };
}

const first = stateOf([
  family("advertisements", { "ad-1": utf8("payload") }),
  family("registry_services", { a: utf8("1"), b: utf8("2") }),
]);

describe("published bytes", () => {
  test("two families", () => {
    expect(hex(first)).toBe(
      "020e6164766572746973656d656e7473010461642d31077061796c6f61641172656769737472795f7365727669636573020161013101620132",
    );
    expect(digest(first)).toBe("3fe9a5ea48a31e2971c42af54e22c233ab8c02e034ef6f46238ac0ff22687358");
  });

  test("no family, one empty one", () => {
    expect([hex(stateOf([])), digest(stateOf([]))]).toEqual([
      "00",
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    ]);
    const one = stateOf([family("advertisements", {})]);
    expect(hex(one)).toBe("010e6164766572746973656d656e747300");
    expect(digest(one)).toBe("2512c041ba2689c69aa1121c6b13851df577d266fec32eb0535ad0fe1993a8a2");
  });

  test("all nineteen, empty, and with a rate and a service", () => {
    const empty = stateOf(families.map(({ name }) => family(name, {})));
    expect([empty.length, digest(empty)]).toEqual([
      328,
      "866372f27f2673862ffdfa5c8526d6ce04f5524721cf07feb269cda9a1729e9f",
    ]);
    const rows: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
      oracle_records: { "usdc-kes-1": Buffer.from(RATE, "hex") },
      registry_services: { "svc-1": Buffer.from(SERVICE, "hex") },
    };
    const filled = stateOf(families.map(({ name }) => family(name, rows[name] ?? {})));
    for (const { name, accepts } of families) {
      for (const [key, value] of Object.entries(rows[name] ?? {})) {
        expect(accepts(crypto, { key: utf8(key), value })).toBe(true);
        expect(accepts(crypto, { key: utf8(`${key}-`), value })).toBe(false);
        expect(accepts(crypto, { key: utf8(key), value: value.subarray(1) })).toBe(false);
      }
    }
    expect([filled.length, digest(filled)]).toEqual([
      572,
      "6b5dae332ca1822df32cf26656975e954bebb29063a29abaf771610a1009a46c",
    ]);
  });

  test("the archive of the first state", () => {
    const archive = tarOf([{ name: "state", bytes: first }]);
    expect([archive.length, digest(archive)]).toEqual([
      2_048,
      "48902792e051006b925ad6d45136812669a1fe53863764b47acda9dd7e447202",
    ]);
    expect([hex(archive.subarray(124, 136)), hex(archive.subarray(148, 156))]).toEqual([
      hex(utf8("00000000071\0")),
      hex(utf8("0005426\0")),
    ]);
  });
});

describe("archives", () => {
  const arbBytes = fc.oneof(
    { weight: 3, arbitrary: fc.uint8Array({ maxLength: 1_600 }) },
    fc.constantFrom(0, 512, 1_024).map((length) => new Uint8Array(length).fill(7)),
  );
  const members = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{1,20}$/), bytes: arbBytes }), {
    maxLength: 4,
    selector: ({ name }) => name,
    minLength: 1,
  });

  test("give back what was put in, and are as long as was said", () => {
    forAll(
      [members],
      (put) => {
        const archive = tarOf(put);
        const got = membersOf(archive);
        expect(new Map(put.map(({ name, bytes }) => [name, hex(bytes)]))).toEqual(
          new Map([...(got ?? [])].map(([name, bytes]) => [name, hex(bytes)])),
        );
        expect(archive.length).toBe(bytesOfTar(...put.map(({ bytes }) => bytes.length)));
      },
      {
        runs: 100,
        classes: (put) => [
          `${put.length} members`,
          ...(put.some(({ bytes }) => bytes.length > 1_024) ? ["more than two blocks"] : []),
          ...(put.some(({ bytes }) => bytes.length > 0 && bytes.length % 512 === 0) ? ["whole blocks"] : []),
          ...(put.some(({ bytes }) => bytes.length === 0) ? ["an empty member"] : []),
        ],
        shares: {
          "1 members": 0.1,
          "4 members": 0.1,
          "more than two blocks": 0.3,
          "whole blocks": 0.1,
          "an empty member": 0.1,
        },
      },
    );
  });

  test("with any byte of a header changed, or cut anywhere, are refused or say what they say", () => {
    const archive = tarOf([{ name: "state", bytes: first }]);
    for (let at = 0; at < 512; at++) {
      for (const change of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        const changed = archive.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        const got = membersOf(changed)?.get("state");
        // A sum may be filled up with blanks instead of zeros: that is another spelling of the same header.
        if (at >= 148 && at < 156) expect([undefined, hex(first)]).toContain(got && hex(got));
        else expect(got).toBe(undefined);
      }
    }
    for (let end = 0; end < archive.length; end += 64) {
      const got = membersOf(archive.subarray(0, end))?.get("state");
      if (end < 512 + first.length) expect(got).toBe(undefined);
    }
  });

  test("are what an ordinary tar opens and writes", () => {
    const folder = mkdtempSync(join(tmpdir(), "snapshot-tar-"));
    try {
      const archive = tarOf([
        { name: "state", bytes: first },
        { name: "statements", bytes: utf8("more") },
      ]);
      writeFileSync(join(folder, "ours.tar.gz"), gzipSync(archive));
      expect(spawnSync("tar", ["xzf", "ours.tar.gz"], { cwd: folder }).status).toBe(0);
      expect(hex(readFileSync(join(folder, "state")))).toBe(hex(first));
      for (const format of ["gnu", "ustar", "pax"]) {
        spawnSync("tar", ["cf", `${format}.tar`, `--format=${format}`, "statements", "state"], { cwd: folder });
        const got = membersOf(readFileSync(join(folder, `${format}.tar`)));
        expect([format, hex(got?.get("state") ?? utf8(""))]).toEqual([format, hex(first)]);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("reading in pieces", () => {
  const entry = fc.record({ key: fc.uint8Array({ maxLength: 8 }), value: fc.uint8Array({ maxLength: 40 }) });
  const state = fc.array(
    fc.record({ name: fc.stringMatching(/^[a-z_]{1,12}$/), entries: fc.array(entry, { maxLength: 5 }) }),
    {
      maxLength: 5,
    },
  );

  test("gives back every entry under its family", () => {
    forAll(
      [state],
      (put) => {
        const bytes = stateOf(
          put.map(({ name, entries }) => ({ name, count: entries.length, bytes: entries.map(encodeEntry) })),
        );
        expect(read(bytes)).toEqual(
          put.flatMap(({ name, entries }) => [name, ...entries.map(({ key, value }) => `${hex(key)}=${hex(value)}`)]),
        );
        for (let end = 0; end < bytes.length; end++) expect(read(bytes.subarray(0, end))).toBe(undefined);
      },
      {
        runs: 60,
        classes: (put) => [
          ...(put.length === 0 ? ["no family"] : []),
          ...(put.some(({ entries }) => entries.length === 0) ? ["an empty family"] : []),
          ...(put.some(({ entries }) => entries.length === 5) ? ["five entries"] : []),
          ...(put.some(({ entries }) => entries.some(({ value }) => value.length === 0)) ? ["an empty value"] : []),
        ],
        shares: { "no family": 0.05, "an empty family": 0.2, "five entries": 0.2, "an empty value": 0.05 },
      },
    );
  });

  test("of any bytes at all ends", () => {
    const whole = stateOf([
      family("a", { one: utf8("1"), two: utf8("") }),
      family("b", { three: new Uint8Array(20).fill(7) }),
    ]);
    const spoiled = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 3 }).map((changes) => {
      const bytes = whole.slice();
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
    const holds = (bytes: Uint8Array) => {
      const entries = read(bytes);
      let [cursor, statements] = [openStatements(bytes), 0];
      for (; cursor !== undefined && cursor.left > 0; statements++) cursor = nextStatement(bytes, cursor)?.cursor;
      return [entries === undefined ? "refused" : "read", ...(statements > 0 ? ["statements"] : [])];
    };
    forAll([fc.oneof(fc.uint8Array({ maxLength: 200 }), spoiled)], holds, {
      runs: 300,
      shares: { refused: 0.4, read: 0.2, statements: 0.3 },
    });
  });

  test("gives back every statement", () => {
    const carried = [
      { event: "A", wire: utf8("one") },
      { event: "B", wire: utf8("") },
    ];
    const bytes = statementsOf({ count: 2, bytes: carried.map(encodeCarried) });
    let cursor = openStatements(bytes);
    const got: unknown[] = [];
    while (cursor !== undefined && cursor.left > 0) {
      const next = nextStatement(bytes, cursor);
      got.push(next?.carried);
      cursor = next?.cursor;
    }
    expect(got).toEqual(carried);
  });

  function read(bytes: Uint8Array): readonly string[] | undefined {
    const seen: string[] = [];
    let cursor = openState(bytes);
    while (cursor !== undefined) {
      const next = nextEntry(bytes, cursor);
      if (next === "done") return seen;
      if (next === undefined) return undefined;
      seen.push(next.entry === undefined ? next.cursor.family : textOf(next.entry));
      cursor = next.cursor;
    }
    return undefined;
  }

  function textOf({ key, value }: Entry): string {
    return `${hex(key)}=${hex(value)}`;
  }
});

test("the families are the nineteen, in order of their bytes", () => {
  const names = families.map(({ name }) => name);
  expect(names).toHaveLength(19);
  expect([...names].sort((a, b) => compareBytes(utf8(a), utf8(b)))).toEqual(names);
});
