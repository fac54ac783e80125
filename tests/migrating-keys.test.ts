/** Tests docs/migrating-keys.md, the fate of each key of new-api, against the options, settings and fields that the product takes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHANNEL_REQUEST_NAMES, CHANNEL_SETTING_NAMES } from "../contract/src/channels/channel-form.ts";
import { FAMILY_FIELDS } from "../contract/src/family/fields.ts";
import { isOptionName } from "../contract/src/options/options.ts";
import { RENAMED_OPTIONS } from "../server/src/import/options.ts";
import { FAMILY_OPTIONS } from "./surface/options.ts";

const PAGE = readFileSync(new URL("../docs/migrating-keys.md", import.meta.url), "utf8");

/** What the page says of each key under a heading: `same`, another name, or `no`. */
function keysUnder(heading: string): ReadonlyMap<string, string> {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? expect.fail(`no ${heading}`);
  const rows = section.split("\n").filter((line) => /^\| *`/.test(line));
  const pairs = rows.flatMap((row) => {
    const [, there = "", here = ""] = row.split("|").map((cell) => cell.trim());
    const says = /^(same|no)\b/.exec(here)?.[1] ?? /^`([\w.]+)`$/.exec(here)?.[1] ?? expect.fail(`unreadable: ${row}`);
    return [...there.matchAll(/`([\w.]+)`/g)].map(([, key = ""]) => [key, says] as const);
  });
  const keys = new Map(pairs);
  expect(keys.size, `${heading}: a key stands twice`).toBe(pairs.length);
  return keys;
}

const saying = (keys: ReadonlyMap<string, string>, word: string): string[] =>
  [...keys].filter(([, says]) => says === word).map(([key]) => key);

test("each option is taken under the name that the page says, and no other is", () => {
  const keys = keysUnder("Options");
  const wrong = [...keys].filter(([key, says]) => {
    if (says === "same") return !isOptionName(key) || key in RENAMED_OPTIONS;
    if (says === "no") return isOptionName(key) || key in RENAMED_OPTIONS;
    return RENAMED_OPTIONS[key] !== says;
  });
  expect(wrong).toEqual([]);
});

test("every option of the family that is taken stands on the page", () => {
  const keys = keysUnder("Options");
  // The bot that answers in chats is of one-hub.
  expect(FAMILY_OPTIONS.filter((name) => !keys.has(name) && name !== "TelegramBotEnabled")).toEqual([]);
});

test.each([
  ["`setting` of a channel", CHANNEL_SETTING_NAMES],
  ["`settings` of a channel", CHANNEL_REQUEST_NAMES],
])("%s: what is taken, and what is not", (heading, names) => {
  const keys = keysUnder(heading);
  const known: readonly string[] = names;
  expect(saying(keys, "same").filter((key) => !known.includes(key))).toEqual([]);
  expect(saying(keys, "no").filter((key) => known.includes(key))).toEqual([]);
});

test.each([
  ["`setting` of a user", "personal.updateSetting"],
  ["Fields of a token", "tokens.createToken"],
])("%s: all of the table in the code, and nothing else", (heading, endpoint) => {
  const table = Object.entries(FAMILY_FIELDS[endpoint] ?? {});
  const said = table.map(([name, rule]) => [name, rule === "obeyed" ? "same" : "no"] as const);
  expect(Object.fromEntries(keysUnder(heading))).toEqual(Object.fromEntries(said));
});
