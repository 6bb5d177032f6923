// Goal: a planted bug reaches whatever is loaded around it, and nothing else; a bug that cannot bite is an error.
// Method: a fixture of two modules, loaded with and without the bug in the inner one.
import { assert, describe, test } from "vitest";
import { receipt } from "./fixture/receipt.ts";
import { withPlantedBug } from "./planted-bug.ts";
import type { PlantedBug } from "./planted-text.ts";
import { plant } from "./planted-text.ts";

type Receipt = typeof import("./fixture/receipt.ts");

const RECEIPT = "test/planted/fixture/receipt.ts";
const bug: PlantedBug = { file: "test/planted/fixture/price.ts", find: "sum + price", replace: "sum - price" };

/** The message of the error a promise rejects with. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "resolved",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("a planted bug", () => {
  test("is in the graph that was loaded with it", async () => {
    const spoiled = await withPlantedBug(bug, async (load) => (await load<Receipt>(RECEIPT)).receipt([1n, 2n]));
    assert.equal(spoiled, "3:-3");
  });

  test("is nowhere else", async () => {
    await withPlantedBug(bug, async (load) => load<Receipt>(RECEIPT));
    assert.equal(receipt([1n, 2n]), "3:3");
  });

  test("lives in one graph at a time", async () => {
    const spoil = (replace: string): Promise<string> =>
      withPlantedBug({ ...bug, replace }, async (load) => (await load<Receipt>(RECEIPT)).receipt([2n, 3n]));
    assert.deepEqual(await Promise.all([spoil("sum * price"), spoil("sum + 1n")]), ["3:0", "3:2"]);
  });

  test("that is not in the file is refused", async () => {
    const gone = withPlantedBug({ ...bug, find: "sum / price" }, async (load) => load<Receipt>(RECEIPT));
    assert.match(await refusal(gone), /0 times, not once/);
  });

  test("that is in the file twice is refused", () => {
    assert.throws(() => plant("a + b; a + b;", { file: "x.ts", find: "a + b", replace: "a - b" }), /2 times/);
  });

  test("whose file is never loaded is refused", async () => {
    assert.match(await refusal(withPlantedBug(bug, async () => "did nothing")), /never loaded/);
  });

  test("in a file that is not there is refused", async () => {
    assert.match(await refusal(withPlantedBug({ ...bug, file: "core/gone.ts" }, async () => 0)), /ENOENT/);
  });
});
