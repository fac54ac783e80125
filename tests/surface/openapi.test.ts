/** The OpenAPI document is well formed, complete and correct: every call is in it, described, and is served at its address. */
import { expect, test } from "vitest";
import { z } from "zod";
import { findPath } from "../../server/src/relay/request/paths.ts";
import { buildOpenApi } from "../../server/src/console/openapi/openapi.ts";
import { RELAY_PATHS } from "../../server/src/console/openapi/openapi-relay.ts";
import { FIELD_TEXTS } from "../../server/src/console/openapi/field-texts.ts";
import { RELAY_CALLS } from "./calls.ts";
import { openApiDocument } from "./openapi-shape.ts";
import { WAITING } from "./waiting.ts";

const document = buildOpenApi();
const parsed = openApiDocument.safeParse(document);
const paths = parsed.data?.paths ?? {};

const METHODS = ["get", "post", "put", "delete"] as const;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, path, operation }];
  }),
);

test("it has the form of an OpenAPI document, with nothing that the form does not know", () => {
  expect(parsed.error === undefined ? "" : z.prettifyError(parsed.error)).toBe("");
  expect(operations.length).toBeGreaterThan(150);
});

test("a document with a slip in it is refused", () => {
  const slip = structuredClone(document) as { paths: Record<string, { get: { parameters: { in: string }[] } }> };
  const first = slip.paths["/api/token"]?.get.parameters[0];
  if (first === undefined) throw new Error("the slip has nowhere to go");
  first.in = "nowhere";
  expect(openApiDocument.safeParse(slip).success).toBe(false);
});

test("ids are unique, tags are listed, and what is referred to is there", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  const tags = new Set((parsed.data?.tags ?? []).map(({ name }) => name));
  const components = document["components"] as Record<string, Record<string, unknown>>;
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(operations.filter(({ operation }) => !operation.tags.every((tag) => tags.has(tag)))).toEqual([]);
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined)).toEqual([]);
});

test("the parameters of a path are those in its address", () => {
  const wrong = operations.filter(({ path, operation }) => {
    const inAddress = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
    const described = operation.parameters.filter((each) => each.in === "path").map(({ name }) => name);
    return JSON.stringify(inAddress) !== JSON.stringify(described.toSorted());
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

/** Fields of a schema, and of each of its variants. */
function fieldsOf(schema: unknown): [string, { description?: string }][] {
  const { properties = {}, anyOf = [] } = schema as { properties?: Record<string, object>; anyOf?: unknown[] };
  return [...Object.entries(properties), ...anyOf.flatMap(fieldsOf)];
}

test("every field of a body says what it means, and no text is left over", () => {
  const fields = operations.flatMap(({ name, operation }) =>
    Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
      fieldsOf(schema).map(([field, { description }]) => ({ field, name, description })),
    ),
  );
  const used = new Set([
    ...fields.map(({ field }) => field),
    ...operations.flatMap(({ operation }) => operation.parameters.map(({ name }) => name)),
  ]);
  expect(
    fields.filter(({ description }) => description === undefined).map(({ name, field }) => `${name}: ${field}`),
  ).toEqual([]);
  expect(Object.keys(FIELD_TEXTS).filter((name) => !used.has(name))).toEqual([]);
});

const isServed = (method: string, path: string): boolean =>
  !["unknown", "unimplemented", "wrong_method"].includes(findPath(method, path).kind);

test("the relay serves what the document says of it", () => {
  const relay = operations.filter(({ path }) => path in RELAY_PATHS);
  const missing = relay.filter(
    ({ name, path }) => !isServed(name.split(" ")[0] ?? "", path.replaceAll(/\{\w+\}/g, "m")),
  );
  expect(relay.length).toBeGreaterThan(30);
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("the document has the relay's public endpoints", () => {
  const described = operations.map(({ name }) => new RegExp(`^${name.replaceAll(/\{\w+\}/g, "[^/]+")}$`));
  const silent = RELAY_CALLS.filter(
    (call) => !WAITING.includes(`relay ${call}`) && !described.some((pattern) => pattern.test(call)),
  );
  expect(silent).toEqual([]);
});
