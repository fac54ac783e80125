/** Charges of realtime answers, broken off ones too: their rows alone reproduce them, and so do the price list and the ledger. */
import { expect, test } from "vitest";
import { BROKEN_STREAM_RULES } from "../../contract/src/pricing/broken-stream.ts";
import { until, withOptions } from "../support/relay/harness.ts";
import { chargeScene } from "../support/relay/charges.ts";
import { AUTH, MODEL, RealtimeClient } from "../support/relay/realtime.ts";

const scene = chargeScene();

async function opened(): Promise<RealtimeClient> {
  const client = new RealtimeClient(scene.relay.url, [], AUTH, `?model=${MODEL}`);
  await client.has("session.created");
  return client;
}

async function closed(client: RealtimeClient): Promise<void> {
  client.socket.close();
  await until(() => scene.relay.billing.holds.size === 0);
}

test("in audio and in text, each with a row of its own", async () => {
  const client = await opened();
  await client.answer();
  await client.answer({ output_modalities: ["text"] });
  await closed(client);
  // (10 cached x 0.1 + 19 heard x 8 + 11 words + 15 said x 16 + 5 words out x 4) x 2 x 0.333
  expect(scene.agreed(0)).toBe(Math.round((1 + 152 + 11 + 240 + 20) * 2 * 0.333));
  expect(scene.agreed(1)).toBe(Math.round((15 + 7 * 4) * 2 * 0.333));
  expect(scene.relay.billing.settlements).toHaveLength(2);
  expect(scene.receipt(0)).toMatchObject({ ws: true, price_version: 7, price_since: 1_750_000_000 });
});

test("and transcripts by the price of the model that writes them", async () => {
  const done = "conversation.item.input_audio_transcription.completed";
  const client = await opened();
  for (const [index, model] of ["whisper-1", "gpt-4o-transcribe"].entries()) {
    client.send({
      type: "session.update",
      session: { type: "realtime", audio: { input: { transcription: { model } } } },
    });
    client.send({ type: "input_audio_buffer.commit" });
    await client.has(done, index + 1);
  }
  await closed(client);
  // 6 s at 1,000 tokens a minute x 3; (3 words + 14 heard x 2.4 + 9 written x 4) x 1.25; x 0.333
  expect(scene.agreed(0)).toBe(Math.round(100 * 3 * 0.333));
  expect(scene.agreed(1)).toBe(Math.round((3 + 14 * 2.4 + 9 * 4) * 1.25 * 0.333));
});

test("that the upstream did not count", async () => {
  scene.upstream.plan({ usage: null });
  const client = await opened();
  await client.answer();
  await closed(client);
  expect(scene.agreed()).toBeGreaterThan(0);
  expect(scene.receipt()["estimated"]).toBe(true);
});

test.each(BROKEN_STREAM_RULES)("broken off by the upstream, by the rule %s", async (rule) => {
  withOptions(scene.relay.world, { BrokenStreamBilling: rule });
  scene.upstream.plan({ finishReason: null, text: "on ".repeat(100).trimEnd(), chunks: 1 });
  const client = await opened();
  client.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(96_000).toString("base64") });
  client.send({ type: "response.create" });
  await client.has("response.output_audio.delta");
  scene.upstream.sockets[0]?.socket.terminate();
  await until(() => scene.relay.billing.settlements.length === 1 && scene.relay.billing.holds.size === 0);
  // 2 s heard are 20 tokens x 8; 100 words and 2 tokens of sound out x 4 and x 16; x 2 x 0.333
  const [input, output] = [20 * 8, 100 * 4 + 2 * 16];
  const charges = { delivered: (input + output) * 0.666, input_only: input * 0.666, nothing: 0 };
  expect(scene.agreed()).toBe(Math.round(charges[rule]));
});
