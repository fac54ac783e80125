/** Header operations of an override: which headers of an upstream request are set, copied from the client or left out, and which never are. */
import { OverrideProblem } from "../../../../contract/src/channels/override-reader.ts";
import { OVERRIDE_BOUNDS, type OverrideOperation } from "../../../../contract/src/channels/overrides.ts";
import type { JsonPath } from "../../../../contract/src/options/json-places.ts";
import { isFields, OverrideFault } from "./work.ts";

/**
 * Headers in which clients send their key of this gateway, or a session of its console. No rule reads them: an administrator who may edit a channel
 * would get every caller's key sent to an address of his choice.
 */
const CREDENTIALS: ReadonlySet<string> = new Set(
  "authorization proxy-authorization cookie x-api-key api-key x-goog-api-key mj-api-secret sec-websocket-protocol".split(
    " ",
  ),
);

/** Headers of one connection (RFC 9110, section 7.6.1), of the body's length and coding, and of this gateway itself: no rule sets or removes them. */
const OWN: ReadonlySet<string> = new Set(
  (
    "connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade " +
    "host content-length content-encoding accept-encoding expect turnpike-hops"
  ).split(" "),
);

const isOwn = (name: string): boolean => OWN.has(name) || name.startsWith("sec-websocket-");

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What a rule may write. */
const WRITTEN = /^[\t\x20-\x7e]*$/;
/** Visible characters of Latin-1, blanks and tabs (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** The name in lower case. Throws OverrideProblem for what no header is called. */
function headerName(text: string, place: JsonPath): string {
  const name = text.trim().toLowerCase();
  if (!NAME.test(name) || name.length > OVERRIDE_BOUNDS.pathCharacters) throw new OverrideProblem("header_name", place);
  return name;
}

/** The name of a header that may be set or removed. Throws OverrideProblem. */
export function targetName(text: string, place: JsonPath): string {
  const name = headerName(text, place);
  if (isOwn(name)) throw new OverrideProblem("header_own", place);
  return name;
}

/** The name of a header of the client that may be read. Throws OverrideProblem. */
export function sourceName(text: string, place: JsonPath): string {
  const name = headerName(text, place);
  if (CREDENTIALS.has(name)) throw new OverrideProblem("header_secret", place);
  return name;
}

/** Headers of a request that rules may read, by their names in lower case. */
export function readableHeaders(
  sent: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const readable = Object.entries(sent).flatMap(([name, value]) => {
    if (value === undefined || CREDENTIALS.has(name) || isOwn(name)) return [];
    return [[name, typeof value === "string" ? value : value.join(", ")] as const];
  });
  return Object.fromEntries(readable);
}

/** What a rule put in a header: of a template the placeholders are filled when the request is made. */
interface HeaderText {
  readonly text: string;
  readonly isTemplate: boolean;
}

/** Headers are flat lists of names and values, as they are sent. */
type Headers = readonly string[];

/** The headers of one upstream request while rules change them. */
export class HeaderChanges {
  readonly #headers: Headers;
  readonly #client: Readonly<Record<string, string>>;
  /** By name; null for one that is left out. */
  readonly #changes = new Map<string, HeaderText | null>();

  /** @param client readable headers of the client's request */
  constructor(headers: Headers, client: Readonly<Record<string, string>>) {
    this.#headers = headers;
    this.#client = client;
  }

  /** What conditions read as `header_override`: what rules set so far, without keys. */
  get changed(): Record<string, string> {
    const texts = [...this.#changes].flatMap(([name, made]) =>
      made === null || CREDENTIALS.has(name) ? [] : [[name, made.text] as const],
    );
    return Object.fromEntries(texts);
  }

  /** The header as rules read it: what one of them set, else the client's. What the gateway sends of its own may be a key. */
  read(name: string): string | undefined {
    const made = this.#changes.get(name);
    return made === undefined ? this.#client[name] : made?.text;
  }

  /** True where the header goes to the upstream as things stand. */
  has(name: string): boolean {
    const made = this.#changes.get(name);
    if (made !== undefined) return made !== null;
    return this.#headers.some((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  }

  /** Sets a header; a blank one is left out. Throws OverrideFault for what no header can hold. */
  set(name: string, text: string, isTemplate = false): void {
    const trimmed = text.trim();
    if (!VALUE.test(trimmed) || trimmed.length > OVERRIDE_BOUNDS.headerCharacters)
      throw new OverrideFault(`the text for ${name} is none that a header can hold`);
    this.#changes.set(name, trimmed === "" ? null : { text: trimmed, isTemplate });
  }

  remove(name: string): void {
    this.#changes.set(name, null);
  }

  /** The headers to send; `apiKey` is the channel's. */
  applied(apiKey: string): string[] {
    if (this.#changes.size === 0) return [...this.#headers];
    const kept = this.#headers.filter(
      (_, index) => !this.#changes.has((this.#headers[index - (index % 2)] ?? "").toLowerCase()),
    );
    const set = [...this.#changes].flatMap(([name, made]) => {
      if (made === null) return [];
      const text = made.isTemplate ? this.#filled(made.text, apiKey).trim() : made.text;
      return text === "" ? [] : [name, text];
    });
    return [...kept, ...set];
  }

  #filled(template: string, apiKey: string): string {
    return template.replace(PLACEHOLDER, (_, header: string | undefined) =>
      header === undefined ? apiKey : (this.#client[header.trim().toLowerCase()] ?? ""),
    );
  }
}

/** `{api_key}` is the channel's key, `{client_header:X-Trace}` a header of the client. */
const PLACEHOLDER = /\{(?:api_key|client_header:([^{}]*))\}/g;

/** Throws OverrideProblem for a placeholder of a header that no rule reads, and for a text that no header can hold. */
function checkTemplate(text: string, place: JsonPath): string {
  if (!WRITTEN.test(text)) throw new OverrideProblem("header_value", place);
  if (text.length > OVERRIDE_BOUNDS.headerCharacters) throw new OverrideProblem("long", place);
  for (const [, header] of text.matchAll(PLACEHOLDER)) if (header !== undefined) sourceName(header, place);
  return text;
}

const itemsOf = (list: string): string[] =>
  list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Items of a comma-separated header: a text, a list of texts, or null for none. Throws OverrideProblem. */
function readItems(value: unknown, place: JsonPath): readonly string[] {
  if (value === null || value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((each) => {
    if (isFields(each) || Array.isArray(each)) throw new OverrideProblem("text", place);
    const text = String(each);
    if (!WRITTEN.test(text)) throw new OverrideProblem("header_value", place);
    return itemsOf(text);
  });
}

/** The items that new-api's mapping makes of those of a header: replaced by name, `*` for all others, and what is appended. */
function mappingOf(value: Record<string, unknown>, place: JsonPath): (items: readonly string[]) => readonly string[] {
  const { $append, $keep_only_declared, ...rest } = value;
  if (Object.keys(value).length === 0) throw new OverrideProblem("needed", place);
  if ($keep_only_declared !== undefined && typeof $keep_only_declared !== "boolean")
    throw new OverrideProblem("boolean", [...place, "$keep_only_declared"]);
  const appended = readItems($append, [...place, "$append"]);
  const replaced = new Map(
    Object.entries(rest).map(([item, becomes]) => [item.trim(), readItems(becomes, [...place, item])] as const),
  );
  const others = $keep_only_declared === true ? [] : replaced.get("*");
  return (items) => [...new Set([...items.flatMap((item) => replaced.get(item) ?? others ?? [item]), ...appended])];
}

/** Sets the header of one operation. */
export type HeaderRule = (headers: HeaderChanges) => boolean;

export function setHeader({ path, value, keepOrigin }: OverrideOperation, place: JsonPath): HeaderRule {
  const name = targetName(path, [...place, "path"]);
  const at = [...place, "value"];
  if (isFields(value)) {
    const map = mappingOf(value, at);
    sourceName(name, [...place, "path"]);
    return (headers) => {
      if (keepOrigin && headers.has(name)) return false;
      headers.set(name, map(itemsOf(headers.read(name) ?? "")).join(","));
      return true;
    };
  }
  if (Array.isArray(value)) throw new OverrideProblem("text", at);
  const text = checkTemplate(String(value), at);
  return (headers) => {
    if (keepOrigin && headers.has(name)) return false;
    headers.set(name, text, true);
    return true;
  };
}

export function deleteHeader({ path }: OverrideOperation, place: JsonPath): HeaderRule {
  const name = targetName(path, [...place, "path"]);
  return (headers) => {
    headers.remove(name);
    return true;
  };
}

function copied(headers: HeaderChanges, from: string, to: string, keepOrigin: boolean): boolean {
  const text = headers.read(from);
  if (text === undefined || text.trim() === "") return false;
  if (!(keepOrigin && headers.has(to))) headers.set(to, text);
  return true;
}

/** A header that the client did not send is not copied. */
export function copyHeader({ from, to, keepOrigin, mode }: OverrideOperation, place: JsonPath): HeaderRule {
  const source = sourceName(from, [...place, "from"]);
  const target = targetName(to, [...place, "to"]);
  return (headers) => {
    const isCopied = copied(headers, source, target, keepOrigin);
    if (isCopied && mode === "move_header" && source !== target) headers.remove(source);
    return isCopied;
  };
}

/** Names as a list, a comma-separated text, JSON in a text, or an object with one of these as `headers`, `names` or `header`. */
function namesIn(value: unknown, place: JsonPath): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown, index) => namesIn(each, [...place, index]));
  if (isFields(value))
    return ["headers", "names", "header"].flatMap((name) =>
      value[name] === undefined ? [] : namesIn(value[name], [...place, name]),
    );
  if (typeof value !== "string") throw new OverrideProblem("text", place);
  if (!/^\s*[[{]/.test(value)) return itemsOf(value);
  try {
    return namesIn(JSON.parse(value), place);
  } catch (error) {
    if (error instanceof OverrideProblem) throw error;
    throw new OverrideProblem("list", place);
  }
}

export function passHeaders({ value, keepOrigin }: OverrideOperation, place: JsonPath): HeaderRule {
  const at = [...place, "value"];
  const named = namesIn(value, at);
  const { headerNames: most } = OVERRIDE_BOUNDS;
  if (named.length === 0) throw new OverrideProblem("needed", at);
  if (named.length > most) throw new OverrideProblem("too_many", at, { maximum: most });
  const names = [...new Set(named.map((name) => targetName(sourceName(name, at), at)))];
  return (headers) => names.filter((name) => copied(headers, name, name, keepOrigin)).length > 0;
}
