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

/** The page, and the policy that allows its own style and script and nothing else. */
export function readDocsPage(): DocsPage {
  const html = readFileSync(new URL("./docs.html", import.meta.url), "utf8");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(html, "script")}'`,
    `style-src '${hashOf(html, "style")}'`,
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

/** Names the one element of its kind by what it holds. Source: Content Security Policy Level 3, §8.3. */
function hashOf(html: string, tag: "script" | "style"): string {
  const from = html.indexOf(`<${tag}>`) + tag.length + 2;
  const text = html.slice(from, html.indexOf(`</${tag}>`, from));
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
