/** Lists of records come from the option's text and go back without loss; what they cannot show is left to the JSON editor. */
import { expect, test } from "vitest";
import { optionDefinition, type OptionName } from "../../../../../contract/src/options/options.ts";
import {
  localOf,
  momentOf,
  newRecord,
  readRecords,
  RECORD_LISTS,
  type RecordList,
  writeRecords,
} from "./record-list.ts";

const FAQ = RECORD_LISTS["console_setting.faq"] as RecordList;

test("a text is read by its fields, without the number of other editors, and written back", () => {
  const records = readRecords('[{"id": 3, "question": "A", "answer": "B"}]', FAQ);
  expect(records).toEqual([{ question: "A", answer: "B" }]);
  expect(JSON.parse(writeRecords(records ?? []))).toEqual([{ question: "A", answer: "B" }]);
});

test.each(["", "{", "{}", "[1]", '["a"]', '[{"question": 1}]', '[{"question": "A", "more": "B"}]', "[[]]"])(
  "%s is no list of questions",
  (text) => {
    expect(readRecords(text, FAQ)).toBeUndefined();
  },
);

test.each(Object.entries(RECORD_LISTS))(
  "a record of %s with its texts filled in is a value of the option",
  (name, list) => {
    const { read, defaultText } = optionDefinition(name as OptionName);
    expect(readRecords(defaultText, list)).toEqual([]);
    const filled = Object.fromEntries(
      Object.entries(newRecord(list, Date.UTC(2026, 0, 31, 12, 0, 59))).map(([field, text]) => [
        field,
        text === "https://" ? "https://api.example" : text || "Words",
      ]),
    );
    expect(read(writeRecords([filled])).value).toEqual([filled]);
  },
);

test("a moment goes to the field of date and time and back", () => {
  expect(momentOf(localOf("2026-01-31T12:00:00.000Z"))).toBe("2026-01-31T12:00:00.000Z");
  expect(momentOf(localOf("2026-07-31T20:30:00+08:00"))).toBe("2026-07-31T12:30:00.000Z");
  expect([localOf("soon"), momentOf("")]).toEqual(["", ""]);
});
