/** Tests of streamed console responses: the stream and its source end when the client stops reading. */
import { Hono } from "hono";
import { expect, test } from "vitest";
import { succeedStreaming } from "./stream-answer.ts";

test("a caller who reads a piece and then nothing is broken off, and the source is ended", async () => {
  const ended = Promise.withResolvers<void>();
  async function* source(): AsyncGenerator<string> {
    try {
      for (;;) yield "piece";
    } finally {
      ended.resolve();
    }
  }
  const app = new Hono().get("/", (c) => succeedStreaming(c, source(), {}, () => undefined, 20));
  const reader = (await app.request("/")).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("piece");
  await ended.promise;
  await expect(reader?.read()).rejects.toThrow("takes nothing");
});
