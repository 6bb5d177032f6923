/**
 * What the page of a network does: looks at it once a second while somebody sees the page, and hands what it saw to its
 * views. Source: DESIGN section 6 "serve".
 */
import type { Chain, Events, Status, Time, Topology } from "./answers.ts";
import type { Api } from "./api.ts";
import { Refusal } from "./api.ts";
import { drawChain } from "./chain-view.ts";
import { openFaultControls, openTimeControls, showState } from "./controls.ts";
import { at } from "./dom.ts";
import { openEventsView } from "./events-view.ts";
import { openNetworkView } from "./network-view.ts";
import { notice, openPage } from "./page.ts";
import { openRecordView } from "./record-view.ts";
import { openStoryView } from "./story-view.ts";
import { everyLook } from "./wall-clock.ts";

/** Slots and events of one look. */
const SLOTS = 24;
const EVENTS = 1_000;
const UNAUTHORIZED = 401;

/** A page that has begun. */
export interface Begun {
  /** Another network is asked from now on: what was seen of the one before is forgotten. */
  forget(): void;
}

/** Begins to look at the network that a client reaches. */
export function beginPage(api: Api): Begun {
  const state: { topology?: Topology; broken: boolean } = { broken: false };
  const drawn = { chain: "" };
  const view = openNetworkView(() => events.draw(view.chosen));
  const page = openPage(api, view, () => state.topology, look);
  const follow = openStoryView(page);
  const events = openEventsView(follow);
  openTimeControls(page);
  openFaultControls(page);
  openRecordView(page);
  at("event-kind").addEventListener("change", () => events.draw(view.chosen));
  page.bindForm("token", async () => api.bear(at<HTMLInputElement>("token-text").value));

  async function look(): Promise<void> {
    const results = await api.batch([
      { method: "sim_getTopology" },
      { method: "sim_getStatus" },
      { method: "sim_getTime" },
      { method: "sim_getBlocks", params: { limit: SLOTS } },
      { method: "sim_getEvents", params: { after: Number(events.newest()), limit: EVENTS } },
    ]);
    const [topology, status, time, chain, happened] = results as [Topology, Status, Time, Chain, Events];
    state.topology = topology;
    if (state.broken) notice("the network is reached again", false);
    state.broken = false;
    at("token").hidden = true;
    view.draw(topology);
    showState(topology, status, time, chain);
    drawChain(page, chain, drawn);
    events.take(happened);
    events.draw(view.chosen);
    document.body.dataset.looked = String(happened.newest);
  }

  everyLook(() =>
    look().catch((error: unknown) => {
      state.broken = true;
      at("token").hidden = !(error instanceof Refusal && error.status === UNAUTHORIZED);
      notice(error instanceof Error ? error.message : String(error), true);
    }),
  );
  return {
    forget() {
      drawn.chain = "";
      events.forget();
      view.choose([]);
      page.attempt(async () => undefined);
    },
  };
}
