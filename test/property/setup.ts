/**
 * What vitest loads before every test file. Random arrays, texts and bytes grow to the maximum they declare:
 * fast-check's default stops them at ten elements, whatever their `maxLength` says.
 */
import fc from "fast-check";
import "../loads-first.ts";

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
