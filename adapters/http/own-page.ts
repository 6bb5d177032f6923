/**
 * A page that needs nothing from elsewhere: one document with its own style and script, and the policy that allows
 * these and nothing else than to call the server that it came from. Source: Content Security Policy Level 3.
 */
import { createHash } from "node:crypto";

/** A page, and the headers that go with it. */
export interface OwnPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The page of a document that has one `<style>` and one `<script>`, neither with attributes. */
export function ownPage(html: string): OwnPage {
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
