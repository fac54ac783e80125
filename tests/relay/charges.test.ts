/**
 * Every kind of billing through the relay: its log row alone reproduces the charge, and so do the price list, the ledger and a second
 * implementation.
 */
import { describe, expect, test } from "vitest";
import { TEST_KEY } from "../support/relay/harness.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import { CHARGE_CASES } from "../support/relay/charge-cases.ts";
import { chargeScene } from "../support/relay/charges.ts";

const scene = chargeScene();

test.each(CHARGE_CASES)("$name", async ({ path, body, plan, usage, receipt = {} }) => {
  scene.upstream.plan(plan);
  const answer = await scene.relay.post(path, body);
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  expect(scene.agreed()).toBeGreaterThan(0);
  expect(scene.receipt()["usage"]).toEqual(usage);
  expect(scene.receipt()).toMatchObject(receipt);
});

describe("recordings", () => {
  const send = async (model: string, seconds: number): Promise<void> => {
    const form = new FormData();
    form.append("model", model);
    form.append("response_format", "json");
    form.append("file", new Blob([new Uint8Array(silence(seconds))], { type: "audio/wav" }), "a.wav");
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    const answer = await fetch(`${scene.relay.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  };

  test("by the seconds that the upstream counted", async () => {
    await send("whisper-1", 9);
    scene.agreed();
    expect(scene.receipt()["usage"]).toEqual({ inputTokens: 33 });
  });

  test("by begun seconds of the file where it counted none", async () => {
    scene.upstream.plan({ usage: null });
    await send("whisper-1", 9.2);
    scene.agreed();
    expect(scene.receipt()["usage"]).toEqual({ inputTokens: 167 });
  });

  test("by tokens", async () => {
    await send("gpt-4o-transcribe", 2);
    scene.agreed();
    expect(scene.receipt()["usage"]).toEqual({ inputTokens: 30, outputTokens: 11, audioInputTokens: 25 });
  });
});
