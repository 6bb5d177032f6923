/**
 * What the page reads of control's answers. A test holds these types against the schemas of the methods.
 */

/** A whole number: exact also beyond what a double holds, where the browser can. */
export type Whole = number | bigint;

export interface NodeSeen {
  readonly node: number;
  readonly url: string;
  readonly up: boolean;
  readonly ready: boolean;
  readonly gossip_only: boolean;
  readonly ahead: Whole;
  readonly behind: Whole;
  readonly state_root: string;
  readonly statements_root: string;
}

export interface LinkSeen {
  readonly one: number;
  readonly other: number;
  readonly open: boolean;
  readonly cut: boolean;
}

export interface Topology {
  readonly now: Whole;
  readonly nodes: readonly NodeSeen[];
  readonly links: readonly LinkSeen[];
  readonly cuts: readonly { readonly groups: readonly (readonly number[])[]; readonly one_way: boolean }[];
  readonly latency: { readonly type: string };
  readonly loss: number;
}

export interface Status {
  readonly seed: string;
  readonly converged: boolean;
  readonly violations: readonly { readonly law: string; readonly message: string; readonly at: Whole }[];
}

export interface Time {
  readonly now: Whole;
  readonly factor: number | null;
}

export interface EventSeen {
  readonly number: Whole;
  readonly at: Whole;
  readonly node: number | null;
  readonly kind: string;
  readonly text: string;
  readonly client: boolean;
  readonly from: number | null;
  readonly about: readonly string[];
  readonly signature: string | null;
  readonly slot: Whole | null;
}

export interface Events {
  readonly newest: Whole;
  readonly events: readonly EventSeen[];
}

export interface BlockSeen {
  readonly slot: Whole;
  readonly level: string;
  readonly fork: number;
  readonly blockhash: string | null;
  readonly transactions: readonly {
    readonly signature: string;
    readonly error: string | null;
    readonly instructions: readonly string[];
  }[];
}

export interface Chain {
  readonly current: Whole;
  readonly stalled: boolean;
  readonly forks: number;
  readonly rivals: readonly { readonly fork: number; readonly after: Whole }[];
  readonly slots: readonly BlockSeen[];
}

export interface Transaction {
  readonly slot: Whole;
  readonly error: string | null;
  readonly instructions: readonly string[];
  readonly accounts: readonly string[];
  readonly logs: readonly string[];
}

export interface TableSeen {
  readonly table: string;
  readonly records: Whole;
}

export interface Keys {
  readonly total: Whole;
  readonly keys: readonly { readonly key: string; readonly label: string }[];
}

export interface Compared {
  readonly equal: boolean;
  readonly nodes: readonly { readonly node: number; readonly up: boolean; readonly record: string | null }[];
}

export interface Story {
  readonly id: string;
  readonly lines: readonly {
    readonly at: Whole;
    readonly text: string;
    readonly nodes: readonly { readonly node: number; readonly at: Whole; readonly from: number | null }[];
    readonly slot: Whole | null;
    readonly failed: boolean;
  }[];
  readonly shows: readonly { readonly node: number; readonly record: string; readonly state: string }[];
}

export interface SeededTrade {
  readonly settlement: string;
  readonly reservation: string;
}

/** The methods whose answers the page reads, and what it reads of each. */
export interface Answers {
  readonly sim_getTopology: Topology;
  readonly sim_getStatus: Status;
  readonly sim_getTime: Time;
  readonly sim_getEvents: Events;
  readonly sim_getBlocks: Chain;
  readonly sim_getTransaction: Transaction;
  readonly sim_getTables: readonly TableSeen[];
  readonly sim_getKeys: Keys;
  readonly sim_compareRecord: Compared;
  readonly sim_getStory: Story;
  readonly sim_seedTrade: SeededTrade;
}
