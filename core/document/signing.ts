/**
 * How a payload is written, signed and sent, once for all methods: what `x-signing` of the document says. Each rule is
 * what core/kernel does. Source: protocol 01 §1, §2.2, §2.3, §3.4, §4.
 */

/** The rules in the order in which a client follows them. Source: protocol 01 §2.2, §2.3, §3.4, §4. */
export const signing = {
  order:
    "Write the members in the order of x-signed.order, and of the properties of every record inside: whatever order " +
    "the text had, the node writes the payload anew in this order and verifies over that.",
  whitespace: "None anywhere.",
  strings:
    'UTF-8, unescaped but for \\" \\\\ \\b \\t \\n \\f \\r and other controls as \\u00xx in lower case: what ' +
    "JSON.stringify writes.",
  integers: "Plain digits, no leading zeros, - before negative ones. 64-bit integers exceed a double: keep all digits.",
  floats:
    "The shortest digits that read back, with .0 where there is no fraction (130.0), plain from 1e-5 to below 1e16, " +
    "else with an exponent that has its sign (1e-6, 1e+16); what JSON.stringify writes is taken too.",
  nulls:
    "An optional member without a value is written null. One that is left out of the text may be left out of what is " +
    "signed, too; reference nodes refuse that, so write null.",
  variants: 'A choice is its name as a string; a choice with a value is an object of one member, {"Name": value}.',
  bytes: "An array of integers from 0 to 255, of exactly its length.",
  keys:
    "Public keys, peer ids, signatures and mints in base58. A peer id is the 6 bytes 00 24 08 01 12 20 and the 32 of " +
    "the key.",
  currency: "Three letters: the node writes them in capitals before it verifies.",
  unknown: "Members that the schema does not have are dropped before the node verifies.",
  bare: "Sign the payload's JSON itself, where x-signed.forms has bare.",
  tagged:
    "Sign x-signed.prefix and then the payload's JSON. The prefix, in hexadecimal, is the length of the tag as 4 " +
    "bytes, greatest first, and the tag in ASCII.",
  signature: "Ed25519 (RFC 8032) over these bytes; 64 bytes, in base58.",
  data: 'base64 (standard alphabet, padded) of {"<x-signed.member>":<payload>,"signature":"<base58>"} in UTF-8.',
  identity:
    "SHA-256 of the tagged bytes with every empty member written null, whichever form was signed: the same words are " +
    "one statement.",
} as const;
