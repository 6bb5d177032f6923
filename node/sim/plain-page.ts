/**
 * What pages without a script have in common: their look, and texts as they stand in HTML.
 */

/** The look of pages about runs. */
export const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin-bottom: 0; }
  h2 { font-size: 1.1rem; margin-top: 2rem; }
  table { border-collapse: collapse; }
  th, td { text-align: left; padding: .2rem 1.5rem .2rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  code, li { overflow-wrap: anywhere; }
  li { white-space: pre-wrap; }
  ol { list-style: none; padding: 0; font-family: ui-monospace, monospace; font-size: .9rem; }
  svg { font-size: 11px; fill: currentColor; }
  svg .middle { text-anchor: middle; }
  svg .end { text-anchor: end; }
  svg .grid { stroke: #8882; }
`;

/** A text as it stands in HTML, also in an attribute. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
