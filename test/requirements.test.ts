// Goal: a missing command is found missing, whoever asks, and CI leaves nothing out.
// Method: environments from memory, and the real one for a command every machine with Node has.
import { dirname } from "node:path";
import { assert, test } from "vitest";
import { findCommand, isCi } from "./requirements.ts";

const node = { name: "Node", commands: ["no-such-command", "node"], variable: "OFS_NODE", install: "none" };

test("a command is found on the PATH under any of its names", () => {
  assert.equal(findCommand(node, { PATH: `/nowhere:${dirname(process.execPath)}` }), process.execPath);
});

test("a command that is nowhere is missing", () => {
  assert.isUndefined(findCommand(node, { PATH: "/nowhere" }));
  assert.isUndefined(findCommand(node, {}));
});

test("a variable names the command, and is believed even when it is wrong", () => {
  assert.equal(findCommand(node, { PATH: "", OFS_NODE: process.execPath }), process.execPath);
  assert.isUndefined(findCommand(node, { PATH: dirname(process.execPath), OFS_NODE: "/nowhere/node" }));
});

test("CI is what CI says it is", () => {
  assert.deepEqual([{ CI: "true" }, { CI: "1" }, { CI: "false" }, { CI: "" }, {}].map(isCi), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
