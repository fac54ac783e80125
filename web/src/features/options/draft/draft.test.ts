/** Tests of the settings draft: what counts as a change, what another user's change does to it, and that no input is lost. */
import { describe, expect, test } from "vitest";
import type { OptionRow } from "../../../../../contract/src/features/options.ts";
import { discarded, type Draft, edited, EMPTY_DRAFT, kept, refreshed, refused, reverted, stateOf } from "./draft.ts";

const row = (key: string, value: string, revision = 1, more: Partial<OptionRow> = {}): OptionRow => ({
  key,
  value,
  is_set: value !== "",
  updated_time: 0,
  updated_by: "",
  revision,
  ...more,
});
const SECRETS = new Set(["Secret"]);
const secret = (isSet: boolean, revision = 1): OptionRow => row("Secret", "", revision, { is_set: isSet });
const on = (...rows: OptionRow[]): Draft => refreshed(EMPTY_DRAFT, rows, SECRETS);
const type = (draft: Draft, name: string, text: string): Draft => edited(draft, name, text, SECRETS.has(name));

describe("a change", () => {
  test("is what differs from what is stored, and none once it is the same again", () => {
    const draft = type(on(row("A", "1")), "A", "2");
    expect(stateOf(draft, "A")).toMatchObject({ text: "2", isDirty: true, theirs: undefined });
    expect(stateOf(type(draft, "A", "1"), "A")).toMatchObject({ text: "1", isDirty: false });
    expect(type(draft, "A", "1").entries.size).toBe(0);
  });

  test("of a name that the server does not know is none", () => {
    expect(type(on(row("A", "1")), "B", "2").entries.size).toBe(0);
    expect(() => stateOf(EMPTY_DRAFT, "A")).toThrow(RangeError);
  });

  test("of a secret is any text, and removing one that is set", () => {
    expect(type(on(secret(true)), "Secret", "new").entries.size).toBe(1);
    expect(type(on(secret(true)), "Secret", "").entries.size).toBe(1);
    expect(type(on(secret(false)), "Secret", "").entries.size).toBe(0);
  });

  test("takes the problem of the value before with it", () => {
    const wrong = refused(type(on(row("A", "1")), "A", "-1"), new Map([["A", "too small"]]));
    expect(stateOf(wrong, "A").problem).toBe("too small");
    expect(stateOf(type(wrong, "A", "3"), "A").problem).toBeUndefined();
    expect(stateOf(reverted(wrong, "A"), "A")).toMatchObject({ isDirty: false, problem: undefined });
  });

  test("goes when all are discarded, and what is stored stays", () => {
    const draft = discarded(type(type(on(row("A", "1"), row("B", "x")), "A", "2"), "B", "y"));
    expect([draft.entries.size, stateOf(draft, "A").text, stateOf(draft, "B").text]).toEqual([0, "1", "x"]);
  });
});

describe("another user's change", () => {
  const mine = type(on(row("A", "1", 1)), "A", "2");
  const theirs = refreshed(mine, [row("A", "3", 2, { updated_by: "eve" })], SECRETS);

  test("stands beside what is typed, which stays", () => {
    expect(stateOf(theirs, "A")).toMatchObject({ text: "2", isDirty: true, theirs: { value: "3", updated_by: "eve" } });
  });

  test("is what a further edit still stands against, until one is chosen", () => {
    expect(stateOf(type(theirs, "A", "4"), "A").theirs?.value).toBe("3");
    const chosen = kept(theirs, "A");
    expect(stateOf(chosen, "A")).toMatchObject({ text: "2", isDirty: true, theirs: undefined });
    expect(chosen.entries.get("A")?.base.revision).toBe(2);
    expect(stateOf(reverted(theirs, "A"), "A")).toMatchObject({ text: "3", isDirty: false, theirs: undefined });
  });

  test("is no conflict where it is the same as one's own", () => {
    expect(refreshed(mine, [row("A", "2", 2)], SECRETS).entries.size).toBe(0);
  });

  test("of a secret is one, though its values are hidden", () => {
    const draft = refreshed(type(on(secret(true, 1)), "Secret", "mine"), [secret(true, 2)], SECRETS);
    expect(stateOf(draft, "Secret")).toMatchObject({ text: "mine", theirs: { revision: 2 } });
  });

  test("of another option is nothing to this one", () => {
    const draft = refreshed(
      type(on(row("A", "1"), row("B", "x")), "A", "2"),
      [row("A", "1"), row("B", "y", 7)],
      SECRETS,
    );
    expect(stateOf(draft, "A").theirs).toBeUndefined();
    expect(stateOf(draft, "B")).toMatchObject({ text: "y", isDirty: false });
  });
});

describe("a save", () => {
  test("removes stored changes from the draft, secrets too, and keeps the others", () => {
    const typed = type(type(type(on(row("A", "1"), row("B", "x"), secret(false)), "A", "02"), "B", "y"), "Secret", "s");
    const sent = new Map([
      ["A", "02"],
      ["Secret", "s"],
    ]);
    const after = refreshed(typed, [row("A", "2", 2), row("B", "x"), secret(true, 2)], SECRETS, sent);
    expect([...after.entries.keys()]).toEqual(["B"]);
    expect(stateOf(after, "A")).toMatchObject({ text: "2", isDirty: false });
  });

  test("keeps what was typed while it ran, upon what it stored", () => {
    const typed = type(type(on(row("A", "1")), "A", "2"), "A", "25");
    const after = refreshed(typed, [row("A", "2", 2)], SECRETS, new Map([["A", "2"]]));
    expect(stateOf(after, "A")).toMatchObject({ text: "25", isDirty: true, theirs: undefined });
  });
});
