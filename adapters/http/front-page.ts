/**
 * GET /: a page of whoever opened the server, the same for everybody. It bears no secret, so it is served also where
 * calls want credentials: the page is where these are given.
 */
import type { FastifyInstance } from "fastify";
import type { FixedText } from "./fixed-text.ts";
import { fixedText, sendFixedText } from "./fixed-text.ts";
import type { OwnPage } from "./own-page.ts";

/** The path of the page. */
export const FRONT_PATH = "/";

/** Adds the route; the page is made when it is first asked for. */
export function addFrontPage(app: FastifyInstance, open: () => Promise<OwnPage>): void {
  let made: Promise<FixedText> | undefined;
  const make = async (): Promise<FixedText> => {
    const { html, headers } = await open();
    return fixedText("text/html; charset=utf-8", html, headers);
  };
  app.get(FRONT_PATH, async (request, reply) => {
    made ??= make();
    sendFixedText(await made, request, reply);
    return reply;
  });
}
