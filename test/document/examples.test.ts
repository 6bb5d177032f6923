/**
 * Goal: every method of the document has an example, and every example, run in the order of the story, answers as
 * printed. `OFS_EXAMPLES=write` writes them when a change is meant.
 * Method: the story told anew to a fresh node against the one that nodes serve, and the document against that.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { StoryCall } from "../../core/index.ts";
import { methods, openRpcDocument } from "../../core/index.ts";
import { misdescribed, misfit } from "./described.ts";
import { keptStory, storyFile, storyText, toldStory } from "./story/story.ts";

interface Example {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly value: unknown }[];
  readonly result: { readonly value: unknown };
}
interface Method {
  readonly name: string;
  readonly examples: readonly Example[];
}

const told = toldStory();
if (process.env["OFS_EXAMPLES"] === "write") writeFileSync(storyFile, storyText(told));
const kept = keptStory();
const document = JSON.parse(openRpcDocument(methods, "0.1.0", { name: "this node", url: "/rpc" }, kept)) as {
  readonly methods: readonly Method[];
};

test("a fresh node answers every call of the story as it is printed", () => {
  expect(readFileSync(storyFile, "utf8")).toBe(storyText(told));
  expect(told.calls.length).toBeGreaterThan(Object.keys(methods).length);
});

test("the document's examples are the calls of the story, at least one a method", () => {
  expect(document.methods.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
  const printed = document.methods.flatMap(({ name, examples }) =>
    examples.map((example) => [Number(example.name.split(" ")[1]), callOf(name, example)] as const),
  );
  const inOrder = [...printed].sort(([a], [b]) => a - b).map(([, call]) => call);
  expect(inOrder).toEqual(kept.calls.map(({ method, params, result }) => ({ method, params, result })));
});

test("what an example passes and is answered is what the document says of its method", () => {
  const wrong = kept.calls.flatMap((call, number) => {
    const found = misdescribed(call.method, JSON.stringify({ result: call.result })) || unfit(call);
    return found === "" ? [] : [`call ${number + 1}, ${call.method}: ${found}`];
  });
  expect(wrong).toEqual([]);
  expect(unfit({ at: 0, method: "getTrade", params: { id: 7 }, result: null })).toContain("string");
  expect(unfit({ at: 0, method: "getTrade", params: { name: "x" }, result: null })).toBe("id is missing");
});

/** What the document says against the parameters of a call. */
function unfit({ method, params }: StoryCall): string {
  return misfit(method, params);
}

function callOf(method: string, { params, result }: Example): Pick<StoryCall, "method" | "params" | "result"> {
  return { method, params: Object.fromEntries(params.map(({ name, value }) => [name, value])), result: result.value };
}
