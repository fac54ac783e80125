/** The reference page at /api/docs: the OpenAPI document as plain HTML of our own, without a script or a foreign file. */
import { buildOpenApi } from "./openapi.ts";

interface Operation {
  tags: readonly string[];
  operationId: string;
  summary: string;
  description?: string;
  parameters: readonly { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
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
table{border-collapse:collapse;width:100%}td{border-top:1px solid var(--line);padding:6px 8px 6px 0;vertical-align:top}td:last-child{color:var(--soft)}
`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
const json = (value: unknown): string => `<pre>${escape(JSON.stringify(value, undefined, 2))}</pre>`;

function parameterTable({ parameters }: Operation): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}${required ? ", required" : ""}</td>` +
      `<td><code>${escape(JSON.stringify(schema))}</code></td></tr>`,
  );
  return `<h3>Parameters</h3><table>${rows.join("")}</table>`;
}

function bodyBlock({ requestBody }: Operation): string {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema === undefined ? "" : `<h3>Body</h3>${json(schema)}`;
}

function answerBlock({ responses }: Operation): string {
  return Object.entries(responses)
    .map(([status, { description, content }]) => {
      const schema = status === "200" ? content?.["application/json"]?.schema : undefined;
      return `<h3>${status}</h3><p>${escape(description)}</p>${schema === undefined ? "" : json(schema)}`;
    })
    .join("");
}

function operationBlock(method: string, path: string, operation: Operation): string {
  const head = `<b>${method.toUpperCase()}</b> <code>${escape(path)}</code> <span>${escape(operation.summary)}</span>`;
  const parts = [parameterTable(operation), bodyBlock(operation), answerBlock(operation)].join("");
  return `<details><summary>${head}</summary><section><p>${escape(operation.description ?? "")}</p>${parts}</section></details>`;
}

function operationsByTag(document: { paths: Record<string, Record<string, Operation>> }): Map<string, string[]> {
  const byTag = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? "other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationBlock(method, path, operation)]);
    }
  }
  return byTag;
}

/** The page; its one style element carries `nonce`. */
export function referencePage(nonce: string): string {
  const document = buildOpenApi() as unknown as {
    info: { description: string };
    paths: Record<string, Record<string, Operation>>;
  };
  const byTag = operationsByTag(document);
  const links = [...byTag.keys()].map((tag) => `<a href="#${tag}">${tag}</a>`).join("");
  const sections = [...byTag].map(([tag, blocks]) => `<h2 id="${tag}">${tag}</h2>${blocks.join("")}`).join("");
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<title>API reference · Turnpike</title><link rel="icon" href="/mark.svg" type="image/svg+xml"><style nonce="${nonce}">${STYLE}</style></head>` +
    `<body><main><h1>API reference</h1><p>${escape(document.info.description)} <a href="/api/openapi.json">OpenAPI document</a></p>` +
    `<nav>${links}</nav>${sections}</main></body></html>`
  );
}
