/** Tests of schema rows: every field is listed by its path with a readable type. */
import { expect, test } from "vitest";
import { rowsOf, typeText } from "./schema-rows.ts";

test.each([
  [{ type: "integer", minimum: 1, maximum: 100 }, "integer, from 1, up to 100"],
  [{ type: "integer", minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }, "integer"],
  [{ type: "string", maxLength: 20 }, "string, at most 20 characters"],
  [{ enum: ["asc", "desc"] }, "`asc` or `desc`"],
  [{ const: true }, "`true`"],
  [{ type: ["string", "null"] }, "string or null"],
  [{ anyOf: [{ type: "string" }, { type: "number" }, { type: "string" }] }, "string or number"],
  [{ type: "array", items: { type: "string" } }, "list of string"],
  [{ type: "object", additionalProperties: { type: "number" } }, "map of number"],
  [{}, "anything"],
])("the type of %j is %s", (schema, text) => {
  expect(typeText(schema)).toBe(text);
});

test("fields inside of objects, lists, maps and choices have their path", () => {
  const row = { type: "object", required: ["id"], properties: { id: { type: "integer", description: "Its id" } } };
  const schema = {
    anyOf: [
      { properties: { data: { properties: { items: { type: "array", items: row } } } } },
      { properties: { groups: { additionalProperties: row } } },
    ],
  };
  expect(rowsOf(schema).map(({ name }) => name)).toEqual([
    "data",
    "data.items",
    "data.items[].id",
    "groups",
    "groups.{name}.id",
  ]);
  expect(rowsOf(row)).toEqual([{ name: "id", type: "integer", isRequired: true, description: "Its id" }]);
});

test("a schema that goes on inside of itself comes to an end", () => {
  const deep: { properties: Record<string, object> } = { properties: {} };
  deep.properties["inner"] = deep;
  expect(rowsOf(deep)).toHaveLength(5);
});
