/** Tests of the second SQLite reader thread: when it starts and which queries it gets, with fake threads that answer on demand. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SqliteReaders } from "./sqlite-thread.ts";

const REQUEST = { kind: "statement", sql: "select 1", parameters: [], transaction: 0 } as const;

/** A thread that keeps what it is sent until `answer`. */
function slowThread() {
  const waiting: (() => void)[] = [];
  return {
    sent: 0,
    isClosed: false,
    get pending() {
      return waiting.length;
    },
    send() {
      this.sent += 1;
      return new Promise<unknown>((resolve) => waiting.push(() => resolve("rows")));
    },
    answer() {
      waiting.shift()?.();
    },
    async close() {
      this.isClosed = true;
    },
  };
}

function openReaders() {
  const [first, second] = [slowThread(), slowThread()];
  const start = vi.fn(async () => second);
  return { first, second, start, readers: new SqliteReaders(first, start) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a request alone starts no second thread, however long it takes", async () => {
  const { readers, start } = openReaders();
  void readers.send(REQUEST);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(start).not.toHaveBeenCalled();
});

test("short waits behind one another start no second thread", async () => {
  const { readers, first, start } = openReaders();
  for (let call = 0; call < 50; call += 1) {
    void readers.send(REQUEST);
    void readers.send(REQUEST);
    await vi.advanceTimersByTimeAsync(50);
    first.answer();
    first.answer();
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(start).not.toHaveBeenCalled();
});

test("a long wait starts the second thread, which takes what comes next", async () => {
  const { readers, second, start } = openReaders();
  void readers.send(REQUEST);
  void readers.send(REQUEST);
  await vi.advanceTimersByTimeAsync(99);
  expect(start).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(start).toHaveBeenCalledTimes(1);
  void readers.send(REQUEST);
  expect(second.sent).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(start).toHaveBeenCalledTimes(1);
});

test("several long waits at once start one thread", async () => {
  const { readers, start } = openReaders();
  start.mockReturnValue(new Promise(() => undefined));
  for (let call = 0; call < 3; call += 1) void readers.send(REQUEST);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(start).toHaveBeenCalledTimes(1);
});

test("a second thread that cannot start is tried again at the next long wait", async () => {
  const { readers, first, start } = openReaders();
  start.mockRejectedValueOnce(new Error("no memory"));
  void readers.send(REQUEST);
  void readers.send(REQUEST);
  await vi.advanceTimersByTimeAsync(200);
  void readers.send(REQUEST);
  expect(first.sent).toBe(3);
  await vi.advanceTimersByTimeAsync(200);
  expect(start).toHaveBeenCalledTimes(2);
});

test("once closed nothing is sent and nothing is started", async () => {
  const { readers, first, start } = openReaders();
  void readers.send(REQUEST);
  void readers.send(REQUEST);
  await readers.close();
  await vi.advanceTimersByTimeAsync(200);
  expect(first.isClosed).toBe(true);
  expect(start).not.toHaveBeenCalled();
  expect(() => readers.send(REQUEST)).toThrow("closed");
});
