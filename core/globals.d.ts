/**
 * The two globals beside the language itself that the core may use: UTF-8 in and out, the same in Node and browsers.
 * Declared by hand because the core compiles without the types of Node and of the DOM, so that nothing else of
 * theirs exists for it. Source: DESIGN "Bounds", DESIGN section 3; WHATWG Encoding, sections 7.2 and 7.4.
 */
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}

declare class TextDecoder {
  constructor(label?: "utf-8", options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(bytes?: Uint8Array): string;
}
