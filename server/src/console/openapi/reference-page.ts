/** The API reference page at /api/docs: the OpenAPI document as plain HTML, without scripts or third-party files. */
import { ERRORS } from "../../../../contract/src/error-codes.ts";
import { buildOpenApi } from "./openapi.ts";
import { rowsOf, type Schema, type SchemaRow, typeText } from "./schema-rows.ts";

interface Answer {
  description: string;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  tags: readonly string[];
  operationId: string;
  summary: string;
  description?: string;
  parameters: readonly { name: string; in: string; required?: boolean; schema: Schema; description?: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer | { $ref: string }>;
}

interface Document {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer> };
}

const STYLE = `
:root{color-scheme:light dark;--chrome:#F7F8FA;--surface:#FFF;--sunken:#F4F5F8;--line:#E7E9EF;--text:#10131A;--soft:#475063;--faint:#626C81;--accent:#4338CA;--tint:#EEF0FF}
@media(prefers-color-scheme:dark){:root{--chrome:#0A0C10;--surface:#0F1218;--sunken:#0B0D12;--line:#1F2530;--text:#E9ECF2;--soft:#A6AFC0;--faint:#7F899C;--accent:#A5AEFC;--tint:#1C2040}}
*{box-sizing:border-box}body{margin:0;background:var(--chrome);color:var(--text);font:14px/20px Inter,system-ui,sans-serif}
main{max-width:980px;margin:0 auto;padding:24px 16px 64px}h1{font-size:20px;line-height:28px;font-weight:600}h2{margin:32px 0 8px;font-size:15px;font-weight:600;text-transform:capitalize}
p{color:var(--soft);margin:4px 0 12px}a{color:var(--accent)}nav{display:flex;flex-wrap:wrap;gap:4px 12px}
details{background:var(--surface);border:1px solid var(--line);border-radius:10px;margin:8px 0}summary{cursor:pointer;padding:8px 12px;display:flex;flex-wrap:wrap;gap:8px;align-items:baseline}
code,pre{font:12px/18px "JetBrains Mono",ui-monospace,monospace}b{font:600 12px/18px ui-monospace,monospace;color:var(--accent);min-width:52px}summary span{color:var(--faint)}
section{padding:0 12px 12px}h3{font-size:13px;font-weight:600;margin:12px 0 4px}pre{background:var(--sunken);border-radius:8px;padding:12px;overflow:auto;margin:0;max-height:360px}
table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:6px 8px 6px 0;vertical-align:top;overflow-wrap:anywhere}td:first-child{width:32%}td:last-child{color:var(--soft)}
@media(max-width:600px){tr{display:block;border-top:1px solid var(--line);padding:6px 0}td,td:first-child{display:block;width:auto;border:0;padding:1px 0}td:empty{display:none}}
`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
/** Words, with what stands between backquotes as code. */
const words = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const tableOf = (rows: readonly SchemaRow[]): string =>
  `<table>${rows
    .map(
      ({ name, type, isRequired, description }) =>
        `<tr><td><code>${escape(name)}</code></td><td>${words(type)}${isRequired ? ", required" : ""}</td>` +
        `<td>${words(description)}</td></tr>`,
    )
    .join("")}</table>`;

/** What a schema says: its fields, or its type where it has none. */
function schemaBlock(schema: Schema): string {
  const rows = rowsOf(schema);
  return rows.length === 0 ? `<p>${words(typeText(schema))}</p>` : tableOf(rows);
}

function parameterTable({ parameters }: Operation): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, required = false, schema, description = "" }) => ({
    name: place === "path" ? `{${name}}` : name,
    type: typeText(schema),
    isRequired: required,
    description,
  }));
  return `<h3>Parameters</h3>${tableOf(rows)}`;
}

const bodyBlock = ({ requestBody }: Operation): string =>
  Object.entries(requestBody?.content ?? {})
    .map(([mediaType, { schema }]) => `<h3>Body (${escape(mediaType)})</h3>${schemaBlock(schema)}`)
    .join("");

/** The answer itself, or the component that stands for it. */
const resolved = (answer: Answer | { $ref: string }, { components }: Document): Answer | undefined =>
  "$ref" in answer ? components.responses[answer.$ref.split("/").at(-1) ?? ""] : answer;

/** The good answer, without the envelope of a refusal, which is the same everywhere. */
const goodOf = (schema: Schema): Schema => schema.anyOf?.find(({ $ref }) => $ref === undefined) ?? schema;

function answerBlock({ responses }: Operation, document: Document): string {
  const answers = Object.entries(responses).map(([status, answer]) => ({ status, ...resolved(answer, document) }));
  const good = answers
    .filter(({ status }) => status < "300")
    .map(({ status, description = "", content }) => {
      const schema = content?.["application/json"]?.schema;
      return `<h3>${status}</h3><p>${words(description)}</p>${schema === undefined ? "" : schemaBlock(goodOf(schema))}`;
    });
  const others = answers
    .filter(({ status }) => status >= "300")
    .map(({ status, description = "" }) => `<tr><td><code>${status}</code></td><td>${words(description)}</td></tr>`);
  return `${good.join("")}<h3>Otherwise</h3><table>${others.join("")}</table>`;
}

/** Every code of a refusal, with its status and the sentence that goes with it. */
function codeTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, message }]) =>
      `<tr><td><code>${code}</code></td><td>${status}</td><td>${escape(message)}</td></tr>`,
  );
  return `<h2 id="codes">codes of refusals</h2><table>${rows.join("")}</table>`;
}

function operationBlock(method: string, path: string, operation: Operation, document: Document): string {
  const head = `<b>${method.toUpperCase()}</b> <code>${escape(path)}</code> <span>${words(operation.summary)}</span>`;
  const parts = [parameterTable(operation), bodyBlock(operation), answerBlock(operation, document)].join("");
  return `<details><summary>${head}</summary><section><p>${words(operation.description ?? "")}</p>${parts}</section></details>`;
}

function operationsByTag(document: Document): Map<string, string[]> {
  const byTag = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? "other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationBlock(method, path, operation, document)]);
    }
  }
  return byTag;
}

/** The page; its one style element carries `nonce`. */
export function referencePage(nonce: string): string {
  const document = buildOpenApi() as unknown as Document;
  const byTag = operationsByTag(document);
  const links = [...byTag.keys(), "codes"].map((tag) => `<a href="#${tag}">${tag}</a>`).join("");
  const sections = [...byTag].map(([tag, blocks]) => `<h2 id="${tag}">${tag}</h2>${blocks.join("")}`).join("");
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<title>API reference · Turnpike</title><link rel="icon" href="/mark.svg" type="image/svg+xml"><style nonce="${nonce}">${STYLE}</style></head>` +
    `<body><main><h1>API reference</h1><p>${words(document.info.description)} <a href="/api/openapi.json">OpenAPI document</a></p>` +
    `<nav>${links}</nav>${sections}${codeTable()}</main></body></html>`
  );
}
