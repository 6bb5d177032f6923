/**
 * GET /docs: one page that needs nothing but the OpenRPC document of the node it came from. It loads no resource
 * from elsewhere, and its policy lets it do nothing but ask this node. Source: protocol 01 §10.1.
 */
import { readFileSync } from "node:fs";
import type { OwnPage } from "./own-page.ts";
import { ownPage } from "./own-page.ts";

/** The page, and the policy that allows its own style and script and nothing else. */
export function readDocsPage(): OwnPage {
  return ownPage(readFileSync(new URL("./docs.html", import.meta.url), "utf8"));
}
