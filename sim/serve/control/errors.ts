/**
 * Why control refuses: codes of its own range, -33000 to -33099, which no node and no chain uses. A code keeps its
 * meaning for ever. Source: DESIGN section 6 "serve".
 */

/** Every refusal of a method, its code, and what it means for who called. */
export const controlErrors = {
  UNKNOWN_NODE: { code: -33_001, cause: "There is no node of this number, counted from 0, or it has left for good." },
  NODE_IS_DOWN: { code: -33_002, cause: "The node is down: sim_restart starts it." },
  NODE_IS_UP: { code: -33_003, cause: "The node is up already." },
  UNKNOWN_SNAPSHOT: { code: -33_004, cause: "There is no snapshot of this id: it was never taken, or was dropped." },
  TIME_IS_PAST: { code: -33_005, cause: "The network's time is later than that already, and never goes back." },
  REORG_TOO_DEEP: { code: -33_006, cause: "What the reorganization would replace is final." },
  NOT_IN_TIME: { code: -33_007, cause: "What was awaited did not come within the time given." },
  SCRIPT_FAILED: { code: -33_008, cause: "Somebody of the network could not do what was asked; the message says why." },
  TOO_MANY: { code: -33_009, cause: "A bound of the served network is reached; the message names it." },
  CODE_FAILED: { code: -33_010, cause: "A defect of the simulator; the message says what failed." },
  UNKNOWN_RECORD: { code: -33_011, cause: "Nothing of this name is there: no record, table, transaction or event." },
  NO_REQUEST: { code: -33_012, cause: "What was given as a request to a node is none; the message says why." },
  UNKNOWN_FAULT: { code: -33_013, cause: "There is no fault of this id: it was never told, or was cleared." },
  LAST_NODE: { code: -33_014, cause: "It is the last node of the network, which would be none without it." },
  NO_PORT: { code: -33_015, cause: "The port that the node would have cannot be listened at; the message says why." },
  UNKNOWN_SCENARIO: {
    code: -33_016,
    cause: "There is no scenario of this name, or its text is none; the message says why.",
  },
  UNFIT_SCENARIO: { code: -33_017, cause: "The scenario cannot be played in this network; the message says why." },
  NOT_SAVED: { code: -33_018, cause: "The state was not saved: there is no file for it, or the message says why." },
  NOT_REPLAYABLE: { code: -33_020, cause: "What happened cannot be played again; the message says why." },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly cause: string }>>;

export type ControlErrorName = keyof typeof controlErrors;

/** A refusal: its name, and one line about this case. */
export interface ControlFailure {
  readonly name: ControlErrorName;
  readonly message: string;
}

/** Standard codes of JSON-RPC that control answers as well. Source: JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
