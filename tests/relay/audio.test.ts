/** Speech and recordings through the relay: bytes as they arrive, charged seconds and tokens. */
import { describe, expect, test } from "vitest";
import { TEST_KEY, until } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import { operationScene } from "../support/relay/operations.ts";

const scene = operationScene();

describe("speech", () => {
  const request = { model: "tts-1", input: "Hello 👍", voice: "alloy" };

  test("comes back byte for byte and costs a token for each character", async () => {
    const answer = await scene.relay.post("/v1/audio/speech", request);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(Number(answer.headers.get("content-length"))).toBe(bytes.length);
    expect(bytes.length).toBe(12 * 4096);
    // 7 characters x 7.5
    expect(scene.charge()).toBe(53);
    expect(scene.openHolds()).toBe(0);
  });

  test("bytes flow before the end, the last of them wait for the charge", async () => {
    const size = 300_000;
    scene.upstream.plan({
      rawBody: Buffer.alloc(size, 7),
      contentType: "audio/mpeg",
      splitAtByte: 100_000,
      endDelayMs: 200,
    });
    scene.relay.billing.settleDelayMs = 150;
    const answer = await scene.relay.post("/v1/audio/speech", request);
    let received = 0;
    for await (const chunk of answer.body ?? []) {
      received += chunk.length;
      if (received < size) continue;
      expect(scene.relay.billing.settlements).toHaveLength(1);
    }
    expect(received).toBe(size);
  });

  test("what breaks off is cut short, not called whole; the books close", async () => {
    scene.upstream.plan({
      rawBody: Buffer.alloc(300_000, 7),
      contentType: "audio/mpeg",
      splitAtByte: 100_000,
      cutAtByte: 200_000,
    });
    const answer = await scene.relay.post("/v1/audio/speech", request);
    await expect(answer.arrayBuffer()).rejects.toThrow("terminated");
    await until(() => scene.relay.billing.holds.size === 0);
    expect(scene.relay.billing.rows).toHaveLength(1);
  });

  test("a client that disconnects stops the upstream", async () => {
    scene.upstream.plan({
      rawBody: Buffer.alloc(3_000_000, 7),
      contentType: "audio/mpeg",
      splitAtByte: 100_000,
      cutAtByte: 2_000_000,
      cutBy: "halt",
    });
    const controller = new AbortController();
    const answer = await fetch(`${scene.relay.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(request),
      signal: controller.signal,
    });
    await answer.body?.getReader().read();
    controller.abort();
    await until(() => scene.upstream.requests[0]?.wasAborted === true && scene.relay.billing.settlements.length === 1);
    expect(scene.charge()).toBe(53);
  });

  test("an error that comes as JSON with a status of success is an error", async () => {
    scene.upstream.plan({ rawBody: '{"error":{"message":"no voice"}}', contentType: "application/json" });
    const answer = await scene.relay.post("/v1/audio/speech", request);
    expect(answer.status).toBe(502);
    expect(scene.relay.billing.settlements).toHaveLength(0);
  });

  test("as events its usage is charged", async () => {
    const answer = await scene.relay.post("/v1/audio/speech", {
      ...request,
      model: "gpt-4o-mini-tts",
      stream_format: "sse",
    });
    const text = await answer.text();
    expect(text).toContain("speech.audio.done");
    // (9 + 120 x 1 x 20) x 0.3
    expect(scene.charge()).toBe(723);
    expect(scene.relay.billing.settlements[0]?.log?.isStream).toBe(true);
  });
});

describe("recordings", () => {
  const file = new Blob([new Uint8Array(silence(3))], { type: "audio/wav" });

  test.each([
    ["json", "application/json", /"text"/],
    ["verbose_json", "application/json", /"segments"/],
    ["text", "text/plain", /quick brown fox/],
    ["srt", "text/plain", /00:00:00,000/],
    ["vtt", "text/plain", /^WEBVTT/],
  ])("as %s: type and bytes stay", async (format, type, pattern) => {
    const answer = await scene.postForm("/v1/audio/transcriptions", {
      file,
      model: "whisper-1",
      response_format: format,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain(type);
    expect(await answer.text()).toMatch(pattern);
    // The upstream says 2 s (33 tokens x 15) where it says anything, the file has 3 s (50 x 15).
    expect(scene.charge()).toBe(type === "text/plain" ? 750 : 495);
    expect(scene.openHolds()).toBe(0);
  });

  test("an unreadable file is estimated by its size, and the receipt says so", async () => {
    scene.upstream.plan({ usage: null });
    const broken = new Blob([new Uint8Array(80_000)]);
    await (await scene.postForm("/v1/audio/translations", { file: broken, model: "whisper-1" })).text();
    // 80,000 bytes at 64 kbit/s are 10 s: 167 tokens x 15
    expect(scene.charge()).toBe(2505);
    expect(scene.receipt()["estimated"]).toBe(true);
  });

  test("quota is held for the length of the file", async () => {
    await scene.restart(new MemoryBilling(700));
    expect((await scene.postForm("/v1/audio/transcriptions", { file, model: "whisper-1" })).status).toBe(403);
    const short = new Blob([new Uint8Array(silence(2))], { type: "audio/wav" });
    expect((await scene.postForm("/v1/audio/transcriptions", { file: short, model: "whisper-1" })).status).toBe(200);
  });

  test("models by tokens are charged by them, also as a stream", async () => {
    await (await scene.postForm("/v1/audio/transcriptions", { file, model: "gpt-4o-transcribe" })).text();
    const answer = await scene.postForm("/v1/audio/transcriptions", {
      file,
      model: "gpt-4o-transcribe",
      stream: "true",
    });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const text = await answer.text();
    expect(text.match(/transcript\.text\.delta/g)).toHaveLength(4);
    expect(text).toContain("transcript.text.done");
    // (30 + 11 x 4) x 1.25
    expect(scene.charges()).toEqual([93, 93]);
  });
});
