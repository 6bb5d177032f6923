/**
 * A network that nobody reaches over HTTP: one that is played again, or runs in a page.
 * Source: DESIGN section 6 "serve".
 */
import type { NodeApis } from "./node-apis.ts";

/** Servers of nodes that there are none of. */
export function noApis(): NodeApis {
  return {
    urlOf: () => "",
    open: () => Promise.resolve({ ok: true, value: undefined }),
    shut: () => Promise.resolve(),
    isOpen: () => false,
    known: () => [],
    close: () => Promise.resolve(),
  };
}
