/**
 * Pages of ours in a real browser: opened, what their console tells and what they ask for, closed after the test. And
 * what holds for each of them before any browser sees it: one document, under a policy that names its own parts.
 */
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { OwnPage } from "../adapters/http/own-page.ts";

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run " +
  "--disable-background-networking --disable-component-update --disable-sync";

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface Visit {
  readonly page: Page;
  /** What the console told, refusals of the content policy included. */
  readonly errors: string[];
  /** What was asked for: paths below the site, URLs of others. */
  readonly asked: Set<string>;
}

export interface VisitOptions {
  readonly path?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly dark?: boolean;
  /** Without any network. */
  readonly offline?: boolean;
}

export interface Visitor {
  /** The browser, once the tests run. */
  readonly browser: () => Browser;
  /** Opens a page of a site, by the URL that its paths begin with. */
  visit(site: string, options?: VisitOptions): Promise<Visit>;
}

/** A browser for the tests of a suite. */
export function openVisitor(executablePath: string): Visitor {
  const opened: { browser?: Browser } = {};
  const pages: Page[] = [];
  const browser = (): Browser => {
    if (opened.browser === undefined) throw new Error("the browser is there while tests run");
    return opened.browser;
  };
  beforeAll(async () => {
    opened.browser = await chromium.launch({ executablePath, args: FLAGS.split(" "), timeout: 0 });
  });
  afterAll(() => browser().close());
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close()));
  });
  return {
    browser,
    async visit(site, { path = "", viewport = DESKTOP, dark = false, offline = false } = {}) {
      const page = await browser().newPage({ viewport, colorScheme: dark ? "dark" : "light", offline });
      page.setDefaultTimeout(0);
      pages.push(page);
      const errors: string[] = [];
      const asked = new Set<string>();
      page.on("console", (message) => errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("request", (request) => asked.add(request.url().replace(site, "")));
      await page.goto(`${site}${path}`);
      return { page, errors, asked };
    },
  };
}

/** Holds a page to be one document with no resource from elsewhere, no inline handler and a strict policy. */
export function expectOwnDocument({ html, headers }: OwnPage): void {
  expect(html).not.toMatch(/<(link|img|iframe)[^>]*(https?:)?\/\/|<script[^>]+src=/);
  expect(html).not.toMatch(/\son\w+=|\sstyle=/);
  const policy = headers["content-security-policy"];
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
}
