// Goal: a node that is stopped still answers the calls that came before: they wait for their signatures to be verified
// while HTTP closes. Method: what a node holds open, with ports that note when each is closed.
import { expect, test } from "vitest";
import type { Opened } from "../../node/production/opened.ts";
import { closeAll, nothingOpen } from "../../node/production/opened.ts";

test("calls that wait are taken until HTTP is closed, and none once the store closes", async () => {
  const order: string[] = [];
  const port = (name: string) => ({
    close(done: () => void) {
      order.push(name);
      setImmediate(done);
    },
  });
  const opened = nothingOpen({ ledger: "unopened" });
  const callsInOrder = { ...opened.callsInOrder, stop: () => void order.push("calls") };
  const ports = { api: port("api"), transport: port("transport"), store: port("store") } as unknown as Partial<Opened>;
  await closeAll({ ...opened, ...ports, callsInOrder }, () => void order.push("served"));
  expect(order).toEqual(["api", "transport", "calls", "served", "store"]);
});
