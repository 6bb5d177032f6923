/**
 * GET /docs: one page that needs nothing but the OpenRPC document of the node it came from. It loads no resource
 * from elsewhere, and its policy lets it do nothing but ask this node. Source: protocol 01 §10.1.
 */
import { readFileSync } from "node:fs";
import type { FixedText } from "./fixed-text.ts";
import { fixedText } from "./fixed-text.ts";
import type { OwnPage } from "./own-page.ts";
import { ownPage } from "./own-page.ts";

let packed: FixedText | undefined;

/** The page as it is answered: read and compressed once, however many servers a process has. */
export function docsPage(): FixedText {
  if (packed === undefined) {
    const { html, headers } = readDocsPage();
    packed = fixedText("text/html; charset=utf-8", html, headers);
  }
  return packed;
}

/** The page, and the policy that allows its own style and script and nothing else. */
export function readDocsPage(): OwnPage {
  return ownPage(readFileSync(new URL("./docs.html", import.meta.url), "utf8"));
}
