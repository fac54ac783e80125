/** What vendors list: every operation of OpenAI's OpenAPI has the fate that the reviewed table says, and no call of the official libraries is an unknown address. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { findPath, type RelayPath } from "../../server/src/relay/request/paths.ts";
import { OTHER_METHOD, REFUSED, SERVED } from "../fixtures/openai-operations.ts";

/** Methods and paths of a table, with an id in the place of each. */
const operationsOf = (table: string): [method: string, path: string][] =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const words = line.split(" ");
      const path = `/v1${words.at(-1) ?? ""}`.replaceAll("{id}", "id_1");
      return words.slice(0, -1).map((method): [string, string] => [method, path]);
    });

const SERVED_KINDS: readonly RelayPath["kind"][] = ["call", "stored_response", "models", "model"];

describe("OpenAI's listed operations", () => {
  test.each(operationsOf(SERVED))("%s %s is served", (method, path) =>
    expect(SERVED_KINDS).toContain(findPath(method, path).kind),
  );
  test.each(operationsOf(OTHER_METHOD))("%s %s is refused by its method", (method, path) =>
    expect(findPath(method, path).kind).toBe("wrong_method"),
  );
  test.each(operationsOf(REFUSED))("%s %s is refused by name", (method, path) =>
    expect(findPath(method, path).kind).toBe("unimplemented"),
  );
});

/** Calls in the sources of an official library: `this._client.post('/files', ...)`, with a template where ids stand. */
const CALL = /\._client\.(getAPIList|get|post|put|patch|delete)\((?:path)?[`'"]([^`'"]+)[`'"]/g;

function callsOf(library: string, prefix: string): string[] {
  const found = new Set<string>();
  for (const file of globSync(`node_modules/${library}/resources/**/*.mjs`))
    for (const [, verb = "", path = ""] of readFileSync(file, "utf8").matchAll(CALL))
      found.add(
        `${verb === "getAPIList" ? "GET" : verb.toUpperCase()} ${prefix}${path.replaceAll(/\$\{[^}]+\}/g, "id_1")}`,
      );
  return [...found];
}

it.each([
  ["openai", "/v1", 90],
  ["@anthropic-ai/sdk", "", 60],
])("knows every call of the library %s", (library, prefix, least) => {
  const calls = callsOf(library, prefix);
  expect(calls.length).toBeGreaterThan(least);
  const isUnknown = (call: string): boolean => {
    const [method = "", path = ""] = call.split(" ");
    return findPath(method, path).kind === "unknown";
  };
  expect(calls.filter(isUnknown)).toEqual([]);
});
