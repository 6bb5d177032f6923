/**
 * People who publish whatever can be published: a statement of a given type with random content, made plausible enough
 * to be taken now and then. It follows the schemas, so a new type is published the moment a method takes it; what a
 * type's own checks want beyond that stands in `plausiblePayloads`. Source: protocol 01 §4, §11.
 */
import type { Infer, Schema, SignedType } from "../../core/index.ts";
import { methods } from "../../core/index.ts";
import { small } from "../../core/testing.ts";
import { may } from "../data/optional.ts";
import { Name } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Stream } from "../random.ts";
import { below, openStream } from "../random.ts";
import type { Scene } from "../scene.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { Actor } from "./actor.ts";
import { drawing, prepareDrawing } from "./drawing.ts";
import { observedBy } from "./observed-statements.ts";
import type { When } from "./trade-terms.ts";

/** How often somebody tries to publish something that is taken. Source: DESIGN "Simulated world". */
const TRIES = 4;
const Tries = small(8, { least: 1, most: TRIES });
/** A send and one of the types that it takes; and what is chosen of what the type lets people choose from. */
export interface Publication {
  readonly method: string;
  readonly type: SignedType;
  /** A name of one of its enumerations; absent, chance chooses. */
  readonly choice?: string;
}

/** Everything that can be published, in the order of the method table. */
export function publications(): readonly Publication[] {
  return Object.entries(methods).flatMap(([method, row]) =>
    (row.mutation?.signed ?? []).map((type) => ({ method, type: type as SignedType })),
  );
}

/** A publication for each name that its type lets people choose, or itself where there is nothing to choose. */
export function choicesOf(publication: Publication): readonly Publication[] {
  const names = [...chosenMembers(publication.type)].flatMap(([, some]) => some);
  return names.length === 0 ? [publication] : names.map((choice) => ({ ...publication, choice }));
}

export const publishForms = {
  publish: actionForm("publish", { method: Name, type: Name, choice: may(Name), tries: may(Tries) }),
};

type Publish = Infer<(typeof publishForms)["publish"]>;

/** Publishes a statement of a type; a node that refuses it is asked again with another, so many times at most. */
export function publish(actor: string, { method, type, choice }: Publication, when: When, tries?: number): Publish {
  const chosen = { ...(choice !== undefined && { choice }), ...(tries !== undefined && { tries }) };
  return { method, type: type.name, ...chosen, ...begins("publish", actor, when) };
}

export const publishRows: ActionRows<typeof publishForms> = {
  publish: {
    title: ({ type, choice }) => (choice === undefined ? `publish ${type}` : `publish ${type} ${choice}`),
    check(action) {
      const publication = publicationOf(action);
      if (publication === undefined) return `${action.method} takes no ${action.type}`;
      const isChoice =
        action.choice === undefined || choicesOf(publication).some(({ choice }) => choice === action.choice);
      return isChoice ? undefined : `${action.type} has no ${action.choice} to choose`;
    },
    prepare: prepareDrawing,
    *run(person, scene, action) {
      const publication = publicationOf(action);
      if (publication === undefined) throw new Error("bug: a publication that no method takes was not refused");
      const { actor, at, method, choice, tries = TRIES } = action;
      const { type } = publication;
      const stream = openStream(scene.world.seed, `publish/${actor}/${type.name}/${at}`);
      for (let n = 0; n < tries; n++) {
        const data = scene.witness(() => {
          const drawn = drawing().payloadOf(type, actorOf(person, scene, stream, n), n);
          const payload = choice === undefined ? drawn : { ...drawn, ...chosenIn(type, choice) };
          return person.wallet.data(type, payload as never, formOf(stream, n));
        });
        const answer = yield* person.ask(method, { data });
        if (answer.type !== "refused") return;
      }
    },
  },
};

function publicationOf({ method, type }: Pick<Publish, "method" | "type">): Publication | undefined {
  return publications().find((one) => one.method === method && one.type.name === type);
}

/** Members that are one of a few names each, with their names. */
function* chosenMembers({ payload }: SignedType): Generator<readonly [string, readonly string[]]> {
  for (const [name, { shape }] of Object.entries<Schema<unknown>>(payload.fields))
    if (shape.type === "enumeration") yield [name, shape.names];
}

function chosenIn(type: SignedType, choice: string): Readonly<Record<string, string>> {
  const members = [...chosenMembers(type)].filter(([, names]) => names.includes(choice));
  return Object.fromEntries(members.map(([name]) => [name, choice]));
}

function formOf(stream: Stream, n: number): "bare" | "tagged" {
  return below(stream, 10 + n, 2) === 0 ? "bare" : "tagged";
}

function actorOf(person: Person, scene: Scene, stream: Stream, n: number): Actor {
  return {
    wallet: person.wallet,
    now: person.now(),
    people: [...scene.world.people()],
    observed: observedBy(scene.world, person.via),
    view: scene.world.nodes[person.via]?.driver()?.view,
    crypto: scene.world.crypto,
    stream,
    fresh: below(stream, 20 + n, 1 << 30),
  };
}
