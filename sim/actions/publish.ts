/**
 * People who publish whatever can be published: a statement of a given type with random content, made plausible enough
 * to be taken now and then. It follows the schemas, so a new type is published the moment a method takes it; what a
 * type's own checks want beyond that stands in `plausiblePayloads`. Source: protocol 01 §4, §11.
 */
import type { Infer, SignedType } from "../../core/index.ts";
import { methods } from "../../core/index.ts";
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
/** A send and one of the types that it takes. */
export interface Publication {
  readonly method: string;
  readonly type: SignedType;
}

/** Everything that can be published, in the order of the method table. */
export function publications(): readonly Publication[] {
  return Object.entries(methods).flatMap(([method, row]) =>
    (row.mutation?.signed ?? []).map((type) => ({ method, type: type as SignedType })),
  );
}

export const publishForms = { publish: actionForm("publish", { method: Name, type: Name }) };

type Publish = Infer<(typeof publishForms)["publish"]>;

/** Publishes a statement of a type; a node that refuses it is asked again with another. */
export function publish(actor: string, { method, type }: Publication, when: When): Publish {
  return { ...begins("publish", actor, when), method, type: type.name };
}

export const publishRows: ActionRows<typeof publishForms> = {
  publish: {
    title: ({ type }) => `publish ${type}`,
    check: (action) => (publicationOf(action) === undefined ? `${action.method} takes no ${action.type}` : undefined),
    prepare: prepareDrawing,
    *run(person, scene, action) {
      const publication = publicationOf(action);
      if (publication === undefined) throw new Error("bug: a publication that no method takes was not refused");
      const { actor, at, method } = action;
      const { type } = publication;
      const stream = openStream(scene.world.seed, `publish/${actor}/${type.name}/${at}`);
      for (let n = 0; n < TRIES; n++) {
        const data = scene.witness(() => {
          const payload = drawing().payloadOf(type, actorOf(person, scene, stream, n), n);
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
