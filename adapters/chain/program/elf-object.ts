/**
 * Reads what a linker needs of a relocatable ELF64 object: sections, symbols, relocations.
 * Source: System V ABI, ELF-64 object file format; relocation numbers: LLVM's BPF target.
 */

export const machineBpf = 247;
const typeRelocatable = 1;
const headerBytes = 64;
const sectionHeaderBytes = 64;
const symbolBytes = 24;
const relocationBytes = 16;
const sectionTypes = { symtab: 2, rela: 4, nobits: 8, rel: 9 } as const;

/** Why an object cannot be read or linked; the message names the place. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}

export interface ObjectSection {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly align: number;
  readonly size: number;
  /** Empty for a section without bytes in the file. */
  readonly bytes: Uint8Array;
  readonly link: number;
  readonly info: number;
}

export interface ObjectSymbol {
  readonly name: string;
  /** Section index; 0 when another file must define it. */
  readonly section: number;
  readonly value: number;
  readonly isSection: boolean;
  readonly isGlobal: boolean;
}

/** One place to patch: `offset` within `section`. */
export interface ObjectRelocation {
  readonly section: number;
  readonly offset: number;
  readonly type: number;
  readonly symbol: ObjectSymbol;
}

export interface ElfObject {
  readonly sections: readonly ObjectSection[];
  readonly symbols: readonly ObjectSymbol[];
  readonly relocations: readonly ObjectRelocation[];
}

/** Reads an object file. Throws LinkError on anything that is not a little-endian relocatable BPF ELF64. */
export function readElfObject(bytes: Uint8Array): ElfObject {
  if (bytes.length < headerBytes) throw new LinkError("not an ELF file: shorter than its header");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x7f454c46) throw new LinkError("not an ELF file: wrong magic");
  if (bytes[4] !== 2 || bytes[5] !== 1) throw new LinkError("not a little-endian ELF64 file");
  if (view.getUint16(16, true) !== typeRelocatable) throw new LinkError("not a relocatable object");
  const machine = view.getUint16(18, true);
  if (machine !== machineBpf) throw new LinkError(`machine ${machine}, expected ${machineBpf} (BPF)`);
  const sections = readSections(bytes, view);
  const symbols = readSymbols(sections);
  return { sections, symbols, relocations: readRelocations(sections, symbols) };
}

function readSections(bytes: Uint8Array, view: DataView): readonly ObjectSection[] {
  const table = word(view, 40);
  const count = view.getUint16(60, true);
  const namesIndex = view.getUint16(62, true);
  const headerAt = (index: number) => {
    const at = table + index * sectionHeaderBytes;
    if (at + sectionHeaderBytes > bytes.length) throw new LinkError("section table beyond the end of the file");
    return at;
  };
  const bytesAt = (at: number) => {
    const [offset, size] = [word(view, at + 24), word(view, at + 32)];
    if (view.getUint32(at + 4, true) === sectionTypes.nobits) return new Uint8Array(0);
    if (offset + size > bytes.length) throw new LinkError("section beyond the end of the file");
    return bytes.subarray(offset, offset + size);
  };
  const names = count > namesIndex ? bytesAt(headerAt(namesIndex)) : new Uint8Array(0);
  return Array.from({ length: count }, (_, index) => {
    const at = headerAt(index);
    return {
      index,
      name: text(names, view.getUint32(at, true)),
      type: view.getUint32(at + 4, true),
      flags: word(view, at + 8),
      size: word(view, at + 32),
      align: word(view, at + 48),
      bytes: bytesAt(at),
      link: view.getUint32(at + 40, true),
      info: view.getUint32(at + 44, true),
    };
  });
}

function readSymbols(sections: readonly ObjectSection[]): readonly ObjectSymbol[] {
  const table = sections.find((section) => section.type === sectionTypes.symtab);
  if (table === undefined) throw new LinkError("no symbol table");
  const names = sections[table.link]?.bytes ?? new Uint8Array(0);
  const view = viewOf(table.bytes);
  return Array.from({ length: Math.floor(table.bytes.length / symbolBytes) }, (_, index) => {
    const at = index * symbolBytes;
    const info = view.getUint8(at + 4);
    const section = view.getUint16(at + 6, true);
    const isSection = (info & 0xf) === 3;
    const name = isSection ? (sections[section]?.name ?? "") : text(names, view.getUint32(at, true));
    return { name, section, value: word(view, at + 8), isSection, isGlobal: info >> 4 === 1 };
  });
}

function readRelocations(
  sections: readonly ObjectSection[],
  symbols: readonly ObjectSymbol[],
): readonly ObjectRelocation[] {
  const withAddends = sections.find((section) => section.type === sectionTypes.rela);
  if (withAddends !== undefined) throw new LinkError(`${withAddends.name}: relocations with addends are not BPF's`);
  return sections
    .filter((section) => section.type === sectionTypes.rel)
    .flatMap((table) => {
      const view = viewOf(table.bytes);
      return Array.from({ length: Math.floor(table.bytes.length / relocationBytes) }, (_, index) => {
        const at = index * relocationBytes;
        const symbol = symbols[view.getUint32(at + 12, true)];
        if (symbol === undefined) throw new LinkError(`${table.name}: relocation ${index} names no symbol`);
        return { section: table.info, offset: word(view, at), type: view.getUint32(at + 8, true), symbol };
      });
    });
}

/** A 64-bit word of a file that is far smaller than 2^53 bytes. */
function word(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new LinkError(`impossible size or offset ${value}`);
  return Number(value);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(names: Uint8Array, from: number): string {
  const end = names.indexOf(0, from);
  return new TextDecoder().decode(names.subarray(from, end < 0 ? names.length : end));
}
