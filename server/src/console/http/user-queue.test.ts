/** Tests of the queue for each user: its concurrency, first in first out, refusals when it is full, and a place that is released when a reader disconnects. */
import { expect, test } from "vitest";
import { UserQueue } from "./user-queue.ts";

test("one user has a limited number of places, waits for them in order, and is refused when the queue is full; other users do not wait", async () => {
  const queue = new UserQueue({ concurrent: 2, waiting: 1, total: 100 });
  const [first, second] = [await queue.take(1), await queue.take(1)];
  const order: string[] = [];
  const third = queue.take(1).then((end) => (order.push("third"), end));
  await expect(queue.take(1)).rejects.toMatchObject({ status: 429 });
  (await queue.take(2))();
  order.push("other");
  first();
  (await third)();
  expect(order).toEqual(["other", "third"]);
  second();
  const again = [await queue.take(1), await queue.take(1)];
  for (const end of again) end();
});

test("all users together are limited, and a stream releases its place, read to its end or not", async () => {
  const queue = new UserQueue({ concurrent: 5, waiting: 0, total: 2 });
  async function* pieces(): AsyncGenerator<string> {
    yield "one";
    yield "two";
  }
  const [first, second] = [await queue.stream(1, pieces()), await queue.stream(2, pieces())];
  await expect(queue.stream(3, pieces())).rejects.toMatchObject({ status: 429 });
  await first.next();
  await first.return(undefined);
  const seen: string[] = [];
  for await (const piece of await queue.stream(3, pieces())) seen.push(piece);
  expect(seen).toEqual(["one", "two"]);
  expect((await second.next()).value).toBe("one");
});
