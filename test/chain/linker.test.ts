/**
 * The linker: where bytes land, what each relocation becomes, and what it refuses.
 * The result is read back with a reader of its own, not with the linker's. Source: DESIGN section 4.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildProgram, programPath, stakingProgramPath } from "../../adapters/chain/program/build.ts";
import { linkProgram } from "../../adapters/chain/program/linker.ts";
import { forAll } from "../property/for-all.ts";
import { needsClang } from "../requirements.ts";
import type { ObjectSpec } from "./program/object-file.ts";
import { CALL, code, EXIT, LOAD_ADDRESS, objectFile } from "./program/object-file.ts";

const TEXT_AT = 64;
const [LOADED, EXECUTABLE, WRITABLE] = [2, 4, 1];
const entrypoint = { name: "entrypoint", section: ".text", kind: "function" } as const;

function text(...instructions: readonly (readonly number[])[]) {
  return { name: ".text", bytes: code(...instructions), flags: LOADED | EXECUTABLE };
}

interface Section {
  readonly offset: number;
  readonly address: number;
  readonly size: number;
  readonly type: number;
}

/** Reads a shared object: header, sections by name, relocations with the names of their symbols. */
function readShared(file: Uint8Array) {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const number = (at: number) => Number(view.getBigUint64(at, true));
  const table = number(40);
  const header = (index: number) => table + 64 * index;
  const namesAt = number(header(view.getUint16(62, true)) + 24);
  const string = (at: number) => new TextDecoder().decode(file.subarray(at, file.indexOf(0, at)));
  const sections = new Map<string, Section>();
  for (let index = 1; index < view.getUint16(60, true); index += 1) {
    const at = header(index);
    sections.set(string(namesAt + view.getUint32(at, true)), {
      type: view.getUint32(at + 4, true),
      address: number(at + 16),
      offset: number(at + 24),
      size: number(at + 32),
    });
  }
  const section = (name: string): Section => {
    const found = sections.get(name);
    if (found === undefined) throw new Error(`no section ${name}`);
    return found;
  };
  const symbolName = (index: number) => {
    return string(section(".dynstr").offset + view.getUint32(section(".dynsym").offset + 24 * index, true));
  };
  const relocations = Array.from({ length: section(".rel.dyn").size / 16 }, (_, index) => {
    const at = section(".rel.dyn").offset + 16 * index;
    const symbol = view.getUint32(at + 12, true);
    return { offset: number(at), type: view.getUint32(at + 8, true), symbol: symbol === 0 ? null : symbolName(symbol) };
  });
  return {
    view,
    sections,
    section,
    relocations,
    type: view.getUint16(16, true),
    machine: view.getUint16(18, true),
    entry: number(24),
  };
}

function link(spec: ObjectSpec) {
  return readShared(linkProgram(objectFile(spec)));
}

describe("layout", () => {
  test("is a shared object for machine 247 whose section addresses are file offsets", () => {
    const linked = link({ sections: [text(EXIT)], symbols: [entrypoint] });
    expect([linked.type, linked.machine, linked.entry]).toEqual([3, 247, TEXT_AT]);
    expect([...linked.sections.keys()]).toEqual([
      ".text",
      ".rodata",
      ".dynamic",
      ".dynsym",
      ".dynstr",
      ".rel.dyn",
      ".shstrtab",
    ]);
    for (const [name, section] of linked.sections) {
      if (name !== ".shstrtab") expect([name, section.address]).toEqual([name, section.offset]);
    }
    expect(linked.relocations).toEqual([]);
  });

  test("the dynamic table names the other tables", () => {
    const linked = link({
      sections: [text(CALL(), EXIT)],
      symbols: [entrypoint, { name: "sol_log_data" }],
      relocations: [{ section: ".text", offset: 0, type: 10, symbol: "sol_log_data" }],
    });
    const { offset, size } = linked.section(".dynamic");
    const entries = Array.from({ length: size / 16 }, (_, index) => [
      Number(linked.view.getBigUint64(offset + 16 * index, true)),
      Number(linked.view.getBigUint64(offset + 16 * index + 8, true)),
    ]);
    expect(entries).toEqual([
      [17, linked.section(".rel.dyn").offset],
      [18, 16],
      [19, 16],
      [6, linked.section(".dynsym").offset],
      [5, linked.section(".dynstr").offset],
      [10, linked.section(".dynstr").size],
      [0, 0],
    ]);
  });

  test("the entry point may stand anywhere in the code", () => {
    const linked = link({ sections: [text(EXIT, EXIT, EXIT)], symbols: [{ ...entrypoint, value: 16 }] });
    expect(linked.entry).toBe(TEXT_AT + 16);
  });

  test("equal objects give equal bytes", () => {
    const spec = { sections: [text(EXIT)], symbols: [entrypoint] };
    expect(linkProgram(objectFile(spec))).toEqual(linkProgram(objectFile(spec)));
  });
});

describe("relocations", () => {
  const constants = (name: string, ...bytes: readonly number[]) => ({
    name,
    bytes: Uint8Array.from(bytes),
    flags: LOADED,
  });

  test("a load of a constant's address becomes its file offset and a relocation of type 8", () => {
    const linked = link({
      sections: [
        text(LOAD_ADDRESS(), EXIT, LOAD_ADDRESS(3), EXIT),
        constants(".rodata.str1.1", 1, 2, 3, 4),
        constants(".rodata", 5, 6),
      ],
      symbols: [
        entrypoint,
        { name: "here", section: ".rodata", value: 1 },
        { name: ".rodata.str1.1", section: ".rodata.str1.1", kind: "section" },
      ],
      relocations: [
        { section: ".text", offset: 0, type: 1, symbol: "here" },
        { section: ".text", offset: 24, type: 1, symbol: ".rodata.str1.1" },
      ],
    });
    const rodata = linked.section(".rodata");
    const [first, second] = [linked.view.getUint32(TEXT_AT + 4, true), linked.view.getUint32(TEXT_AT + 28, true)];
    expect([linked.view.getUint8(first), linked.view.getUint8(second)]).toEqual([6, 4]);
    expect(first).toBeLessThan(rodata.offset + rodata.size);
    expect(linked.relocations).toEqual([
      { offset: TEXT_AT, type: 8, symbol: null },
      { offset: TEXT_AT + 24, type: 8, symbol: null },
    ]);
  });

  test("a pointer among constants holds its target in the high half, as the loader reads it", () => {
    const linked = link({
      sections: [
        text(EXIT),
        { name: ".data.rel.ro", bytes: Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0), flags: LOADED | WRITABLE },
        constants(".rodata", 7, 8, 9),
      ],
      symbols: [entrypoint, { name: ".rodata", section: ".rodata", kind: "section" }],
      relocations: [{ section: ".data.rel.ro", offset: 0, type: 2, symbol: ".rodata" }],
    });
    const at = linked.relocations[0]?.offset ?? 0;
    expect(linked.relocations).toEqual([{ offset: linked.section(".rodata").offset, type: 8, symbol: null }]);
    expect(linked.view.getUint32(at, true)).toBe(0);
    expect(linked.view.getUint8(linked.view.getUint32(at + 4, true))).toBe(9);
  });

  test("a call of the chain keeps its place and names its symbol once", () => {
    const linked = link({
      sections: [text(CALL(), CALL(), CALL(), EXIT)],
      symbols: [entrypoint, { name: "sol_sha256" }, { name: "sol_memcpy_" }, { name: "sol_never_called" }],
      relocations: [
        { section: ".text", offset: 0, type: 10, symbol: "sol_memcpy_" },
        { section: ".text", offset: 8, type: 10, symbol: "sol_sha256" },
        { section: ".text", offset: 16, type: 10, symbol: "sol_memcpy_" },
      ],
    });
    expect(linked.relocations).toEqual([
      { offset: TEXT_AT, type: 10, symbol: "sol_memcpy_" },
      { offset: TEXT_AT + 8, type: 10, symbol: "sol_sha256" },
      { offset: TEXT_AT + 16, type: 10, symbol: "sol_memcpy_" },
    ]);
    expect(linked.view.getInt32(TEXT_AT + 4, true)).toBe(-1);
    expect(linked.section(".dynsym").size).toBe(24 * 4);
  });

  test("a call inside the unit becomes its distance in instructions, wherever both stand", () => {
    const holds = (from: number, to: number, bySection: boolean) => {
      const instructions = Array.from({ length: 41 }, (_, index) => {
        return index !== from ? EXIT : CALL(bySection ? to - 1 : -1); // against a section, the immediate says where
      });
      const linked = link({
        sections: [text(...instructions)],
        symbols: [
          entrypoint,
          { name: "callee", section: ".text", value: 8 * to, kind: "function", local: true },
          { name: ".text", section: ".text", kind: "section" },
        ],
        relocations: [{ section: ".text", offset: 8 * from, type: 10, symbol: bySection ? ".text" : "callee" }],
      });
      expect(linked.view.getInt32(TEXT_AT + 8 * from + 4, true)).toBe(to - from - 1);
      expect(linked.relocations).toEqual([]);
      return [to > from ? "ahead" : to < from ? "behind" : "itself", bySection ? "by section" : "by name"];
    };
    const shares = { ahead: 0.3, behind: 0.3, itself: 0.01, "by section": 0.3, "by name": 0.3 };
    forAll([fc.nat(40), fc.nat(40), fc.boolean()], holds, { runs: 100, shares });
  });
});

describe("edges", () => {
  const debug = { name: ".debug_info", bytes: new Uint8Array(16), flags: 0 };

  test("a relocation of what is not loaded is left alone, wherever it points", () => {
    const spec = { sections: [text(EXIT), debug], symbols: [entrypoint, { name: "nowhere" }] };
    const pointed = { ...spec, relocations: [{ section: ".debug_info", offset: 400, type: 3, symbol: "entrypoint" }] };
    expect(linkProgram(objectFile(pointed))).toEqual(linkProgram(objectFile(spec)));
  });

  test("a target may be the end of the program, and no byte beyond", () => {
    const toward = (value: number) =>
      link({
        sections: [text(LOAD_ADDRESS(), EXIT), { name: ".rodata", bytes: new Uint8Array(8), flags: LOADED }],
        symbols: [entrypoint, { name: "end", section: ".rodata", value }],
        relocations: [{ section: ".text", offset: 0, type: 1, symbol: "end" }],
      });
    expect(toward(8).view.getUint32(TEXT_AT + 4, true)).toBe(toward(0).view.getUint32(TEXT_AT + 4, true) + 8);
    expect(() => toward(9)).toThrow("symbol end leads to 105, beyond the program");
  });

  test("the last instruction may be patched, as far as it goes", () => {
    const last = (type: number, offset: number) =>
      link({
        sections: [text(EXIT, CALL())],
        symbols: [entrypoint, { name: "sol_log_data" }],
        relocations: [{ section: ".text", offset, type, symbol: "sol_log_data" }],
      });
    expect(last(10, 8).relocations).toEqual([{ offset: TEXT_AT + 8, type: 10, symbol: "sol_log_data" }]);
    expect(() => last(10, 9)).toThrow("relocation at 9 is beyond its section of 16 bytes");
    expect(() => last(1, 1)).toThrow("relocation at 1 is beyond its section of 16 bytes");
    expect(() => last(1, 0)).toThrow("is not on a lddw");
  });

  test("a call that leads between two instructions, and an address above 32 bits, are refused", () => {
    const call = (value: number) =>
      link({
        sections: [text(CALL(), EXIT)],
        symbols: [entrypoint, { name: "callee", section: ".text", value, local: true }],
        relocations: [{ section: ".text", offset: 0, type: 10, symbol: "callee" }],
      });
    expect(call(8).view.getInt32(TEXT_AT + 4, true)).toBe(0);
    expect(() => call(4)).toThrow(`call at ${TEXT_AT} leads between two instructions`);
    const [wide = [], ...rest] = [LOAD_ADDRESS(), EXIT];
    const above = wide.map((byte, at) => (at === 12 ? 1 : byte));
    const load = objectFile({
      sections: [text(above, ...rest)],
      symbols: [entrypoint],
      relocations: [{ section: ".text", offset: 0, type: 1, symbol: "entrypoint" }],
    });
    expect(() => linkProgram(load)).toThrow(`lddw at ${TEXT_AT}: offset above 32 bits`);
  });

  test("constants stand at sixteen, one after another", () => {
    const linked = link({
      sections: [text(EXIT), { name: ".rodata", bytes: Uint8Array.of(1, 2, 3), flags: LOADED }],
      symbols: [entrypoint],
    });
    const rodata = linked.section(".rodata");
    expect([rodata.offset % 16, rodata.size, linked.section(".text").size]).toEqual([0, 3, 8]);
    expect(linked.section(".dynamic").offset % 8).toBe(0);
  });
});

describe("refusals", () => {
  const withRelocation = (relocation: { readonly offset?: number; readonly type: number; readonly symbol?: string }) =>
    objectFile({
      sections: [text(LOAD_ADDRESS(), CALL(), EXIT)],
      symbols: [entrypoint, { name: "sol_log_data" }],
      relocations: [{ section: ".text", offset: 0, symbol: "sol_log_data", ...relocation }],
    });

  test.each([3, 4, 5, 8, 255])("unknown relocation type %i, by name and place", (type) => {
    expect(() => linkProgram(withRelocation({ type }))).toThrow(
      `unknown relocation type ${type} against sol_log_data at 0`,
    );
  });

  test("a relocation on the wrong instruction", () => {
    expect(() => linkProgram(withRelocation({ type: 10 }))).toThrow("relocation at 64 is not on a call");
    expect(() => linkProgram(withRelocation({ type: 1, offset: 16, symbol: "entrypoint" }))).toThrow(
      "relocation at 80 is not on a lddw",
    );
  });

  test("places and targets outside the program", () => {
    expect(() => linkProgram(withRelocation({ type: 10, offset: 32 }))).toThrow("is beyond its section of 32 bytes");
    expect(() => linkProgram(withRelocation({ type: 1, offset: 24 }))).toThrow("is beyond its section of 32 bytes");
    const far = { name: "far", section: ".text", value: 1_000 };
    const load = objectFile({
      sections: [text(LOAD_ADDRESS(), EXIT)],
      symbols: [entrypoint, far],
      relocations: [{ section: ".text", offset: 0, type: 1, symbol: "far" }],
    });
    expect(() => linkProgram(load)).toThrow("symbol far leads to 1064, beyond the program");
    const between = objectFile({ sections: [text(EXIT)], symbols: [{ ...entrypoint, value: 4 }] });
    expect(() => linkProgram(between)).toThrow("entrypoint is not at an instruction");
  });

  test("the address of something nobody defines", () => {
    expect(() => linkProgram(withRelocation({ type: 1 }))).toThrow("symbol sol_log_data is not in this program");
  });

  test("writable data, a second code section, no entry point, no code", () => {
    const data = { name: ".data", bytes: Uint8Array.of(1), flags: LOADED | WRITABLE };
    expect(() => linkProgram(objectFile({ sections: [text(EXIT), data], symbols: [entrypoint] }))).toThrow(
      "section .data: a program has no writable data",
    );
    const cold = { name: ".text.cold", bytes: code(EXIT), flags: LOADED | EXECUTABLE };
    expect(() => linkProgram(objectFile({ sections: [text(EXIT), cold], symbols: [entrypoint] }))).toThrow(
      "second executable section .text.cold",
    );
    expect(() =>
      linkProgram(objectFile({ sections: [text(EXIT)], symbols: [{ ...entrypoint, local: true }] })),
    ).toThrow("no global symbol entrypoint");
    expect(() => linkProgram(objectFile({ sections: [], symbols: [entrypoint] }))).toThrow("no .text section");
  });

  test("files that are no BPF object", () => {
    const object = objectFile({ sections: [text(EXIT)], symbols: [entrypoint] });
    const changed = (at: number, byte: number) => object.map((old, index) => (index === at ? byte : old));
    expect(() => linkProgram(new Uint8Array(10))).toThrow("shorter than its header");
    expect(() => linkProgram(changed(0, 0))).toThrow("wrong magic");
    expect(() => linkProgram(changed(5, 2))).toThrow("not a little-endian ELF64 file");
    expect(() => linkProgram(changed(16, 3))).toThrow("not a relocatable object");
    expect(() => linkProgram(objectFile({ sections: [text(EXIT)], symbols: [entrypoint], machine: 62 }))).toThrow(
      "machine 62, expected 247",
    );
    expect(() => linkProgram(object.subarray(0, object.length - 1))).toThrow(
      "section table beyond the end of the file",
    );
  });

  test("never anything but a LinkError or a program, whatever byte is damaged", () => {
    const object = objectFile({
      sections: [text(LOAD_ADDRESS(), CALL(), EXIT), { name: ".rodata", bytes: Uint8Array.of(1, 2, 3), flags: LOADED }],
      symbols: [entrypoint, { name: "sol_log_data" }, { name: "constant", section: ".rodata", value: 1 }],
      relocations: [
        { section: ".text", offset: 0, type: 1, symbol: "constant" },
        { section: ".text", offset: 16, type: 10, symbol: "sol_log_data" },
      ],
    });
    const holds = (at: number, byte: number) => {
      try {
        linkProgram(object.map((old, index) => (index === at ? byte : old)));
        return ["a program"];
      } catch (error) {
        expect((error as Error).name).toBe("LinkError");
        return ["refused"];
      }
    };
    const shares = { "a program": 0.1, refused: 0.3 };
    forAll([fc.nat(object.length - 1), fc.nat(255)], holds, { runs: 2_000, shares });
  });
});

/** The calls of the chain that the programs make. */
const CALLED = `sol_create_program_address sol_get_clock_sysvar sol_get_rent_sysvar sol_invoke_signed_c sol_log_data
  sol_memcmp_ sol_memcpy_ sol_memset_ sol_sha256 sol_try_find_program_address`.split(/\s+/);

test.each([
  { name: "escrow", path: programPath, unused: [] },
  { name: "staking", path: stakingProgramPath, unused: ["sol_memset_", "sol_sha256"] },
])("the committed $name program calls only what the loader knows", ({ path, unused }) => {
  const { relocations } = readShared(new Uint8Array(readFileSync(path)));
  const called = relocations.flatMap(({ symbol }) => (symbol === null ? [] : [symbol]));
  expect(new Set([...called, ...unused])).toEqual(new Set(CALLED));
});

needsClang("the compiler", () => {
  test.each([
    ["escrow", programPath],
    ["staking", stakingProgramPath],
  ])("gives the committed %s program, byte for byte", (_, path) => {
    expect(Buffer.compare(buildProgram(dirname(path)), readFileSync(path))).toBe(0);
  });
});
