// Goal: a node that is stopped still answers the calls that came before: they wait for their signatures to be verified
// while the HTTP door closes. Method: what a node holds open, with doors that are told when each is closed.
import { expect, test } from "vitest";
import type { Opened } from "../../node/production/opened.ts";
import { closeAll, nothingOpen } from "../../node/production/opened.ts";

test("calls that wait are taken until the door is closed, and none once the store closes", async () => {
  const order: string[] = [];
  const door = (name: string) => ({
    close(done: () => void) {
      order.push(name);
      setImmediate(done);
    },
  });
  const opened = nothingOpen({ ledger: "unopened" });
  const callsInOrder = { ...opened.callsInOrder, stop: () => void order.push("calls") };
  const doors = { api: door("api"), transport: door("transport"), store: door("store") } as unknown as Partial<Opened>;
  await closeAll({ ...opened, ...doors, callsInOrder });
  expect(order).toEqual(["api", "transport", "calls", "store"]);
});
