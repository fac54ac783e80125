/** Both API families in one shape: their units, what each colour means, and what is still running. */
import { describe, expect, test } from "vitest";
import type { ImageTask } from "../../../../../contract/src/features/drawing.ts";
import type { Task } from "../../../../../contract/src/features/tasks.ts";
import { IMAGE_ACTIONS, TASK_STATUSES } from "../../../../../contract/src/tasks.ts";
import { actionTone, codeLook, imageRow, isRunning, spentSeconds, spentTone, statusLook, taskRow } from "./task-row.ts";

const SHARED = {
  id: 1,
  request_id: "r",
  user_id: 1,
  created_at: 100,
  model: "m",
  fail_code: "",
  fail_reason: "",
  quota: 5,
  charge: "charged",
  prompt: "p",
};
const IMAGE_TASK = {
  ...SHARED,
  action: "IMAGINE",
  status: "IN_PROGRESS",
  progress: "45%",
  mj_id: "m1",
  submit_time: 100_000,
  finish_time: 161_500,
  prompt_en: "e",
  image_url: "/mj/image/m1",
  video_urls: [] as readonly string[],
} as ImageTask;

test("times of image tasks are milliseconds, those of songs seconds", () => {
  const image = imageRow(IMAGE_TASK);
  expect(image).toMatchObject({ submitS: 100, finishS: 161.5, progress: 45, taskId: "m1", platform: "mj" });
  expect(spentSeconds(image)).toBe(61.5);
  const song = taskRow({
    ...SHARED,
    action: "MUSIC",
    status: "SUCCESS",
    progress: "100%",
    task_id: "t1",
    platform: "suno",
    submit_time: 100,
    finish_time: 130,
    result_url: "",
  } as Task);
  expect(spentSeconds(song)).toBe(30);
  expect(song).toMatchObject({ username: "", channelId: 0, code: undefined });
});

test("more than a minute is red; what has not ended has no time", () => {
  expect([spentTone(60), spentTone(60.1)]).toEqual(["green", "red"]);
  expect(spentSeconds({ submitS: 100, finishS: 0 })).toBeUndefined();
  expect(spentSeconds({ submitS: 0, finishS: 100 })).toBeUndefined();
});

test("a progress that is none is nothing, and none is above the whole", () => {
  expect(imageRow({ ...IMAGE_TASK, progress: "soon" }).progress).toBe(0);
  expect(imageRow({ ...IMAGE_TASK, progress: "400%" }).progress).toBe(100);
});

describe("what is running", () => {
  test.each(TASK_STATUSES)("%s", (status) => {
    expect(isRunning({ status })).toBe(!["SUCCESS", "FAILURE", "MODAL"].includes(status));
  });
});

test("every status but an unknown one has words of its own, and every action a tone", () => {
  const keys = TASK_STATUSES.map((status) => statusLook(status).key);
  expect(new Set(keys).size).toBe(TASK_STATUSES.length);
  expect(statusLook("SOMETHING").key).toBe("unknown");
  expect([1, 21, 22, 0, 24].map((code) => codeLook(code).key)).toEqual([
    "submitted",
    "waiting",
    "duplicate",
    "notSubmitted",
    "refused",
  ]);
  expect(new Set(IMAGE_ACTIONS.map(actionTone))).toEqual(new Set(["blue", "accent", "neutral"]));
});
