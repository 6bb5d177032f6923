/**
 * The reference page of a node's API, drawn from /openrpc.json alone. Nothing here knows a method by name, except
 * that `send…` methods carry signed statements. Numbers are shown with the digits they came with.
 */

const byId = (id) => document.getElementById(id);
const state = { document: null, methods: [] };

/** The largest answer that is drawn in full, in characters. */
const ANSWER_LENGTH_MAX = 200_000;
const GROUP_NAMES = { get: "Read", send: "Send signed statements" };
const DATA_NOTICE = [
  "The parameter data is base64. Unless the description above says otherwise it holds a JSON statement that its author " +
    "has already signed: the fields in the protocol's order, and the signature in base58.",
  "A node never builds, completes or signs a statement, and neither does this page: take it from your wallet or SDK. " +
    "What is accepted is passed on to the whole network and cannot be taken back.",
];

/** Makes an element. Text is only ever set as text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

async function start() {
  try {
    const response = await fetch("/openrpc.json");
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    state.document = await response.json();
  } catch (error) {
    const retry = make("button", { type: "button", onclick: start }, "Try again");
    const message = `The description of this node could not be loaded: ${error.message}. `;
    byId("main").replaceChildren(make("p", { class: "notice", role: "alert" }, message), retry);
    return;
  }
  const { info = {}, methods = [] } = state.document;
  state.methods = methods;
  byId("title").textContent = info.title ?? "OpenFiat Node API";
  byId("version").textContent = info.version ?? "";
  list();
  show();
}

/** The methods that match the search, in groups of their first word. */
function list() {
  const wanted = byId("search").value.trim().toLowerCase().split(/\s+/);
  const text = (method) => `${method.name} ${method.summary ?? ""} ${method.description ?? ""}`.toLowerCase();
  const found = state.methods.filter((method) => wanted.every((word) => text(method).includes(word)));
  const groups = new Map();
  for (const method of found) {
    const word = /^[a-z]*/.exec(method.name)[0];
    groups.set(word, [...(groups.get(word) ?? []), method]);
  }
  const parts = [...groups].flatMap(([word, methods]) => [
    make("h2", {}, GROUP_NAMES[word] ?? word),
    make("ul", {}, ...methods.map((method) => make("li", {}, make("a", { href: `#${method.name}` }, method.name)))),
  ]);
  byId("list").replaceChildren(...parts);
  byId("found").textContent = `${found.length} of ${state.methods.length} methods`;
  mark();
}

function chosen() {
  const name = decodeURIComponent(location.hash.slice(1));
  return state.methods.find((method) => method.name === name);
}

function mark() {
  const name = chosen()?.name;
  for (const link of byId("list").querySelectorAll("a")) {
    if (link.textContent === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function show() {
  if (state.document === null || location.hash === "#main") return;
  const method = chosen();
  byId("main").replaceChildren(...(method === undefined ? overview() : reference(method)));
  mark();
  openMenu(false);
  scrollTo(0, 0);
}

function overview() {
  const { info = {} } = state.document;
  const body = '{"jsonrpc":"2.0","id":1,"method":"METHOD","params":{}}';
  const command = `curl -s ${endpoint()} -H 'content-type: application/json' -d '${body}'`;
  return [
    make("h1", {}, info.title ?? "OpenFiat Node API"),
    make("p", { class: "summary" }, info.description ?? ""),
    make("p", {}, "JSON-RPC 2.0 over HTTP. Every call is a POST to one address:"),
    make("pre", { class: "command" }, command),
    make("p", {}, "Changes are streamed over a WebSocket at ", make("code", {}, "/ws"), " as they become durable."),
    make("p", {}, "Choose one of the ", String(state.methods.length), " methods to read what it takes and to try it."),
    make("p", {}, make("a", { href: "/openrpc.json" }, "This description as an OpenRPC document")),
  ];
}

function reference(method) {
  const params = (method.params ?? []).map((param) => ({ ...param, schema: resolve(param.schema ?? {}) }));
  const parts = [
    make("h1", { class: "method-name" }, method.name),
    make("p", { class: "summary" }, method.summary ?? ""),
  ];
  if (method.deprecated === true) parts.push(make("p", { class: "notice" }, "This method is deprecated."));
  if (method.description) parts.push(make("p", {}, method.description));
  if (isSend(method)) {
    parts.push(make("div", { class: "notice" }, ...DATA_NOTICE.map((text) => make("p", {}, text))));
  }
  parts.push(make("h2", {}, "Parameters"), ...members(params));
  parts.push(make("h2", {}, "Result"), schemaBlock(resolve(method.result?.schema ?? {})));
  if ((method.errors ?? []).length > 0) parts.push(make("h2", {}, "Errors"), errorTable(method.errors));
  parts.push(make("h2", {}, "Try it"), ...trial(method, params));
  return parts;
}

function isSend(method) {
  return /^send[A-Z]/.test(method.name);
}

/** Follows references into the document. */
function resolve(schema, depth = 0) {
  if (typeof schema?.$ref !== "string" || depth > 8) return schema ?? {};
  const path = schema.$ref.replace(/^#\//, "").split("/");
  const target = path.reduce((at, name) => at?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], state.document);
  return resolve(target ?? {}, depth + 1);
}

/** The object that a call passes: the one parameter of that kind, or the parameters by name. */
function objectOf(params) {
  if (params.length === 1 && params[0].name === "params") return params[0].schema;
  const properties = Object.fromEntries(params.map((param) => [param.name, param.schema]));
  return { type: "object", properties, required: params.filter((param) => param.required).map((param) => param.name) };
}

function members(params) {
  const schema = objectOf(params);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [make("p", {}, "None.")];
  const rows = properties.map(([name, found]) => {
    const property = resolve(found);
    const need = (schema.required ?? []).includes(name) ? "required" : "optional";
    const cells = [make("code", {}, name), typeOf(property), need, property.description ?? ""];
    return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
  });
  const heads = ["Name", "Type", "", "Meaning"].map((text) => make("th", { scope: "col" }, text));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
  return [make("div", { class: "scroll" }, table)];
}

function errorTable(errors) {
  const rows = errors.map(resolve).map((error) => {
    const number = error.data?.ofsErrorCode ?? error.code ?? "";
    const cells = [make("code", {}, error.message ?? ""), String(number)];
    return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
  });
  const heads = ["Name", "Number"].map((text) => make("th", { scope: "col" }, text));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}

function typeOf(schema) {
  const options = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(options)) return options.map((option) => typeOf(resolve(option))).join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(", ");
  if (schema.type === "array") return `array of ${typeOf(resolve(schema.items ?? {}))}`;
  return [schema.type ?? "any"].flat().join(" or ") + (schema.format ? ` (${schema.format})` : "");
}

function schemaBlock(schema) {
  const empty = Object.keys(schema).length === 0;
  return empty ? make("p", {}, "Any JSON value.") : make("pre", {}, ...tokens(JSON.stringify(schema)));
}

function trial(method, params) {
  const input = make("textarea", { id: "params", spellcheck: "false", autocapitalize: "off" });
  input.value = indented(JSON.stringify(example(objectOf(params))));
  const status = make("p", { class: "status", role: "status" });
  const output = make("pre", { id: "answer", hidden: "", tabindex: "0", "aria-label": "Answer" });
  const button = make("button", { type: "button", id: "call" }, `Call ${method.name}`);
  const call = () => void send(method, input.value, { button, status, output });
  button.addEventListener("click", call);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) call();
  });
  const label = make("label", { class: "field-name", for: "params" }, "params, as JSON");
  return [
    ...(isSend(method) ? [encoder(input)] : []),
    label,
    input,
    make("div", { class: "buttons" }, button),
    status,
    output,
  ];
}

/** Turns a signed statement into `data`; for those who have the JSON and not yet its base64. */
function encoder(input) {
  const statement = make("textarea", { id: "statement", spellcheck: "false", placeholder: '{ …, "signature": "…" }' });
  const encode = () => {
    const bytes = new TextEncoder().encode(statement.value.trim());
    const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    input.value = indented(JSON.stringify({ data: btoa(binary) }));
  };
  const button = make("button", { type: "button", class: "quiet", onclick: encode }, "Put it into data");
  const label = make("label", { class: "field-name", for: "statement" }, "Signed statement, as JSON");
  const buttons = make("div", { class: "buttons" }, button);
  return make("details", {}, make("summary", {}, "I have the signed statement as JSON"), label, statement, buttons);
}

/** A value that shows the shape: required members only. */
function example(found, depth = 0) {
  const schema = resolve(found);
  if (schema.example !== undefined) return schema.example;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const option = (schema.oneOf ?? schema.anyOf ?? [])[0];
  if (option !== undefined && depth < 6) return example(option, depth + 1);
  const type = [schema.type].flat()[0];
  if (type === "object" || schema.properties !== undefined) {
    const names = depth < 6 ? (schema.required ?? []) : [];
    return Object.fromEntries(names.map((name) => [name, example(schema.properties?.[name] ?? {}, depth + 1)]));
  }
  return { array: [], integer: 0, number: 0, boolean: false, string: "" }[type] ?? null;
}

function endpoint() {
  const written = new URL(state.document.servers?.[0]?.url ?? "/rpc", location.href);
  return written.origin === location.origin ? written.href : new URL("/rpc", location.href).href;
}

async function send(method, params, { button, status, output }) {
  const fail = (text) => {
    status.className = "status bad";
    status.textContent = text;
  };
  output.hidden = true;
  try {
    JSON.parse(params);
  } catch (error) {
    return fail(`params is not JSON: ${error.message}`);
  }
  button.disabled = true;
  status.className = "status";
  status.textContent = "Waiting for the node…";
  const began = performance.now();
  try {
    const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method.name)},"params":${params}}`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(endpoint(), { method: "POST", headers, body });
    const text = await response.text();
    const error = errorOf(text);
    const time = `HTTP ${response.status}, ${Math.round(performance.now() - began)} ms`;
    if (error === undefined && response.ok) {
      status.className = "status good";
      status.textContent = `Answered (${time})`;
    } else fail(`Refused: ${error ?? "the node sent no answer"} (${time})`);
    output.replaceChildren(...tokens(text.slice(0, ANSWER_LENGTH_MAX)));
    if (text.length > ANSWER_LENGTH_MAX) output.append(`\n… ${text.length - ANSWER_LENGTH_MAX} more characters`);
    output.hidden = false;
  } catch (error) {
    fail(`The node could not be reached: ${error.message}`);
  } finally {
    button.disabled = false;
  }
}

function errorOf(text) {
  try {
    return JSON.parse(text).error?.message;
  } catch {
    return undefined;
  }
}

/** Lays JSON out over lines without reading its values, so that long numbers keep their digits. */
function indented(text) {
  let depth = 0;
  const open = (mark) => `${mark}\n${"  ".repeat(++depth)}`;
  const close = (mark) => `\n${"  ".repeat(--depth)}${mark}`;
  return text.replace(/"(?:\\.|[^"\\])*"|\{\}|\[\]|[{[]|[}\]]|,|:|\s+/g, (token) => {
    if (token === "{" || token === "[") return open(token);
    if (token === "}" || token === "]") return close(token);
    if (token === ",") return `,\n${"  ".repeat(depth)}`;
    if (token === ":") return ": ";
    return /^\s/.test(token) ? "" : token;
  });
}

function tokens(text) {
  const parts = indented(text).split(/("(?:\\.|[^"\\])*"(?:: )?|-?\d[\d.eE+-]*)/);
  return parts.map((part) => {
    if (part.endsWith('": ')) return make("span", { class: "token-name" }, part);
    if (part.startsWith('"')) return make("span", { class: "token-text" }, part);
    return /^-?\d/.test(part) ? make("span", { class: "token-number" }, part) : part;
  });
}

function openMenu(open) {
  document.body.classList.toggle("menu-open", open);
  byId("menu").setAttribute("aria-expanded", String(open));
}

byId("search").addEventListener("input", list);
byId("menu").addEventListener("click", () => openMenu(!document.body.classList.contains("menu-open")));
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") openMenu(false);
  if (event.key !== "/" || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  openMenu(true);
  byId("search").focus();
});
void start();
