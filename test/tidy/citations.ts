/**
 * Rules of citations: every section, row and name that a source gives of a paper stands in core/spec, and every
 * `Source:` names a paper there or another public work. Their grammar is in core/spec/README.md.
 */
import type { Finding, Rule } from "./source.ts";
import { listFiles, readText } from "./source.ts";

/** The papers' texts in Markdown, by what citations call them: "01" to "05", "DESIGN" and "CONVERGENCE". */
export type Papers = Readonly<Record<string, string>>;

interface Places {
  /** Numbers of sections and of rows: "1.11", "A.10.3", "W12", and with its section "A.10.3 R1b", "7 17". */
  readonly numbers: ReadonlySet<string>;
  /** The whole text, in lower case and without marks: a name is quoted from it. */
  readonly text: string;
}

/** What a source may rest on beside the papers. */
const OTHER_WORK = new RegExp(
  [
    ...["RFC \\d", "OFS-\\d", "ECMA-262", "FIPS", "ISO \\d", "IEEE", "Unicode", "WHATWG", "HTML", "XML 1[.]0"],
    ...["Content Security Policy", "JUnit XML", "npm's", "Node[.]js", "V8", "LLVM", "ELF", "Threefish", "SQLite"],
    ...["SPL", "Solana", "SIMD-\\d", "libp2p", "multi(addr|formats|codec)", "dag-pb", "OpenRPC", "JSON-RPC"],
    ...["Prometheus", "the library", "CONTRIBUTING", "(adapters|sim)/[-\\w/]+[.](md|c)\\b"],
  ].join("|"),
);

const OPENING = /\bprotocol(?= 0[1-5]\b)|\bDESIGN\b|\bCONVERGENCE\b/g;

/** A locator with what may stand before it. */
const STEP =
  /^(?:[\s,;–-]|and\b|to\b|law\b|sections?\b|[Pp]arts?\b|rows?\b|§|#)*("(?=\w)[^"\n]{1,60}"|0[1-5](?= )|[A-Z]{1,2}-?\d+[a-z]?(?!\w|[.]\d)|[A-Z](?:[.]\d+)*(?![\w'.-]*\w)|\d+(?:[.]\d+)*[a-z]?(?![\w:]))/;

/** The papers as they stand in core/spec. */
export function readPapers(): Papers {
  const papers: Record<string, string> = {};
  for (const path of listFiles([".md"]).filter((each) => each.startsWith("core/spec/"))) {
    const name = /spec[/](?:protocol[/](\d\d)-|(design|convergence)[.])/.exec(path);
    if (name !== null) papers[name[1] ?? (name[2] ?? "").toUpperCase()] = readText(path);
  }
  return papers;
}

/** The rule over one source. */
export function citationRule(papers: Papers): Rule {
  const places = new Map(Object.entries(papers).map(([name, text]) => [name, placesOf(text)]));
  return (source) => {
    if (source.path.startsWith("test/tidy/")) return [];
    const text = unwrapped(source.text);
    const found = [...text.matchAll(OPENING)].flatMap(({ 0: paper, index }) => lostOf(text, paper, index, places));
    return [...found, ...groundless(text)].map(({ at, message }): Finding => {
      const line = source.text.slice(0, at).split("\n").length;
      return { path: source.path, line, rule: "citation", message };
    });
  };
}

interface Lost {
  readonly at: number;
  readonly message: string;
}

/** Locators of one citation that lead nowhere. */
function lostOf(text: string, opening: string, index: number, places: ReadonlyMap<string, Places>): readonly Lost[] {
  const lost: Lost[] = [];
  let at = index + opening.length;
  let paper = opening;
  let section = "";
  for (let step = STEP.exec(text.slice(at, at + 200)); step !== null; step = STEP.exec(text.slice(at, at + 200))) {
    const [whole, locator = ""] = step;
    at += whole.length;
    if (/^0[1-5]$/.test(locator)) {
      [paper, section] = [locator, ""];
      continue;
    }
    const known = places.get(paper);
    if (known !== undefined && !stands(known, section, locator)) {
      lost.push({ at: at - locator.length, message: `${paper} has no ${locator}` });
    }
    if (!locator.startsWith('"') && known?.numbers.has(locator)) section = locator;
  }
  return lost;
}

function stands({ numbers, text }: Places, section: string, locator: string): boolean {
  if (locator.startsWith('"')) return text.includes(plain(locator.slice(1, -1)));
  const dotted = /^(.*)[.](\d+[a-z]?)$/.exec(locator);
  return (
    numbers.has(locator) ||
    numbers.has(`${section} ${locator}`) ||
    (dotted !== null && numbers.has(`${dotted[1]} ${dotted[2]}`)) ||
    // In a range of sections only the last numbers are repeated.
    numbers.has(`${section.split(".").slice(0, -1).join(".")} ${locator}`)
  );
}

/** Sources that name neither a paper nor a public work. */
function groundless(text: string): readonly Lost[] {
  return [...text.matchAll(/\bSource:(.*?)(?:\*\/|(?<=[.]) {2,}|[\n`]|$)/gms)].flatMap(({ 1: cited = "", index }) => {
    if (new RegExp(OPENING.source).test(cited) || OTHER_WORK.test(cited) || cited.startsWith(" ${")) return [];
    return [{ at: index, message: `a source names a paper of core/spec or a public work, not "${cited.trim()}"` }];
  });
}

function placesOf(text: string): Places {
  const numbers = new Set<string>();
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^#+ (?:Part )?((?:[A-Z]|\d+)(?:[.]\d+)*)(?=[.,: —]|$)/.exec(line)?.[1];
    section = heading ?? section;
    numbers.add(section);
    const cell = /^[|] *([^|]*?) *[|]/.exec(line)?.[1] ?? /^ *(\d+[a-z]?)[.] /.exec(line)?.[1] ?? "";
    const row = /^[A-Z]{0,2}-?\d+(?:[.]\d+)*[a-z]?(?= |$)/.exec(cell.replaceAll(/[*`]/g, ""))?.[0];
    if (row !== undefined) numbers.add(row).add(`${section} ${row}`);
    for (const [, rule = ""] of line.matchAll(/[*][*]([A-Z]\d+)\b/g)) numbers.add(rule);
  }
  return { numbers, text: plain(text) };
}

function plain(text: string): string {
  return text.replaceAll(/[*`]/g, "").replaceAll(/\s+/g, " ").toLowerCase();
}

/** The text with each line break, and what begins a comment's next line, as spaces: places stay where they are. */
function unwrapped(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]?/g, (found) => " ".padEnd(found.length));
}
