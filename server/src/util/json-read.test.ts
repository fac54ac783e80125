/** Tests of json-read.ts. */
import { expect, test } from "vitest";
import { isObject, objectOf, parseJson, parseObject, textOf } from "./json-read.ts";

test("a text that is no JSON has no value", () => {
  expect(['{"a":1}', "[1]", "null", "", "{"].map(parseJson)).toEqual([{ a: 1 }, [1], null, undefined, undefined]);
});

test("only an object that is no list is one", () => {
  expect([{}, [], null, "text", undefined].map(isObject)).toEqual([true, false, false, false, false]);
  expect([{ a: 1 }, [1], null].map(objectOf)).toEqual([{ a: 1 }, {}, {}]);
  expect(['{"a":1}', "[1]", "{"].map(parseObject)).toEqual([{ a: 1 }, undefined, undefined]);
});

test("what is no text is an empty one", () => {
  expect(["a", 1, undefined].map(textOf)).toEqual(["a", "", ""]);
});
