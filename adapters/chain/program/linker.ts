/**
 * The linker: one relocatable BPF object in, one shared object for the Solana program loader out.
 * Pure: equal input gives equal bytes. Layout: header, .text, .rodata, .dynamic, .dynsym, .dynstr, .rel.dyn,
 * .shstrtab, section table; every section's address is its file offset. Source: DESIGN section 4.
 */

import type { ElfObject, ObjectRelocation, ObjectSection, ObjectSymbol } from "./elf-object.ts";
import { LinkError, machineBpf, readElfObject } from "./elf-object.ts";

/** Relocations a BPF object may hold. Source: LLVM's BPF target. */
const objectRelocations = { loadAddress: 1, address64: 2, call: 10 } as const;
/** Relocations the loader resolves. Source: Solana's loader, R_BPF_64_RELATIVE and R_BPF_64_32. */
const loaderRelocations = { relative: 8, syscall: 10 } as const;
/** First byte of the instructions that relocations patch. */
const opcodes = { loadDoubleWord: 0x18, call: 0x85 } as const;

/** More than any constant asks for; a larger figure is damage. Source: DESIGN "Bounds". */
const SECTION_ALIGN_MAX = 4096;
const headerBytes = 64;
const programHeaderBytes = 56;
const sectionHeaderBytes = 64;
const symbolBytes = 24;
const relocationBytes = 16;
const instructionBytes = 8;
const flags = { alloc: 2, execute: 4 } as const;
const types = { progbits: 1, strtab: 3, dynamic: 6, rel: 9, dynsym: 11 } as const;
const dynamicTags = { strtab: 5, symtab: 6, strsz: 10, rel: 17, relsz: 18, relent: 19 } as const;
const sectionNames = [".text", ".rodata", ".dynamic", ".dynsym", ".dynstr", ".rel.dyn", ".shstrtab"] as const;
type SectionName = (typeof sectionNames)[number];
const indexOf = (name: SectionName) => sectionNames.indexOf(name) + 1;

/** Where an object's section lands in the file. */
type Placement = ReadonlyMap<number, number>;

/** What the loader still has to do: `symbol` is an index into the dynamic symbols, 0 for none. */
interface LoaderRelocation {
  readonly offset: number;
  readonly type: number;
  readonly symbol: number;
}

/** Links an object whose entry point is the global symbol `entrypoint`. Throws LinkError. */
export function linkProgram(objectBytes: Uint8Array): Uint8Array {
  const object = readElfObject(objectBytes);
  const text = onlyText(object);
  const readOnly = readOnlySections(object);
  const textAt = headerBytes;
  const rodataAt = align(textAt + text.size, 16);
  const placement = place(text, textAt, readOnly, rodataAt);
  const rodataEnd = readOnly.reduce((end, section) => Math.max(end, at(placement, section) + section.size), rodataAt);
  const image = new Uint8Array(rodataEnd);
  for (const section of [text, ...readOnly]) image.set(section.bytes, at(placement, section));

  const entry = entryAddress(object, placement);
  const imported = [
    ...new Set(
      object.relocations
        .map((r) => r.symbol)
        .filter((s) => s.section === 0)
        .map((s) => s.name),
    ),
  ];
  const relocations = object.relocations.flatMap((relocation) => {
    const base = placement.get(relocation.section);
    if (base === undefined) return []; // of a section that is not loaded, debug information say
    expectRoom(object, relocation);
    return patch(image, base, relocation, placement, imported);
  });
  return layOut(image, { textAt, textBytes: text.size, rodataAt, entry, imported, relocations });
}

function onlyText(object: ElfObject): ObjectSection {
  const executable = object.sections.filter((section) => (section.flags & flags.execute) !== 0 && section.size > 0);
  const [text, another] = executable;
  if (text === undefined || text.name !== ".text" || text.bytes.length !== text.size)
    throw new LinkError("no .text section");
  if (another !== undefined) throw new LinkError(`second executable section ${another.name}: compile as one unit`);
  return text;
}

/** Constants. Writable data has no place: the loader maps a program read-only. */
function readOnlySections(object: ElfObject): readonly ObjectSection[] {
  const loaded = object.sections.filter((section) => {
    return (section.flags & flags.alloc) !== 0 && (section.flags & flags.execute) === 0 && section.size > 0;
  });
  for (const section of loaded) {
    const constant = section.name.startsWith(".rodata") || section.name.startsWith(".data.rel.ro");
    if (!constant || section.bytes.length !== section.size) {
      throw new LinkError(`section ${section.name}: a program has no writable data`);
    }
    if (section.align > SECTION_ALIGN_MAX) throw new LinkError(`section ${section.name}: alignment ${section.align}`);
  }
  return loaded;
}

function place(text: ObjectSection, textAt: number, readOnly: readonly ObjectSection[], rodataAt: number): Placement {
  const placement = new Map([[text.index, textAt]]);
  let next = rodataAt;
  for (const section of readOnly) {
    next = align(next, Math.max(section.align, 1));
    placement.set(section.index, next);
    next += section.size;
  }
  return placement;
}

function entryAddress(object: ElfObject, placement: Placement): number {
  const symbol = object.symbols.find((candidate) => candidate.name === "entrypoint" && candidate.isGlobal);
  if (symbol === undefined || symbol.section === 0) throw new LinkError("no global symbol entrypoint");
  const entry = addressOf(symbol, placement);
  if (entry % instructionBytes !== 0) throw new LinkError("entrypoint is not at an instruction");
  return entry;
}

/** A relocation patches at most the two slots of a lddw, within its own section. */
function expectRoom(object: ElfObject, { section, offset, type }: ObjectRelocation): void {
  const bytes = type === objectRelocations.loadAddress ? 2 * instructionBytes : instructionBytes;
  const size = object.sections[section]?.size ?? 0;
  if (offset + bytes > size) throw new LinkError(`relocation at ${offset} is beyond its section of ${size} bytes`);
}

/** Resolves one relocation in place and returns what is left to the loader. */
function patch(
  image: Uint8Array,
  base: number,
  relocation: ObjectRelocation,
  placement: Placement,
  imported: readonly string[],
): readonly LoaderRelocation[] {
  const offset = base + relocation.offset;
  const view = new DataView(image.buffer);
  const { symbol } = relocation;
  switch (relocation.type) {
    case objectRelocations.loadAddress: {
      expectOpcode(image, offset, opcodes.loadDoubleWord, "lddw");
      const addend = view.getBigUint64(offset + 8, true) & 0xffffffff00000000n;
      const target = addressOf(symbol, placement) + view.getUint32(offset + 4, true);
      if (addend !== 0n) throw new LinkError(`lddw at ${offset}: offset above 32 bits`);
      expectInside(target, image, symbol);
      view.setUint32(offset + 4, target, true);
      return [{ offset, type: loaderRelocations.relative, symbol: 0 }];
    }
    case objectRelocations.address64: {
      const target = addressOf(symbol, placement) + Number(view.getBigUint64(offset, true));
      expectInside(target, image, symbol);
      view.setUint32(offset, 0, true);
      view.setUint32(offset + 4, target, true); // the loader reads a constant pointer's low half here
      return [{ offset, type: loaderRelocations.relative, symbol: 0 }];
    }
    case objectRelocations.call:
      expectOpcode(image, offset, opcodes.call, "call");
      if (symbol.section === 0) {
        return [{ offset, type: loaderRelocations.syscall, symbol: imported.indexOf(symbol.name) + 2 }];
      }
      view.setInt32(offset + 4, callDistance(view, offset, symbol, placement), true);
      return [];
    default:
      throw new LinkError(`unknown relocation type ${relocation.type} against ${symbol.name} at ${relocation.offset}`);
  }
}

function expectInside(target: number, image: Uint8Array, symbol: ObjectSymbol): void {
  if (target > image.length) throw new LinkError(`symbol ${symbol.name} leads to ${target}, beyond the program`);
}

/** A call inside the unit, counted in instructions from the next one. Against a section, its addend says where. */
function callDistance(view: DataView, offset: number, symbol: ObjectSymbol, placement: Placement): number {
  const addend = symbol.isSection ? (view.getInt32(offset + 4, true) + 1) * instructionBytes : 0;
  const distance = (addressOf(symbol, placement) + addend - offset) / instructionBytes - 1;
  if (!Number.isInteger(distance)) throw new LinkError(`call at ${offset} leads between two instructions`);
  return distance;
}

function expectOpcode(image: Uint8Array, offset: number, opcode: number, name: string): void {
  if (image[offset] !== opcode) throw new LinkError(`relocation at ${offset} is not on a ${name}`);
}

function addressOf(symbol: ObjectSymbol, placement: Placement): number {
  const base = placement.get(symbol.section);
  if (base === undefined) throw new LinkError(`symbol ${symbol.name} is not in this program`);
  return base + symbol.value;
}

/** What the file is made of, besides its loaded bytes. */
interface Plan {
  readonly textAt: number;
  readonly textBytes: number;
  readonly rodataAt: number;
  readonly entry: number;
  readonly imported: readonly string[];
  readonly relocations: readonly LoaderRelocation[];
}

function layOut(image: Uint8Array, plan: Plan): Uint8Array {
  const dynstr = stringTable(["entrypoint", ...plan.imported]);
  const shstrtab = stringTable(sectionNames);
  const dynsym = dynamicSymbols(plan, dynstr);
  const relocations = relocationTable(plan.relocations);
  const dynamicAt = align(image.length, 8);
  const dynamicBytes = 16 * (Object.keys(dynamicTags).length + 1);
  const dynsymAt = dynamicAt + dynamicBytes;
  const dynstrAt = dynsymAt + dynsym.length;
  const relAt = align(dynstrAt + dynstr.bytes.length, 8);
  const shstrtabAt = relAt + relocations.length;
  const tableAt = align(shstrtabAt + shstrtab.bytes.length, 8);
  const dynamic = dynamicTable([
    [dynamicTags.rel, relAt],
    [dynamicTags.relsz, relocations.length],
    [dynamicTags.relent, relocationBytes],
    [dynamicTags.symtab, dynsymAt],
    [dynamicTags.strtab, dynstrAt],
    [dynamicTags.strsz, dynstr.bytes.length],
  ]);
  const { alloc, execute } = flags;
  const sections: readonly SectionHeader[] = [
    [".text", types.progbits, alloc | execute, plan.textAt, plan.textBytes, 0, 0, 8, 0],
    [".rodata", types.progbits, alloc, plan.rodataAt, image.length - plan.rodataAt, 0, 0, 16, 0],
    [".dynamic", types.dynamic, alloc, dynamicAt, dynamicBytes, indexOf(".dynstr"), 0, 8, 16],
    [".dynsym", types.dynsym, alloc, dynsymAt, dynsym.length, indexOf(".dynstr"), 1, 8, symbolBytes],
    [".dynstr", types.strtab, alloc, dynstrAt, dynstr.bytes.length, 0, 0, 1, 0],
    [".rel.dyn", types.rel, alloc, relAt, relocations.length, indexOf(".dynsym"), 0, 8, relocationBytes],
    [".shstrtab", types.strtab, 0, shstrtabAt, shstrtab.bytes.length, 0, 0, 1, 0],
  ];
  const file = new Uint8Array(tableAt + sectionHeaderBytes * (sections.length + 1));
  file.set(image);
  writeHeader(new DataView(file.buffer), plan.entry, tableAt, sections.length + 1);
  file.set(dynamic, dynamicAt);
  file.set(dynsym, dynsymAt);
  file.set(dynstr.bytes, dynstrAt);
  file.set(relocations, relAt);
  file.set(shstrtab.bytes, shstrtabAt);
  file.set(sectionTable(sections, shstrtab), tableAt);
  return file;
}

/** Name, type, flags, address and offset, size, link, info, alignment, entry size. */
type SectionHeader = readonly [SectionName, number, number, number, number, number, number, number, number];

function writeHeader(view: DataView, entry: number, tableAt: number, sectionCount: number): void {
  view.setUint32(0, 0x7f454c46);
  view.setUint8(4, 2); // 64 bits
  view.setUint8(5, 1); // little-endian
  view.setUint8(6, 1);
  view.setUint16(16, 3, true); // shared object
  view.setUint16(18, machineBpf, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(entry), true);
  view.setBigUint64(40, BigInt(tableAt), true);
  view.setUint16(52, headerBytes, true);
  view.setUint16(54, programHeaderBytes, true); // the loader checks it although there are none
  view.setUint16(58, sectionHeaderBytes, true);
  view.setUint16(60, sectionCount, true);
  view.setUint16(62, indexOf(".shstrtab"), true);
}

function sectionTable(sections: readonly SectionHeader[], names: StringTable): Uint8Array {
  const table = new Uint8Array(sectionHeaderBytes * (sections.length + 1));
  const view = new DataView(table.buffer);
  sections.forEach(([name, type, sectionFlags, offset, size, link, info, alignment, entrySize], index) => {
    const header = sectionHeaderBytes * (index + 1);
    view.setUint32(header, names.offsets.get(name) ?? 0, true);
    view.setUint32(header + 4, type, true);
    view.setBigUint64(header + 8, BigInt(sectionFlags), true);
    view.setBigUint64(header + 16, BigInt((sectionFlags & flags.alloc) === 0 ? 0 : offset), true);
    view.setBigUint64(header + 24, BigInt(offset), true);
    view.setBigUint64(header + 32, BigInt(size), true);
    view.setUint32(header + 40, link, true);
    view.setUint32(header + 44, info, true);
    view.setBigUint64(header + 48, BigInt(alignment), true);
    view.setBigUint64(header + 56, BigInt(entrySize), true);
  });
  return table;
}

/** Null, the entry point, then what the loader must supply. */
function dynamicSymbols(plan: Plan, names: StringTable): Uint8Array {
  const table = new Uint8Array(symbolBytes * (plan.imported.length + 2));
  const view = new DataView(table.buffer);
  view.setUint32(symbolBytes, names.offsets.get("entrypoint") ?? 0, true);
  view.setUint8(symbolBytes + 4, 0x12); // global function
  view.setUint16(symbolBytes + 6, indexOf(".text"), true);
  view.setBigUint64(symbolBytes + 8, BigInt(plan.entry), true);
  plan.imported.forEach((name, index) => {
    view.setUint32(symbolBytes * (index + 2), names.offsets.get(name) ?? 0, true);
    view.setUint8(symbolBytes * (index + 2) + 4, 0x10); // global, undefined
  });
  return table;
}

function relocationTable(relocations: readonly LoaderRelocation[]): Uint8Array {
  const table = new Uint8Array(relocationBytes * relocations.length);
  const view = new DataView(table.buffer);
  relocations.forEach(({ offset, type, symbol }, index) => {
    view.setBigUint64(relocationBytes * index, BigInt(offset), true);
    view.setUint32(relocationBytes * index + 8, type, true);
    view.setUint32(relocationBytes * index + 12, symbol, true);
  });
  return table;
}

function dynamicTable(entries: readonly (readonly [number, number])[]): Uint8Array {
  const table = new Uint8Array(16 * (entries.length + 1));
  const view = new DataView(table.buffer);
  entries.forEach(([tag, value], index) => {
    view.setBigUint64(16 * index, BigInt(tag), true);
    view.setBigUint64(16 * index + 8, BigInt(value), true);
  });
  return table;
}

interface StringTable {
  readonly bytes: Uint8Array;
  readonly offsets: ReadonlyMap<string, number>;
}

function stringTable(names: readonly string[]): StringTable {
  const offsets = new Map<string, number>();
  let all = "\0";
  for (const name of names) {
    offsets.set(name, all.length);
    all += `${name}\0`;
  }
  return { bytes: new TextEncoder().encode(all), offsets };
}

function at(placement: Placement, section: ObjectSection): number {
  const offset = placement.get(section.index);
  if (offset === undefined) throw new LinkError(`section ${section.name} has no place`);
  return offset;
}

function align(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
