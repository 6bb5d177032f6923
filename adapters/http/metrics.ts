/**
 * The metrics page, in Prometheus text format 0.0.4. A counter appears with the first thing it counts.
 * Source: protocol 01 §10.7, W20.
 */

export interface CallCounts {
  /** A POST that reached the handler. */
  readonly onCall: () => void;
  /** The answer of such a call. */
  readonly onAnswer: (body: string | null) => void;
  /** The page, with what else is shown on it. */
  readonly page: (gauges?: Readonly<Record<string, number>>) => string;
  readonly read: () => Counted;
}

const REQUESTS = { name: "rpc_requests_total", help: "Total JSON-RPC requests received" };
const ERRORS = { name: "rpc_errors_total", help: "Total JSON-RPC requests that returned an error" };

/** Refusals before dispatch are not counted as errors. Source: protocol 01 §10.7. */
const PARSE_ERROR = -32700;
/** What every single answer begins with. Source: protocol 01 §10.3. */
const ANSWER_START = '{"jsonrpc":"2.0","id":';

/** What was counted so far. */
export interface Counted {
  requests: number;
  errors: number;
}

/** Counts calls, from nothing or on from what was counted before. */
export function openCallCounts(counted: Counted = { requests: 0, errors: 0 }): CallCounts {
  return {
    onCall: () => {
      counted.requests += 1;
    },
    onAnswer: (body) => {
      if (body !== null) counted.errors += errorsIn(body);
    },
    read: () => ({ ...counted }),
    page: (gauges = {}) => {
      const { requests, errors } = counted;
      const metrics = Object.entries(gauges).map(([name, value]) => ({ name, lines: gaugeLines(name, value) }));
      if (requests > 0) metrics.push({ name: REQUESTS.name, lines: counterLines(REQUESTS, requests) });
      if (errors > 0) metrics.push({ name: ERRORS.name, lines: counterLines(ERRORS, errors) });
      metrics.sort((a, b) => (a.name < b.name ? -1 : 1));
      return metrics.map((metric) => metric.lines).join("");
    },
  };
}

function counterLines({ name, help }: { readonly name: string; readonly help: string }, value: number): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${name} ${value}\n`;
}

function gaugeLines(name: string, value: number): string {
  const text = Number.isFinite(value) ? String(value) : "NaN";
  return `# TYPE ${name} gauge\n${name} ${text}\n`;
}

/** How many calls of an answer failed at dispatch. Reads no further than it must: answers may be large. */
export function errorsIn(body: string): number {
  const afterId = body.startsWith(ANSWER_START) ? endOfId(body, ANSWER_START.length) : -1;
  if (afterId >= 0) {
    return body.startsWith(',"error":', afterId) && !body.startsWith(`,"error":{"code":${PARSE_ERROR}`, afterId)
      ? 1
      : 0;
  }
  if (!body.includes('"error"')) return 0;
  const parsed: unknown = JSON.parse(body);
  return (Array.isArray(parsed) ? parsed : [parsed]).filter(isDispatchError).length;
}

/** Where the id that starts at `from` ends; negative when it is an object or an array. */
function endOfId(body: string, from: number): number {
  if (body[from] === "{" || body[from] === "[") return -1;
  if (body[from] !== '"') return body.indexOf(",", from);
  let quote = body.indexOf('"', from + 1);
  while (quote >= 0 && isEscaped(body, quote)) quote = body.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(body: string, quote: number): boolean {
  let backslashes = 0;
  while (body[quote - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function isDispatchError(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return false;
  const { error } = answer;
  return !(typeof error === "object" && error !== null && "code" in error && error.code === PARSE_ERROR);
}
