/** Tests of the trail's rows: the thing an act is about, its changes, and their bounds. */
import { expect, it } from "vitest";
import { AUDIT_ENTRY_MAX, AUDIT_VALUE_MAX } from "../../../../contract/src/features/audit.ts";
import { bounded, differences, kindOf, trailsOf } from "./audit-trail.ts";

it("an act on several channels has an entry for each", () => {
  const event = { code: "channels_disabled", values: { count: 2 } } as const;
  expect(trailsOf(event, { channel_ids: [3, 4] }).map(({ kind, objectId }) => [kind, objectId])).toEqual([
    ["channel", "3"],
    ["channel", "4"],
  ]);
});

it("a new password is a change without values", () => {
  const event = { code: "user_changed", values: { name: "ada", id: 5 } } as const;
  const [trail] = trailsOf(event, { before: { username: "ada" }, after: { username: "ida" }, password: "changed" });
  expect(trail).toMatchObject({ kind: "user", objectId: "5", objectName: "ada" });
  expect(trail?.changes).toEqual([{ field: "username", from: "ada", to: "ida" }, { field: "password" }]);
});

it("only what differs is a change", () => {
  expect(differences({ role: 1, status: 1 }, { role: 1, status: 2 })).toEqual([
    { field: "status", from: "1", to: "2" },
  ]);
});

it("a long value is cut and says so, and an entry has a bound", () => {
  const long = "x".repeat(AUDIT_VALUE_MAX + 1);
  const [one] = bounded([{ field: "a", from: "", to: long }]);
  expect([one?.to?.length, one?.is_cut]).toEqual([AUDIT_VALUE_MAX, true]);
  const many = bounded(Array.from({ length: 100 }, (_, index) => ({ field: `f${index}`, from: long, to: long })));
  const size = many.reduce((sum, { from = "", to = "" }) => sum + from.length + to.length, 0);
  expect(size).toBeLessThanOrEqual(AUDIT_ENTRY_MAX);
  expect(many.at(-1)?.is_cut).toBe(true);
});

it("clearing the log belongs to the site", () => {
  expect(kindOf("logs_cleared")).toBe("site");
  expect(kindOf("prices_changed")).toBe("price");
});
