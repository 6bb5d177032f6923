/**
 * GET /docs: one page that needs nothing but the OpenRPC document of the node it came from. It loads no resource
 * from elsewhere, and its policy lets it do nothing but ask this node. Source: protocol 01 §10.1.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface DocsPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Puts page, style and script together. */
export function readDocsPage(): DocsPage {
  const style = read("page.css");
  const script = read("page.js");
  const html = read("page.html")
    .replace("/* page.css */", () => style)
    .replace("/* page.js */", () => script);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
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

function read(name: string): string {
  return readFileSync(new URL(`./docs/${name}`, import.meta.url), "utf8");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
