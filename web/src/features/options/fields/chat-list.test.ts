/** The list of chat links comes from the option's text and goes back without loss. */
import { expect, test } from "vitest";
import { optionDefinition } from "../../../../../contract/src/options/options.ts";
import { movedEntry, readChats, writeChats } from "./chat-list.ts";

test("the default is read and written as it is", () => {
  const { defaultText } = optionDefinition("Chats");
  const links = readChats(defaultText);
  expect(links?.map(({ name }) => name)).toContain("OpenCat");
  expect(writeChats(links ?? [])).toBe(defaultText);
});

test.each(["", "{", "{}", "[1]", '["a"]', '[{"a": 1}]', "[[]]", '[{"a": "x", "a": "y"}]'])(
  "%s is no list of links",
  (text) => {
    expect(readChats(text)).toBeUndefined();
  },
);

test("a link moves one step, and not over the ends", () => {
  const links = ["a", "b", "c"].map((name) => ({ name, template: "https://x.example" }));
  const names = (from: number, by: -1 | 1) => movedEntry(links, from, by).map(({ name }) => name);
  expect(names(0, 1)).toEqual(["b", "a", "c"]);
  expect(names(2, -1)).toEqual(["a", "c", "b"]);
  expect(names(0, -1)).toEqual(["a", "b", "c"]);
  expect(names(2, 1)).toEqual(["a", "b", "c"]);
  expect(names(5, -1)).toEqual(["a", "b", "c"]);
});
