/**
 * Goal: every list that a read answers has an order of its own: nodes that heard the same in another order, or started
 * again, answer the same text, and each sort is what makes them (DESIGN L2; CONVERGENCE "Records and ids").
 * Method: a fold over the lists in the results of the method table, each with several entries, so that a new one is
 * tried without being asked for; the same answers and memories with every sort left out; each order, written down.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../core/kernel/state.ts";
import { compareText } from "../../core/kernel/text.ts";
import { answer } from "../convergence/answers.ts";
import type { Place } from "./lists.ts";
import { listReads, listsOf, places } from "./lists.ts";
import { memoriesOf } from "./memories.ts";
import { goldenOrders, indexedPlaces, shortPlaces, unsortedPlaces } from "./orders.ts";
import type { Question } from "./questions.ts";
import { questionsAbout } from "./questions.ts";
import { story } from "./story.ts";

const memories = memoriesOf(story);
const [straight] = Object.values(memories) as [Store, ...Store[]];
const questions = questionsAbout(story, straight);
const unsorted = [...unsortedPlaces.values()].flat();
/** Lists that come in the same order from every node, whatever sorts them. */
const steady = [...unsorted, ...indexedPlaces];

/** Runs it with every sort left out: what it then answers follows what was heard first. */
function withoutSorts<T>(run: () => T): T {
  const { sort, toSorted } = Array.prototype;
  try {
    Array.prototype.sort = function left() {
      return this;
    };
    Array.prototype.toSorted = function left() {
      return [...this];
    };
    return run();
  } finally {
    Object.assign(Array.prototype, { sort, toSorted });
  }
}

/** Lists that two answers hold in another order. */
function movedBetween(one: string, other: string, method: string): readonly Place[] {
  const [left, right] = [listsOf(method, one), listsOf(method, other)];
  return [...left].flatMap(([place, lists]) =>
    lists.some((list) => right.get(place)?.some((again) => isReordered(list, again))) ? [place] : [],
  );
}

function isReordered(list: readonly string[], again: readonly string[]): boolean {
  return list.join() !== again.join() && inOrder(list) === inOrder(again);
}

function inOrder(list: readonly string[]): string {
  return [...list].sort(compareText).join();
}

/** The answers of some memories to a question, without the sorts where it says so. */
function answersOf(stores: readonly Store[], question: Question, sorts = true): readonly string[] {
  const told = () => stores.map((store) => answer(store, question) ?? "{}");
  return sorts ? told() : withoutSorts(told);
}

describe("nodes that heard the same answer the same text", () => {
  const stores = Object.values(memories);
  test.each(listReads)("%s", (method) => {
    const asked = questions.filter((question) => question.method === method);
    expect(asked).not.toEqual([]);
    for (const question of asked) {
      const [first, ...others] = answersOf(stores, question);
      for (const other of others) expect(other, question.body).toBe(first);
    }
  });
});

describe("the order of every list is decided", () => {
  const longest = new Map<Place, readonly string[]>();
  const moved = new Set<Place>();
  const sizeOf = (place: Place) => new Set(longest.get(place)).size;
  beforeAll(() => {
    // What the fold puts in order shows in memories that were folded without it.
    const formless = withoutSorts(() => Object.values(memoriesOf(story)));
    for (const question of questions) {
      const { method } = question;
      for (const [place, lists] of listsOf(method, answer(straight, question) ?? "{}"))
        for (const list of lists) if (new Set(list).size > sizeOf(place)) longest.set(place, list);
      for (const told of [answersOf(Object.values(memories), question, false), answersOf(formless, question)]) {
        const [first = "", ...others] = told;
        for (const other of others) for (const place of movedBetween(first, other, method)) moved.add(place);
      }
    }
  });

  test("each list is sorted, or is named with what decides its order", () => {
    const named = [...steady, ...Object.keys(shortPlaces)];
    expect(new Set(named).size).toBe(named.length);
    expect(named.filter((place) => !places.includes(place))).toEqual([]);
  });

  test.each(places.filter((place) => !(place in shortPlaces)))("%s has several entries", (place) => {
    expect(sizeOf(place)).toBeGreaterThan(1);
  });

  test.each(places.filter((place) => !(place in shortPlaces)))("%s follows its sort, if it has one", (place) => {
    expect(moved.has(place)).toBe(!steady.includes(place));
  });

  test.each(places.filter((place) => !(place in shortPlaces || unsorted.includes(place))))(
    "%s keeps its order",
    (place) => {
      const list = longest.get(place) ?? [];
      const byText = [...list].sort(compareText);
      expect(list.map((entry) => byText.indexOf(entry)).join(" ")).toBe(goldenOrders[place]);
    },
  );
});
