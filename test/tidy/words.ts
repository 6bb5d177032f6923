/**
 * Words that only this house would understand, and what to say instead: in identifiers, file names, log lines, comments
 * and READMEs. The protocol's own words are exempt where they mean what the protocol means, and so is core/spec.
 * Source: CONTRIBUTING.
 */
import ts from "typescript";
import type { Tree } from "./readmes.ts";
import type { Finding, Rule, Source } from "./source.ts";
import { commentsOf, findingAt, nodesOf } from "./source.ts";

/** Parts of a name, such as `open` and `door` of `openDoor`; or whole names, where the parts mean something else. */
interface BannedName {
  readonly parts?: readonly string[];
  readonly names?: readonly string[];
  readonly say: string;
  /** Where it is banned, and where not; everywhere unless said. */
  readonly within?: RegExp;
  readonly except?: RegExp;
}

/** In identifiers, and the parts in names of files and in log lines too. */
export const bannedNames: readonly BannedName[] = [
  { parts: ["door", "doors"], say: "ingress, admission" },
  { parts: ["ladder", "ladders"], say: "validation order" },
  { parts: ["rung", "rungs"], say: "check" },
  { parts: ["flaw", "flaws", "flawed"], say: "validation error" },
  { names: ["hasPlace", "hasRoom", "hasShare"], say: "withinDomainLimits, withinPendingLimits, withinQuota" },
  { names: ["turn", "Turn", "turnOver"], say: "step context" },
  { parts: ["manner", "manners", "mannered"], say: "plausible payloads" },
  {
    parts: ["words"],
    say: "fixtures, fields, texts",
    within: /^(sim|test)\//,
    // Machine words, words of the C language, and this list.
    except: /^(sim\/random|test\/(sim\/random|kernel\/|mutation\/|tidy\/))/,
  },
  { parts: ["tongue", "tongues"], say: "legacy wire format" },
  { parts: ["hear", "hears", "heard"], say: "decode, receive, observed" },
  {
    parts: ["say", "says", "said", "speak", "spoke", "spoken"],
    say: "encode, send, statement",
    except: /^test\/tidy\//,
  },
  { parts: ["snoop", "snoops"], say: "public-read probe" },
  { parts: ["speaker", "speakers", "speech", "speeches"], say: "actor, publication" },
  { parts: ["weather"], say: "network conditions" },
  { parts: ["cast", "casts"], say: "participants", within: /^(sim|scenarios)\// },
  { parts: ["town", "towns"], say: "test network" },
  // The table that holds them keeps its name.
  { parts: ["sighting", "sightings"], say: "pending chain fact", except: /^test\/laws\/restarts[.]/ },
  { parts: ["standing", "standings"], say: "transaction status, id form, stake status" },
  { parts: ["doubt", "doubts"], say: "recheck" },
  { parts: ["vouch", "vouches", "vouched", "voucher"], say: "attestation" },
  { parts: ["claim", "claims"], say: "allocation", within: /^(core\/domains\/trade|test)\/advertisements\// },
  { parts: ["greet", "greets"], say: "announce" },
  { names: ["HookClock", "HookClocks", "noteHooks"], say: "parity timestamps" },
];

/** In comments and READMEs: only what has no ordinary meaning there. */
export const bannedPhrases: readonly (readonly [phrase: RegExp, say: string])[] = [
  [/\bdoors?\b(?! policy)/i, "ingress, admission"],
  [/\bladders?\b(?!")/i, "validation order"],
  [/\brungs?\b/i, "check"],
  [/\bflaw(s|ed)?\b/i, "validation error"],
  [/\bmannered\b/i, "plausible"],
  [/\bolder tongue\b/i, "legacy wire format"],
  [/\bsnoops?\b/i, "public-read probe"],
  [/\bweather\b/i, "network conditions"],
  [/\btowns?\b/i, "test network"],
  [/\bsightings?\b/i, "pending chain fact"],
  [/\bhook clocks?\b/i, "parity timestamps"],
  [/\bwhat is over\b/i, "terminal, expired"],
  [/\blets? go of\b/i, "drops"],
];

/** What the protocol calls things itself. */
const PROTOCOL: readonly string[] = ["VoteCast"];

const partsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z]+/)
    .map((part) => part.toLowerCase());

function applies({ within, except }: BannedName, path: string): boolean {
  return (within?.test(path) ?? true) && !(except?.test(path) ?? false);
}

/** What to say instead of the first banned word of a name, if it has one. */
function insteadOf(name: string, path: string): string | undefined {
  if (PROTOCOL.includes(name)) return undefined;
  const parts = new Set(partsOf(name));
  const found = bannedNames.find(
    (row) =>
      applies(row, path) && (row.names?.includes(name) === true || row.parts?.some((part) => parts.has(part)) === true),
  );
  return found?.say;
}

export const plainIdentifiers: Rule = (source) =>
  [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
    const say = insteadOf(node.text.replace(/^#/, ""), source.path);
    return say === undefined ? [] : [findingAt(source, node, "plain-identifiers", `\`${node.text}\`: say ${say}`)];
  });

export const plainFileNames: Rule = ({ path }) => {
  const say = insteadOf(path.replace(/[.](property|test|contract)?[.]?\w+$/, ""), path);
  return say === undefined ? [] : [{ path, line: 1, rule: "plain-file-names", message: `say ${say}` }];
};

/** The event of a log line is read by operators. */
export const plainLogLines: Rule = (source) =>
  [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isObjectLiteralExpression(node) || textOf(node, "type") !== "log") return [];
    const say = insteadOf(textOf(node, "event") ?? "", source.path);
    return say === undefined ? [] : [findingAt(source, node, "plain-log-lines", `say ${say}`)];
  });

export const plainComments: Rule = (source) => {
  if (source.path.startsWith("test/tidy/")) return [];
  return commentsIn(source).flatMap(({ line, text }) => findingsIn(source.path, line, text, "plain-comments"));
};

/** The same of READMEs. */
export function plainReadmes({ paths, read }: Tree): readonly Finding[] {
  return paths
    .filter((path) => path.endsWith(".md") && !path.startsWith("core/spec/"))
    .flatMap((path) => findingsIn(path, 1, read(path), "plain-readmes"));
}

export const wordRules: readonly Rule[] = [plainIdentifiers, plainFileNames, plainLogLines, plainComments];

function commentsIn(source: Source): readonly { readonly line: number; readonly text: string }[] {
  if (/[.](ts|mjs)$/.test(source.path)) return commentsOf(source);
  return [...source.text.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)].map(({ 0: text, index }) => ({
    line: source.text.slice(0, index).split("\n").length,
    text,
  }));
}

function findingsIn(path: string, from: number, text: string, rule: string): readonly Finding[] {
  return text.split("\n").flatMap((line, n) =>
    bannedPhrases.flatMap(([phrase, say]) => {
      const [found] = phrase.exec(line) ?? [];
      return found === undefined ? [] : [{ path, line: from + n, rule, message: `"${found}": say ${say}` }];
    }),
  );
}

function textOf(object: ts.ObjectLiteralExpression, member: string): string | undefined {
  for (const property of object.properties) {
    if (!ts.isPropertyAssignment(property) || property.name.getText() !== member) continue;
    if (ts.isStringLiteralLike(property.initializer)) return property.initializer.text;
  }
  return undefined;
}
