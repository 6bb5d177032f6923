/**
 * The page of a served network as one document: its markup, style and script, and the policy that lets it do nothing
 * but call the port that it came from. Source: DESIGN section 6 "serve"; Content Security Policy Level 3.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FrontPage } from "../../../adapters/http/front-page.ts";

/** The document with this script. */
export function controlPage(script: string): FrontPage {
  const read = (name: string) => readFileSync(new URL(`../page/${name}`, import.meta.url), "utf8");
  const style = read("page.css");
  // No text of ours ends an element early, and none is read as a pattern of a replacement.
  const html = read("page.html")
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace("<script></script>", () => `<script>${script.replaceAll("</script", "<\\/script")}</script>`);
  const inner = (tag: string) => html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.indexOf(`</${tag}>`));
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(inner("script"))}'`,
    `style-src '${hashOf(inner("style"))}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    html,
    headers: {
      "content-security-policy": policy.join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
