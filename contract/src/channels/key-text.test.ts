/** Tests of splitting a pasted text into keys: lines, JSON objects, lists of them, and unreadable text. */
import { expect, test } from "vitest";
import { readKeys } from "./key-text.ts";

const account = (id: string) => ({ type: "service_account", private_key_id: id, private_key: '-----BEGIN\nx}y]"z\n' });
const compact = (id: string): string => JSON.stringify(account(id));
const pretty = (id: string): string => JSON.stringify(account(id), null, 2);

test("each line is a key; blank lines count for nothing and a key that stands there twice is said", () => {
  expect(readKeys("  sk-1 \r\n\r\nsk-2\nsk-1\n\tsk-3|part\n")).toEqual({
    keys: ["sk-1", "sk-2", "sk-3|part"],
    duplicates: 1,
    brokenLine: undefined,
  });
  expect(readKeys(" \n ")).toEqual({ keys: [], duplicates: 0, brokenLine: undefined });
});

test("a service account is one key however it is spelled, with brackets and quotes in its texts", () => {
  expect(readKeys(pretty("a"))).toEqual({ keys: [compact("a")], duplicates: 0, brokenLine: undefined });
  expect(readKeys(`${pretty("a")}\n${compact("a")}`)).toMatchObject({ keys: [compact("a")], duplicates: 1 });
});

test("accounts behind each other, with or without commas, and a list of them are as many keys", () => {
  const keys = ["a", "b", "c"].map(compact);
  expect(readKeys(["a", "b", "c"].map(pretty).join("\n")).keys).toEqual(keys);
  expect(readKeys(["a", "b", "c"].map(pretty).join(",\n")).keys).toEqual(keys);
  expect(readKeys(JSON.stringify(["a", "b", "c"].map(account), null, 2)).keys).toEqual(keys);
  expect(readKeys(`sk-plain\n${pretty("a")}\nsk-last`).keys).toEqual(["sk-plain", compact("a"), "sk-last"]);
  expect(readKeys('["sk-1", "sk-2"]').keys).toEqual(["sk-1", "sk-2"]);
});

test("JSON that cannot be read is named by its line, and so is a list of anything else", () => {
  expect(readKeys('sk-1\n\n{"type": "service_account",')).toMatchObject({ keys: ["sk-1"], brokenLine: 3 });
  expect(readKeys('{"a": }').brokenLine).toBe(1);
  expect(readKeys("sk-1\r\n[1, 2]").brokenLine).toBe(2);
});
