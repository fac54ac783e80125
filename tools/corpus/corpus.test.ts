/** The runner of recorded traffic finds a planted difference: three answers of our own, played as they are and read as something else. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerDifferences, chargeDifferences, chargeOf } from "./compare.ts";
import { streamOfLines } from "./frames.ts";
import { heardOf } from "./readers.ts";
import { type Recording, placeOf } from "./recording.ts";
import { type Outcome, cutsOf, replay } from "./replay.ts";
import { pageOf, tally } from "./report.ts";
import { type Scene, openScene } from "./scene.ts";

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const known = { source: "own", status: 200, isStream: false, contentType: "application/json" };

/** A whole answer that calls a tool. */
const CALLS: Recording = {
  ...known,
  vendor: "openai",
  type: 1,
  format: "openai-chat",
  name: "calls",
  model: "gpt-4o",
  body: json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"the map"}' } }],
        },
      },
    ],
    usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49, prompt_tokens_details: { cached_tokens: 16 } },
  }),
};

/** A streamed answer that thinks, and has written to both caches. */
const THINKS: Recording = {
  ...known,
  ...streamOfLines(
    [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-sonnet-4-5",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 11,
            output_tokens: 1,
            cache_read_input_tokens: 100,
            cache_creation_input_tokens: 30,
            cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
          },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Six times seven." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Forty-" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "two" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 21 } },
      { type: "message_stop" },
    ].map((event) => JSON.stringify(event)),
    "anthropic-messages",
  ),
  isStream: true,
  vendor: "anthropic",
  type: 14,
  format: "anthropic-messages",
  name: "thinks",
  model: "claude-sonnet-4-5",
};

const REFUSED: Recording = {
  ...known,
  vendor: "gemini",
  type: 24,
  format: "gemini",
  name: "refused",
  model: "gemini-2.5-flash",
  status: 400,
  body: json({ error: { code: 400, message: "Unknown field.", status: "INVALID_ARGUMENT" } }),
};

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(2);
});
afterAll(() => scene.close());

/** Kinds that differ, for each client, of a recording that the upstream plays as another one. */
async function differing(recording: Recording, played: Recording, cutCount = 0): Promise<readonly string[][]> {
  const { load } = scene;
  const { status, contentType, body, isStream } = played;
  const swapped: Scene = {
    ...scene,
    load: (lane, asked, cut) => load(lane, { ...asked, status, contentType, body, isStream }, cut),
  };
  const outcomes = await replay(swapped, [recording], cutCount);
  return outcomes.map(({ differences }) => [...new Set(differences.map(({ kind }) => kind))]);
}

const changed = (recording: Recording, from: string, to: string): Recording => {
  const text = recording.body.toString("utf8");
  if (!text.includes(from)) throw new Error(`${from} is not in the recording`);
  return { ...recording, body: Buffer.from(text.replace(from, to)) };
};
const four = (kinds: readonly string[]): readonly (readonly string[])[] => [kinds, kinds, kinds, kinds];

describe("recordings through the relay", () => {
  test("an answer, a stream with its cuts, and an error come through whole for four clients", async () => {
    const outcomes = await replay(scene, [CALLS, THINKS, REFUSED], 100);
    const result = tally(outcomes);
    expect(result.differing.map(({ client, unexplained }) => [client, unexplained])).toEqual([]);
    // Nine events come before the one that says how the answer ended.
    expect([result.calls, result.whole, result.cuts, result.honestCuts]).toEqual([12, 12, 36, 36]);
    expect(pageOf(result)).toContain("**12 of 12 answers whole (100.00 %)");
  });

  test("a call that is dropped is found", async () => {
    const played = changed(CALLS, '"finish_reason":"tool_calls"', '"finish_reason":"stop"');
    const without = changed(played, '"name":"look","arguments":"{\\"at\\":\\"the map\\"}"', '"name":"","arguments":""');
    for (const kinds of await differing(CALLS, without))
      expect(kinds).toEqual(expect.arrayContaining(["tools", "finish"]));
  });

  test.each([
    ["cached tokens", '"cached_tokens":16', '"cached_tokens":15'],
    ["tokens that came out", '"completion_tokens":9,"total_tokens":49', '"completion_tokens":10,"total_tokens":50'],
  ])("a wrong count of %s is found in the usage and in the charge", async (_, from, to) => {
    expect(await differing(CALLS, changed(CALLS, from, to))).toEqual(four(["usage", "charge"]));
  });

  test("what went into the cache for an hour is told apart in the charge", async () => {
    const other = changed(
      THINKS,
      '"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10',
      '"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":0',
    );
    expect(await differing(THINKS, other)).toEqual(four(["charge"]));
  });

  test("thinking that is lost is found", async () => {
    expect(await differing(THINKS, changed(THINKS, "Six times seven.", ""))).toEqual(four(["thinking"]));
  });

  test("words that were not recorded are found in whole streams and in cut ones", async () => {
    const kinds = await differing(THINKS, changed(THINKS, "Forty-", "Fifty-"), 9);
    expect(kinds.slice(0, 4)).toEqual(four(["text"]));
    expect(kinds.slice(4).filter((each) => each.includes("cut"))).not.toEqual([]);
  });

  test("a cut stream that ends as if it were whole is found", async () => {
    const { load } = scene;
    const uncut: Scene = { ...scene, load: (lane, recording) => load(lane, recording) };
    const outcomes = await replay(uncut, [THINKS], 1);
    expect(outcomes.slice(4).map(({ differences }) => differences.map(({ kind }) => kind))).toEqual(four(["cut"]));
  });

  test("an error that comes as an answer is found, and an answer that comes as an error", async () => {
    const parts = [{ text: "hello" }];
    const body = json({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }] });
    expect(await differing(REFUSED, { ...REFUSED, status: 200, body })).toEqual(four(["error"]));
    expect(await differing(CALLS, { ...CALLS, status: 400, body: REFUSED.body })).toEqual(four(["error"]));
  });
});

test("a call without a row of the log is a difference", () => {
  expect(chargeDifferences(heardOf(CALLS)?.usage, undefined)).toMatchObject([{ kind: "charge" }]);
});

test("a difference without an explanation is no whole answer", () => {
  const recorded = heardOf(CALLS);
  if (recorded === undefined) throw new Error("the fixture cannot be read");
  const differences = answerDifferences(recorded, { ...recorded, text: "" });
  const outcome: Outcome = { recording: CALLS, client: "gemini", recorded, cutAtByte: undefined, differences };
  const result = tally([outcome]);
  expect([result.whole, result.calls, result.wholeShare, result.kinds.get("text")]).toEqual([0, 1, 0, 1]);
  expect(pageOf(result)).toContain("| openai | own calls | gemini | text |");
});

test("the charge of a usage is that of its parts", () => {
  const usage = { input: 141, output: 21, cached: 100, written: 20, writtenLong: 10 };
  expect(heardOf(THINKS)?.usage).toEqual(usage);
  // 11 plain, 100 x 0.25, 20 x 1.25, 10 x 2, 21 x 4
  expect(chargeOf(usage)).toBe(11 + 25 + 25 + 20 + 84);
});

test("cuts come before the event that ends the answer, and only in streams", () => {
  const places = cutsOf(THINKS, 100);
  expect([places.length, cutsOf(CALLS, 100), cutsOf(THINKS, 3).length]).toEqual([9, [], 3]);
  expect(THINKS.body.subarray(0, places.at(-1)).toString()).toMatch(/content_block_stop","index":1\}\n\n$/);
});

test.each([
  ["https://api.openai.com/v1/chat/completions", { vendor: "openai", type: 1, format: "openai-chat", model: "" }],
  [
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse-stream",
    { vendor: "bedrock", type: 33, format: "converse", model: "us.amazon.nova-lite-v1:0" },
  ],
  [
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    { vendor: "gemini", type: 24, format: "gemini", model: "gemini-2.5-pro" },
  ],
  ["https://api.openai.com/v1/embeddings", undefined],
])("%s is %j", (address, place) => {
  expect(placeOf(address)).toEqual(place);
});
