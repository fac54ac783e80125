/** Tests of the channel list's rows: tags stand once with all theirs, sums add up, reasons are read from what the server wrote. */
import { expect, test } from "vitest";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { aChannel } from "./sample.ts";
import {
  asEntries,
  enabledCount,
  entryKey,
  meanResponse,
  offReason,
  selectedChannels,
  statusIn,
  tagEntries,
  usedSum,
} from "./rows.ts";

const channels: ChannelRow[] = [
  aChannel({ id: 1, tag: "b", used_quota: 5, response_time: 100 }),
  aChannel({ id: 2, tag: "" }),
  aChannel({ id: 3, tag: "a", status: 2 }),
  aChannel({ id: 4, tag: "b", status: 3, used_quota: 7, response_time: 301 }),
];
const keys = (closed: string[] = []) => tagEntries(channels, new Set(closed)).map(entryKey);

test("tags come by name with their channels below in the order given, channels without a tag last", () => {
  expect(keys()).toEqual(["tag:a", "3", "tag:b", "1", "4", "2"]);
});

test("a closed tag hides its channels and still knows them", () => {
  expect(keys(["b"])).toEqual(["tag:a", "3", "tag:b", "2"]);
  const closed = tagEntries(channels, new Set(["b"])).find((entry) => entryKey(entry) === "tag:b");
  expect(closed).toMatchObject({ isOpen: false, children: [{ channel: { id: 1 } }, { channel: { id: 4 } }] });
});

test("a selection is its channels, without the tags", () => {
  expect(selectedChannels(tagEntries(channels, new Set())).map(({ id }) => id)).toEqual([3, 1, 4, 2]);
  expect(asEntries(channels).every((entry) => entry.kind === "channel")).toBe(true);
});

test("sums count what is known: used of all, mean of the tested", () => {
  expect(usedSum(channels)).toBe(12);
  expect(meanResponse(channels)).toBe(201);
  expect(meanResponse([])).toBe(0);
  expect(enabledCount(channels)).toBe(2);
});

test("a reason is shown only while the server keeps the channel off, and damaged notes do not break the list", () => {
  const other_info = JSON.stringify({ status_reason: "status 529: overloaded", status_time: 12 });
  expect(offReason({ status: 3, other_info })).toEqual({ reason: "status 529: overloaded", atS: 12 });
  expect(offReason({ status: 2, other_info })).toBeUndefined();
  expect(offReason({ status: 3, other_info: "{" })).toEqual({ reason: "", atS: 0 });
  expect(offReason({ status: 3, other_info: "" })).toEqual({ reason: "", atS: 0 });
});

test("an HTTP status is found in a reason, other numbers are not taken for one", () => {
  expect(statusIn("status 529: overloaded")).toBe("529");
  expect(statusIn("response time 5000 ms exceeds 5 s")).toBeUndefined();
});
