/** A logged request as text: compact JSON, and a curl command that repeats it. Pure. */
import type { LogRow } from "./log-row.ts";
import type { Receipt } from "./receipt.ts";

const INDENT = "  ";

const entriesOf = (value: object): [name: string | undefined, value: unknown][] =>
  Array.isArray(value) ? value.map((each: unknown) => [undefined, each]) : Object.entries(value);

const named = (name: string | undefined, text: string): string =>
  name === undefined ? text : `${JSON.stringify(name)}: ${text}`;

/** On one line, with the spaces people set: { "modality": "TEXT", "tokenCount": 60 }. */
function onOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = entriesOf(value).map(([name, each]) => named(name, onOneLine(each)));
  if (Array.isArray(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** @param room characters left on the first line, behind what stands before the value */
function broken(value: unknown, indent: string, room: number, width: number): string {
  // Spaces are the first to go.
  const lines = [onOneLine(value), JSON.stringify(value) ?? "null"];
  const line = lines.find(({ length }) => length <= room) ?? lines[0] ?? "null";
  if (typeof value !== "object" || value === null || (indent !== "" && line.length <= room)) return line;
  const inner = indent + INDENT;
  const parts = entriesOf(value).map(([name, each]) => {
    const before = named(name, "");
    return `${inner}${before}${broken(each, inner, width - inner.length - before.length - 1, width)}`;
  });
  if (parts.length === 0) return line;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/**
 * The value as JSON text that still parses; the outermost object is always broken.
 * @param width characters a line has room for
 */
export const compactJson = (value: unknown, width: number): string => broken(value, "", width, width);

/** The console's own address of a call, and the one a token may call instead. */
const PLAYGROUND = /^\/pg\//;
const USUAL_ENDPOINT = "/v1/chat/completions";

const SAMPLE = "Hello";

type Body = Readonly<Record<string, unknown>>;

/** The smallest body each endpoint takes beside its model, by the end of its path. */
const BODIES: readonly [RegExp, Body][] = [
  [/\/chat\/completions$/, { messages: [{ role: "user", content: SAMPLE }] }],
  [/\/messages(\/count_tokens)?$/, { max_tokens: 1024, messages: [{ role: "user", content: SAMPLE }] }],
  [/\/responses$/, { input: SAMPLE }],
  [/\/completions$/, { prompt: SAMPLE }],
  [/\/(embeddings|moderations)$/, { input: SAMPLE }],
  [/\/images\/generations$/, { prompt: SAMPLE }],
  [/\/audio\/speech$/, { input: SAMPLE, voice: "alloy" }],
  [/\/rerank$/, { query: SAMPLE, documents: [SAMPLE] }],
  [/:(stream)?generateContent$/i, { contents: [{ parts: [{ text: SAMPLE }] }] }],
];

/** Endpoints whose path names the model, and whether they stream. */
const isNamedByPath = (path: string): boolean => path.includes(":");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export interface CurlCall {
  command: string;
  /** The log does not know where the call came in: the usual address stands there. */
  isGuessed: boolean;
  /** The endpoint takes files or a connection, which no command of one line has. */
  isPossible: boolean;
}

/** @param origin of the gateway: "https://api.example.com" */
export function curlOf(row: LogRow, receipt: Receipt, origin: string): CurlCall {
  const path = (receipt.endpoint ?? USUAL_ENDPOINT).replace(PLAYGROUND, "/v1/");
  const body = BODIES.find(([pattern]) => pattern.test(path))?.[1];
  const named = isNamedByPath(path) ? {} : { model: row.model_name };
  const streams = row.is_stream && !isNamedByPath(path) ? { stream: true } : {};
  const lines = [
    `curl ${quoted(origin + path)}`,
    '  -H "Authorization: Bearer $TURNPIKE_KEY"',
    "  -H 'Content-Type: application/json'",
    `  -d ${quoted(JSON.stringify({ ...named, ...streams, ...body }))}`,
  ];
  return { command: lines.join(" \\\n"), isGuessed: receipt.endpoint === undefined, isPossible: body !== undefined };
}
