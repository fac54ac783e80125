/** Tests of the order of a save: values before switches, then the switches one by one up to the first failure; one confirmation for all. */
import { expect, test } from "vitest";
import { type Change, type Outcome, saveAll, type Sender } from "./save.ts";

const STEP_UP = new Error("confirm");

const change = (option: string, isSwitch = false): Change => ({ option, value: "v", revision: 0, isSwitch });

/** Records what was sent, side by side in one group; refuses what `refuse` says. */
function recorder(refuse: (option: string, isConfirmed: boolean) => Error | undefined, isWilling = true) {
  const groups: string[][] = [];
  let open = 0;
  let questions = 0;
  let isConfirmed = false;
  const sender: Sender = {
    async send({ option }) {
      if (open === 0) groups.push([]);
      open += 1;
      groups.at(-1)?.push(option);
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
      const error = refuse(option, isConfirmed);
      if (error !== undefined) throw error;
    },
    async withStepUp(act) {
      try {
        return await act();
      } catch (error) {
        if (error !== STEP_UP) throw error;
        questions += 1;
        isConfirmed = isWilling;
        return isWilling ? act() : undefined;
      }
    },
    wantsStepUp: (error) => error === STEP_UP,
  };
  return { sender, groups, questions: () => questions };
}

const named = ({ saved, failed, held }: Outcome) => ({
  saved: saved.map(({ option }) => option),
  failed: failed.map(({ option }) => option),
  held: held.map(({ option }) => option),
});

const CHANGES = [change("S1", true), change("A"), change("S2", true), change("B"), change("S3", true)];

test("texts go at once and before the switches, which go one at a time", async () => {
  const { sender, groups } = recorder(() => undefined);
  const outcome = await saveAll(CHANGES, sender);
  expect(groups).toEqual([["A", "B"], ["S1"], ["S2"], ["S3"]]);
  expect(named(outcome)).toEqual({ saved: ["A", "B", "S1", "S2", "S3"], failed: [], held: [] });
});

test("where a text fails no switch is sent, and what went beside it is saved", async () => {
  const { sender, groups } = recorder((option) => (option === "A" ? new Error("no") : undefined));
  const outcome = await saveAll(CHANGES, sender);
  expect(groups).toEqual([["A", "B"]]);
  expect(named(outcome)).toEqual({ saved: ["B"], failed: ["A"], held: ["S1", "S2", "S3"] });
});

test("the first switch that fails is the last one sent", async () => {
  const { sender, groups } = recorder((option) => (option === "S2" ? new Error("no") : undefined));
  const outcome = await saveAll(CHANGES, sender);
  expect(groups.at(-1)).toEqual(["S2"]);
  expect(named(outcome)).toEqual({ saved: ["A", "B", "S1"], failed: ["S2"], held: ["S3"] });
});

test("one question covers all that need it, and only those go again", async () => {
  const guarded = new Set(["A", "B", "S1"]);
  const { sender, groups, questions } = recorder((option, isConfirmed) =>
    guarded.has(option) && !isConfirmed ? STEP_UP : undefined,
  );
  const outcome = await saveAll([...CHANGES, change("C")], sender);
  expect(questions()).toBe(1);
  expect(groups).toEqual([["A", "B", "C"], ["A", "B"], ["S1"], ["S2"], ["S3"]]);
  expect(named(outcome)).toEqual({ saved: ["C", "A", "B", "S1", "S2", "S3"], failed: [], held: [] });
});

test("without a confirmation the changes that need none are saved, and nothing failed", async () => {
  const { sender, groups } = recorder((option) => (option === "A" ? STEP_UP : undefined), false);
  const outcome = await saveAll(CHANGES, sender);
  expect(groups).toEqual([["A", "B"]]);
  expect(named(outcome)).toEqual({ saved: ["B"], failed: [], held: ["A", "S1", "S2", "S3"] });
});

test("a confirmation that does not help fails instead of asking for ever", async () => {
  const { sender, questions } = recorder((option) => (option === "A" ? STEP_UP : undefined));
  const outcome = await saveAll([change("A"), change("S1", true)], sender);
  expect(questions()).toBe(1);
  expect(named(outcome)).toEqual({ saved: [], failed: ["A"], held: ["S1"] });
});

test("nothing to save sends nothing", async () => {
  const { sender, groups } = recorder(() => undefined);
  expect(named(await saveAll([], sender))).toEqual({ saved: [], failed: [], held: [] });
  expect(groups).toEqual([]);
});
