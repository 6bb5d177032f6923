/**
 * Content: blocks that a node keeps, lacks, and gives to its peers. Source: protocol 02 G.
 */

import { defineDomain } from "../../../engine/domain.ts";
import { onChangeOf } from "../../../engine/step-context.ts";
import { Peers } from "../../../network/peers/peers.ts";
import { Claims } from "../../identity/tables.ts";
import { Settlements } from "../../trade/settlements/tables.ts";
import { Attachments } from "../attachments/tables.ts";
import { contentRound, onContentAnswer, onContentRequest, startContent, wantContent } from "./exchange.ts";
import { contentMethods } from "./methods.ts";
import { OFS_CONTENT } from "./schema.ts";
import { Blocks, Rounds, Serving, Unlisted, Usages, Wants } from "./tables.ts";

export const content = defineDomain({
  name: "content",
  tables: [Blocks, Wants, Unlisted, Usages, Rounds, Serving],
  methods: contentMethods,
  onStart: [startContent],
  onChange: [onChangeOf([Attachments, Settlements, Claims, Peers], wantContent)],
  timers: { content: contentRound },
  onRequest: { [OFS_CONTENT]: onContentRequest },
  onAnswer: { content: onContentAnswer },
});
