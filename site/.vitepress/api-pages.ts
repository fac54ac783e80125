/** Writes the pages of the API from docs/openapi.json as Markdown, one for each tag: what a call takes, who may make it, what it answers. */
import { readFileSync } from "node:fs";
import { rowsOf, type Schema, typeText } from "../../server/src/console/openapi/schema-rows.ts";

interface Answer {
  $ref?: string;
  description?: string;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  tags?: readonly string[];
  operationId: string;
  summary: string;
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema; description?: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer> };
}

/** A page of calls: its name in the address, its title, and its Markdown. */
export interface ApiPage {
  tag: string;
  title: string;
  content: string;
}

/** Text in a cell of a table: nothing in it is markup but code between backquotes. */
const cell = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{", "&#123;")))
    .join("")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ");

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const folded = (title: string, text: string): string => (text === "" ? "" : `::: details ${title}\n${text}\n:::`);

/** The fields of a schema, or its type where it has none. */
function fieldsOf(schema: Schema): string {
  const rows = rowsOf(schema);
  if (rows.length === 0) return cell(typeText(schema));
  return table(
    ["field", "type", "meaning"],
    rows.map(({ name, type, isRequired, description }) => [
      `\`${name}\``,
      `${cell(type)}${isRequired ? ", required" : ""}`,
      cell(description),
    ]),
  );
}

function parametersOf({ parameters = [] }: Operation): string {
  const rows = parameters.map(({ name, in: place, required = false, schema, description = "" }) => [
    `\`${name}\``,
    place,
    `${cell(typeText(schema))}${required ? ", required" : ""}`,
    cell(description),
  ]);
  return rows.length === 0 ? "" : table(["parameter", "in", "type", "meaning"], rows);
}

/** The good answer, without the envelope of a refusal, which is the same everywhere. */
const goodOf = (schema: Schema): Schema => schema.anyOf?.find(({ $ref }) => $ref === undefined) ?? schema;

const resolved = (answer: Answer, { components }: Document): Answer =>
  answer.$ref === undefined ? answer : (components.responses[answer.$ref.split("/").at(-1) ?? ""] ?? answer);

function answersOf({ responses }: Operation, document: Document): string[] {
  const answers = Object.entries(responses).map(([status, answer]) => ({ status, ...resolved(answer, document) }));
  const good = answers
    .filter(({ status }) => status < "300")
    .map(({ status, content }) => {
      const schema = content?.["application/json"]?.schema;
      return schema === undefined ? "" : folded(`Answer ${status}`, fieldsOf(goodOf(schema)));
    });
  const others = answers
    .filter(({ status }) => status >= "300")
    .map(({ status, description = "" }) => [`\`${status}\``, cell(description)]);
  return [...good, folded("Other answers", others.length === 0 ? "" : table(["status", "meaning"], others))];
}

function operationText(method: string, path: string, operation: Operation, document: Document): string {
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
    folded(`Body (${type})`, fieldsOf(schema)),
  );
  return [
    `## \`${method.toUpperCase()} ${path}\` {#${operation.operationId}}`,
    `${cell(operation.summary)}. ${cell(operation.description ?? "")}`,
    parametersOf(operation),
    ...bodies,
    ...answersOf(operation, document),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The pages of the document at this path, in the order of its calls. Throws where it cannot be read. */
export function apiPages(path: string): ApiPage[] {
  const document = JSON.parse(readFileSync(path, "utf8")) as Document;
  const byTag = new Map<string, string[]>();
  for (const [address, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationText(method, address, operation, document)]);
    }
  }
  return [...byTag].map(([tag, calls]) => ({ tag, title: `API: ${tag}`, content: calls.join("\n\n") }));
}
