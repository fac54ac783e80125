/** Slow bodies: a body is aborted after a pause, counted from the last piece, the first one too. */
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TEST_KEY, type TestRelay, startTestRelay } from "../support/relay/harness.ts";

const PAUSE_MS = 60_000;
let relay: TestRelay;

beforeEach(async () => {
  relay = await startTestRelay({ bodyPauseMs: PAUSE_MS });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(async () => {
  vi.useRealTimers();
  await relay.close();
});

test("a body whose pieces come before each pause is over is read, however long it takes as a whole", async () => {
  const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });
  const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (part) => void (received += part.toString()));
  const send = async (text: string): Promise<void> => {
    await new Promise<void>((resolve) => socket.write(text, () => resolve()));
    // What was written before a whole call on another connection has reached the server.
    await fetch(`${relay.url}/v1/no-such-path`).then((answer) => answer.text());
  };
  await send(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TEST_KEY}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  for (let at = 0; at < body.length; at += 20) {
    vi.advanceTimersByTime(PAUSE_MS - 1);
    await send(body.slice(at, at + 20));
  }
  await expect.poll(() => received).toMatch(/^HTTP\/1\.1 \d+/);
  // Read and understood: this relay has no channels.
  expect(received).toContain("model_not_found");
  socket.destroy();
});
