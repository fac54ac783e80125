/** Tests of the SQLite thread for user queries: started by the first one, ended a minute after the last, and replaced when it dies. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SqliteQuestions } from "./sqlite-questions.ts";

const REQUEST = { kind: "statement", sql: "select 1", parameters: [], transaction: 0, limitMs: 5 } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openQuestions() {
  const closed = vi.fn(async () => undefined);
  const deaths: (() => void)[] = [];
  const start = vi.fn(async (onDeath: () => void) => {
    deaths.push(onDeath);
    return { pending: 0, send: async () => "rows", close: closed };
  });
  return { questions: new SqliteQuestions(start), start, closed, deaths };
}

test("without a question there is no thread, with many there is one, and a minute after the last it is gone", async () => {
  const { questions, start, closed } = openQuestions();
  expect(start).not.toHaveBeenCalled();
  expect(await Promise.all([questions.send(REQUEST), questions.send(REQUEST)])).toEqual(["rows", "rows"]);
  await vi.advanceTimersByTimeAsync(59_000);
  await questions.send(REQUEST);
  await vi.advanceTimersByTimeAsync(59_000);
  expect([start.mock.calls.length, closed.mock.calls.length]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(closed).toHaveBeenCalledTimes(1);
  await questions.send(REQUEST);
  expect(start).toHaveBeenCalledTimes(2);
});

test("a thread that died or could not be started is replaced by the next question", async () => {
  const { questions, start, deaths } = openQuestions();
  await questions.send(REQUEST);
  deaths[0]?.();
  start.mockRejectedValueOnce(new Error("no memory"));
  await expect(questions.send(REQUEST)).rejects.toThrow("no memory");
  expect(await questions.send(REQUEST)).toBe("rows");
  expect(start).toHaveBeenCalledTimes(3);
});

test("once closed nothing is asked any more", async () => {
  const { questions, closed } = openQuestions();
  await questions.send(REQUEST);
  await questions.close();
  await questions.close();
  expect(closed).toHaveBeenCalledTimes(1);
  await expect(questions.send(REQUEST)).rejects.toThrow("closed");
  expect(vi.getTimerCount()).toBe(0);
});
