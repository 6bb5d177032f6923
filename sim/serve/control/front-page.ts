/**
 * The page of a served network as one document: its markup, its styles and its script.
 * Source: DESIGN section 6 "serve".
 */
import { readFileSync } from "node:fs";
import type { OwnPage } from "../../../adapters/http/own-page.ts";
import { ownPage } from "../../../adapters/http/own-page.ts";

/** The document with this script. */
export function controlPage(script: string): OwnPage {
  const read = (name: string) => readFileSync(new URL(`../page/${name}`, import.meta.url), "utf8");
  const style = ["page.css", "views.css"].map(read).join("");
  // No text of ours ends an element early, and none is read as a pattern of a replacement.
  const html = read("page.html")
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace("<script></script>", () => `<script>${script.replaceAll("</script", "<\\/script")}</script>`);
  return ownPage(html);
}
