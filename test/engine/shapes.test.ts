// Goal: what is made at every event has one hidden class a kind, not one an object. A literal that begins with a spread
// and then adds members (`{ ...held, more }`) gets a class of its own from V8 each time: it takes a microsecond, and
// whatever reads such objects is slow from then on. A member before the spread is enough (`{ more, ...held }`).
// Method: V8 itself is asked whether two objects are of the same class: of all records that a market writes, table by
// table, of its steps as checkers see them, and of the contexts of steps and of their calls.
import { setFlagsFromString } from "node:v8";
import { assert, describe, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import { openDriver } from "../../core/engine/driver.ts";
import type { StepContext } from "../../core/engine/step-context.ts";
import { callContextOf } from "../../core/engine/step-context.ts";
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import { market } from "../bench/sim.ts";

/** Records are made by few places of the code, of which each may have a class of its own. */
const CLASSES_MOST = 20;

setFlagsFromString("--allow-natives-syntax");
const isSameClass = new Function("one", "other", "return %HaveSameMap(one, other)") as IsSame;
type IsSame = (one: object, other: object) => boolean;

/** Classes by kind, as far as they are looked for. */
const seen = new Map<string, object[]>();

function note(kind: string, one: object): void {
  const classes = seen.get(kind) ?? [];
  if (classes.length > CLASSES_MOST || classes.some((other) => isSameClass(one, other))) return;
  seen.set(kind, [...classes, one]);
}

function noteContext(context: StepContext): void {
  note("context of a step", context);
  note(
    "context of a call",
    callContextOf(context, (number) => number),
  );
}

/** A market, whose network notes contexts and whose checker notes the rest. */
async function play(): Promise<void> {
  const network = { ...marketplace, reactions: [...marketplace.reactions, { to: "anything", act: noteContext }] };
  const backends = { ...openBackends(), openDriver: (options: object) => openDriver({ ...options, network } as never) };
  const scenario = market(12, 20, seconds(20), [
    () => ({
      name: "classes",
      onStep(step) {
        note("step", step);
        for (const { table, record } of step.changes)
          if (typeof record === "object" && record !== null) note(`record of ${table}`, record);
      },
    }),
  ]);
  await runScenario(scenario, { seed: 1n }, backends);
}

describe("hidden classes", () => {
  test("are few for each kind of what a market makes", async () => {
    await play();
    const many = [...seen].filter(([, classes]) => classes.length > CLASSES_MOST).map(([kind]) => kind);
    assert.deepEqual(many, []);
    assert.include([...seen.keys()], "record of address_claims");
    assert.include([...seen.keys()], "context of a call");
  });

  test("would be found where an object has one of its own", () => {
    const held = { a: 1, b: 2 };
    for (let more = 0; more <= 2 * CLASSES_MOST; more++) note("planted", { [`own-${more}`]: more, ...held });
    assert.isAbove(seen.get("planted")?.length ?? 0, CLASSES_MOST);
  });
});
