/**
 * Calls of control from the page, one at a time or several in one request: over the port that it came from, or however
 * it is told.
 */
import type { Answers } from "./answers.ts";

/** A method, and its parameters. */
export interface Call {
  readonly method: string;
  readonly params?: object;
}

/** Control refused, or was not reached. `status` is that of HTTP, 0 where nobody answered. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The one client of a page. */
export interface Api {
  call<M extends keyof Answers>(method: M, params?: object): Promise<Answers[M]>;
  /** A method whose answer nobody reads. */
  order(method: string, params?: object): Promise<void>;
  /** Several in one request: results in order. Fails with the first refusal. */
  batch(calls: readonly Call[]): Promise<readonly unknown[]>;
  /** What calls bear from now on. */
  bear(token: string): void;
}

const TOKEN = "ofs-control-token";
const UNAUTHORIZED = 401;

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: { readonly name?: string } };
}

/** Takes the body of a request of JSON-RPC to control, and brings the answer, with the status of HTTP. */
export type Post = (body: string) => Promise<{ readonly status: number; readonly text: string }>;

/** The client of a page; it asks the port that the page came from, unless told how to ask. */
export function openApi(post: Post = posted): Api {
  async function batch(calls: readonly Call[]): Promise<readonly unknown[]> {
    const requests = calls.map(({ method, params = {} }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const { status, text } = await post(JSON.stringify(requests));
    if (status === UNAUTHORIZED) throw new Refusal(UNAUTHORIZED, "control wants its token");
    const answers = readJson(text) as readonly Answer[] | Answer;
    if (!Array.isArray(answers)) throw new Refusal(status, (answers as Answer).error?.message ?? text);
    return answers.map(({ result, error }: Answer) => {
      if (error === undefined) return result;
      const name = error.data?.name;
      throw new Refusal(status, name === undefined ? error.message : `${name}: ${error.message}`);
    });
  }
  return {
    batch,
    async call(method, params = {}) {
      const [result] = await batch([{ method, params }]);
      return result as never;
    },
    order: async (method, params = {}) => void (await batch([{ method, params }])),
    bear: (token) => sessionStorage.setItem(TOKEN, token),
  };
}

async function posted(body: string): ReturnType<Post> {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) };
  const response = await fetch("/rpc", { method: "POST", headers, body }).catch(() => {
    throw new Refusal(0, "the network is not reached");
  });
  return { status: response.status, text: await response.text() };
}

/** JSON with every digit of a large number, where the browser tells how it was written. */
function readJson(text: string): unknown {
  return JSON.parse(text, function (this: unknown, _name: string, value: unknown, context?: { source?: string }) {
    const source = context?.source;
    const isLarge = typeof value === "number" && source !== undefined && !Number.isSafeInteger(value);
    return isLarge && /^-?\d+$/.test(source) ? BigInt(source) : value;
  } as (this: unknown, name: string, value: unknown) => unknown);
}
