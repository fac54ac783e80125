/** The catalogue of log events: one English sentence from code and values, and nothing for what is no event. */
import { expect, test } from "vitest";
import { LOG_EVENTS } from "./events.ts";
import { englishOf, readLogEvent } from "./read-event.ts";

test.each([
  [{ code: "option_changed", values: { option: "MinTopUp" } }, "Changed the option MinTopUp"],
  [{ code: "channels_deleted", values: { count: 1 } }, "Deleted 1 channel"],
  [{ code: "channels_deleted", values: { count: 2 } }, "Deleted 2 channels"],
  [{ code: "channels_created", values: { count: 2, name: "a", ids: [3, 4] } }, 'Created 2 channels "a" (#3, #4)'],
  [
    { code: "logs_cleared", values: { count: 5, before: 1_800_000_000 } },
    "Cleared 5 log entries from before second 1800000000",
  ],
  [
    { code: "channel_test_failed", values: { name: "{{id}} $&", id: 7, reason: "no {{name}}" } },
    'Test of channel "{{id}} $&" (#7) failed: no {{name}}',
  ],
] as const)("%j", (sent, sentence) => {
  const event = readLogEvent(JSON.parse(JSON.stringify(sent)));
  expect(event).toEqual(sent);
  expect(event && englishOf(event, (seconds) => `second ${seconds}`)).toBe(sentence);
});

test.each([
  undefined,
  null,
  "x",
  {},
  { code: "toString", values: {} },
  { code: "option_changed" },
  { code: "option_changed", values: {} },
  { code: "channels_deleted", values: { count: "2" } },
  { code: "channels_created", values: { count: 2, name: "a", ids: [3, "4"] } },
  { code: "of_a_later_version", values: {} },
])("%j is no event", (sent) => {
  expect(readLogEvent(sent)).toBeUndefined();
});

test("every sentence names each of its values, and no others", () => {
  for (const [code, { english, values }] of Object.entries(LOG_EVENTS)) {
    const sentences: string[] = typeof english === "string" ? [english] : Object.values(english);
    for (const sentence of sentences) {
      const named = [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
      expect([code, named.toSorted()]).toEqual([code, Object.keys(values).toSorted()]);
    }
  }
});
