// Goal: ten lines in anybody's test runner have a network, bring it where they want it, and put it back.
// Method: the guide of sim/serve/README.md as it stands there, in `node:test`; the rest of the library in this process.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestNetwork } from "../../../node/sim/testing.ts";
import { connectNetwork, startNetwork } from "../../../node/sim/testing.ts";
import { readText } from "../../tidy/source.ts";
import { TYPESCRIPT } from "../../typescript.ts";

let network: TestNetwork;
beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network.close());

describe("a network in a test", () => {
  test("has trades and disputes where a test wants them, for this test alone", async () => {
    const before = await network.now();
    const { settlement, dispute } = await network.undone(async () => {
      const paid = await network.trade();
      const shown = await network.node(1).call("getSettlement", { id: paid.settlement });
      expect(shown?.state).toBe("PaymentSubmitted");
      const quarrel = await network.dispute({ buyer: "alice" });
      expect((await network.node(0).call("getDispute", { id: quarrel.dispute! }))?.status).toBe("Open");
      return quarrel;
    });
    expect(await network.now()).toBe(before);
    expect(await network.node(1).call("getSettlement", { id: settlement })).toBeNull();
    expect(await network.node(1).call("getDispute", { id: dispute! })).toBeNull();
  });

  test("has nodes that come and leave, for this test alone", async () => {
    const { id } = await network.undone(async () => {
      const { settlement } = await network.trade();
      const node = await network.addNode();
      await network.removeNode(1);
      await network.converged();
      return (await network.node(node).call("getSettlement", { id: settlement })) ?? { id: "" };
    });
    expect(id).toMatch(/^settlement-/);
    expect(await network.node(1).call("getHealth")).toBe("ok");
    await expect(network.node(3).call("getHealth")).rejects.toThrow();
  });

  test("is put back also after a test that failed", async () => {
    const before = await network.now();
    const failed = network.undone(async () => {
      await network.advanceTime(60_000);
      throw new Error("the test failed");
    });
    await expect(failed).rejects.toThrow("the test failed");
    expect(await network.now()).toBe(before);
    expect((await network.control.call("sim_getStatus")).snapshots).toBe(0);
  });

  test("signs with wallets that the network knows, and is found by its ready line", async () => {
    const other = connectNetwork(network.ready);
    const [buyer, message] = [other.wallet("buyer"), new TextEncoder().encode("mine")];
    const signed = await other.control.call("sim_signAs", {
      wallet: "buyer",
      message: Buffer.from(message).toString("base64"),
    });
    expect(Buffer.from(await buyer.sign(message)).toString("base64")).toBe(signed.base64);
    expect(signed.wallet).toBe(buyer.address);
    expect(() => other.wallet("nobody")).toThrow(/^nobody is called nobody; wallets: merchant,/);
    expect(() => other.node(9)).toThrow("there is no node 9");
    await other.converged();
  });
});

test("the guide runs as it stands there", () => {
  const root = resolve(import.meta.dirname, "../../..");
  const guide = /```ts\n([\s\S]*?startNetwork[\s\S]*?)```/.exec(readText("sim/serve/README.md"))?.[1] ?? "";
  expect(guide.trim().split("\n").length).toBeLessThan(20);
  const folder = mkdtempSync(join(tmpdir(), "ofs-testing-"));
  const file = join(folder, "guide.test.mts");
  writeFileSync(file, guide.replace('"ofs-node/testing"', JSON.stringify(join(root, "node/sim/testing.ts"))));
  const ran = spawnSync(process.execPath, [...TYPESCRIPT, "--test", file], { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true, force: true });
  expect(`${ran.status}\n${ran.stdout}`).toMatch(/^0\n[\s\S]*pass 1\b/);
});
