/**
 * Relocatable ELF64 objects for the linker's tests, written by hand: sections, symbols, relocations.
 * Source: System V ABI, ELF-64 object file format.
 */

export interface SectionSpec {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** 2 = loaded, 4 = executable, 1 = writable. */
  readonly flags: number;
  readonly type?: number;
}

export interface SymbolSpec {
  readonly name: string;
  /** Section name; absent: another file must define it. */
  readonly section?: string;
  readonly value?: number;
  readonly kind?: "section" | "function";
  readonly local?: boolean;
}

export interface RelocationSpec {
  readonly section: string;
  readonly offset: number;
  readonly type: number;
  readonly symbol: string;
}

export interface ObjectSpec {
  readonly sections: readonly SectionSpec[];
  readonly symbols: readonly SymbolSpec[];
  readonly relocations?: readonly RelocationSpec[];
  readonly machine?: number;
}

/** One instruction: opcode, registers, offset, immediate. */
export function instruction(opcode: number, immediate = 0, registers = 0): readonly number[] {
  const bytes = new Uint8Array(8);
  bytes[0] = opcode;
  bytes[1] = registers;
  new DataView(bytes.buffer).setInt32(4, immediate, true);
  return [...bytes];
}

export const EXIT = instruction(0x95);
export const CALL = (immediate = -1) => instruction(0x85, immediate, 0x10);
/** Two instruction slots; the address goes into the first immediate. */
export const LOAD_ADDRESS = (addend = 0) => [...instruction(0x18, addend, 1), ...instruction(0)];

export function code(...instructions: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(instructions.flat());
}

/** Lays the object out: header, sections, symbol table, strings, relocations, section table. */
export function objectFile(spec: ObjectSpec): Uint8Array {
  const sectionIndex = new Map(spec.sections.map((section, index) => [section.name, index + 1]));
  const [names, nameAt] = strings([
    ...spec.sections.map((section) => section.name),
    ...spec.symbols.map((symbol) => symbol.name),
  ]);
  const symbols = new Uint8Array(24 * (spec.symbols.length + 1));
  const symbolView = new DataView(symbols.buffer);
  spec.symbols.forEach((symbol, index) => {
    const at = 24 * (index + 1);
    symbolView.setUint32(at, symbol.kind === "section" ? 0 : nameAt(symbol.name), true);
    const kind = symbol.kind === "section" ? 3 : symbol.kind === "function" ? 2 : 0;
    symbolView.setUint8(at + 4, (symbol.local === true || symbol.kind === "section" ? 0 : 0x10) | kind);
    symbolView.setUint16(at + 6, symbol.section === undefined ? 0 : (sectionIndex.get(symbol.section) ?? 0), true);
    symbolView.setBigUint64(at + 8, BigInt(symbol.value ?? 0), true);
  });
  const symtabIndex = spec.sections.length + 1;
  const sections: { bytes: Uint8Array; type: number; flags: number; name: number; link: number; info: number }[] = [
    ...spec.sections.map((section) => ({
      bytes: section.bytes,
      type: section.type ?? 1,
      flags: section.flags,
      name: nameAt(section.name),
      link: 0,
      info: 0,
    })),
    { bytes: symbols, type: 2, flags: 0, name: 0, link: symtabIndex + 1, info: 1 },
    { bytes: names, type: 3, flags: 0, name: 0, link: 0, info: 0 },
    ...[...new Set((spec.relocations ?? []).map((relocation) => relocation.section))].map((section) => ({
      bytes: relocationBytes(spec, section),
      type: 9,
      flags: 0,
      name: 0,
      link: symtabIndex,
      info: sectionIndex.get(section) ?? 0,
    })),
  ];
  return assemble(sections, symtabIndex + 1, spec.machine ?? 247);
}

function relocationBytes(spec: ObjectSpec, section: string): Uint8Array {
  const mine = (spec.relocations ?? []).filter((relocation) => relocation.section === section);
  const bytes = new Uint8Array(16 * mine.length);
  const view = new DataView(bytes.buffer);
  mine.forEach((relocation, index) => {
    view.setBigUint64(16 * index, BigInt(relocation.offset), true);
    view.setUint32(16 * index + 8, relocation.type, true);
    view.setUint32(16 * index + 12, spec.symbols.findIndex((symbol) => symbol.name === relocation.symbol) + 1, true);
  });
  return bytes;
}

function assemble(
  sections: readonly { bytes: Uint8Array; type: number; flags: number; name: number; link: number; info: number }[],
  namesIndex: number,
  machine: number,
): Uint8Array {
  const offsets: number[] = [];
  let next = 64;
  for (const section of sections) {
    offsets.push(next);
    next += Math.ceil(section.bytes.length / 8) * 8;
  }
  const file = new Uint8Array(next + 64 * (sections.length + 1));
  const view = new DataView(file.buffer);
  view.setUint32(0, 0x7f454c46);
  file.set([2, 1, 1], 4);
  view.setUint16(16, 1, true);
  view.setUint16(18, machine, true);
  view.setBigUint64(40, BigInt(next), true);
  view.setUint16(60, sections.length + 1, true);
  view.setUint16(62, namesIndex, true);
  sections.forEach((section, index) => {
    file.set(section.bytes, offsets[index]);
    const at = next + 64 * (index + 1);
    view.setUint32(at, section.name, true);
    view.setUint32(at + 4, section.type, true);
    view.setBigUint64(at + 8, BigInt(section.flags), true);
    view.setBigUint64(at + 24, BigInt(offsets[index] ?? 0), true);
    view.setBigUint64(at + 32, BigInt(section.bytes.length), true);
    view.setUint32(at + 40, section.link, true);
    view.setUint32(at + 44, section.info, true);
    view.setBigUint64(at + 48, 8n, true);
  });
  return file;
}

function strings(names: readonly string[]): readonly [Uint8Array, (name: string) => number] {
  const all = `\0${names.join("\0")}\0`;
  return [new TextEncoder().encode(all), (name) => all.indexOf(`\0${name}\0`) + 1];
}
