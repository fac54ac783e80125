/** Requests of channel tests, by the model's kind and the capability to show: the shortest call there is, as a client of OpenAI makes it. */
import type { TestKind } from "../../../contract/src/channels/channel-tests.ts";
import { type ModelKind, modelKind } from "../../../contract/src/pricing/model-kind.ts";
import type { Operation } from "../providers/provider.ts";

export interface Question {
  kind: TestKind;
  operation: Operation;
  path: string;
  contentType: string;
  body: Buffer;
}

/** Tokens of an answer: reasoning models spend more than a word before the first one. */
const TEST_TOKENS = 10;
const BOUNDARY = "turnpike-channel-test";
/** Vendors refuse recordings of less than a tenth of a second. */
const RECORDING_SECONDS = 0.5;

/** A call of a tool has its arguments to write. */
const TOOL_TEST_TOKENS = 300;

/** 64 by 64 pixels of one colour as PNG: vendors refuse pictures of a few pixels. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATklEQVR42u3PMQ0AAAgDsEmb/wtJSOAmaVIDzbSvRUBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsuHaATwYqCyFAAAAAElFTkSuQmCC";

const json = (operation: Operation, path: string, fields: object): Question => ({
  kind: "plain",
  operation,
  path,
  contentType: "application/json",
  body: Buffer.from(JSON.stringify(fields)),
});

function transcription(model: string): Question {
  const head = (disposition: string): string => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const parts = [
    `${head('name="model"')}\r\n${model}\r\n`,
    `${head('name="file"; filename="silence.wav"')}Content-Type: audio/wav\r\n\r\n`,
    silence(RECORDING_SECONDS),
    `\r\n--${BOUNDARY}--\r\n`,
  ];
  return {
    kind: "plain",
    operation: "transcriptions",
    path: "/v1/audio/transcriptions",
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat(parts.map((part) => Buffer.from(part as string))),
  };
}

const LISTENS = /whisper|transcri|-asr\b|voxtral/i;
const REALTIME = /realtime/i;

const chat = (model: string, kind: TestKind, content: unknown, fields: object = {}): Question => ({
  ...json("chat", "/v1/chat/completions", {
    model,
    messages: [{ role: "user", content }],
    max_tokens: kind === "tools" ? TOOL_TEST_TOKENS : TEST_TOKENS,
    ...fields,
  }),
  kind,
});

const TOOL = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Gives the weather of a city now.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const CHAT_QUESTIONS: Readonly<Record<TestKind, (model: string) => Question>> = {
  plain: (model) => chat(model, "plain", "hi"),
  stream: (model) => chat(model, "stream", "hi", { stream: true, stream_options: { include_usage: true } }),
  tools: (model) =>
    chat(model, "tools", "What is the weather in Paris now? Call get_weather.", { tools: [TOOL], tool_choice: "auto" }),
  pictures: (model) =>
    chat(model, "pictures", [
      { type: "text", text: "Name the colour of this picture in one word." },
      { type: "image_url", image_url: { url: PICTURE } },
    ]),
};

const QUESTIONS: Readonly<Partial<Record<ModelKind, (model: string) => Question | undefined>>> = {
  chat: CHAT_QUESTIONS.plain,
  embeddings: (model) => json("embeddings", "/v1/embeddings", { model, input: ["hello world"] }),
  rerank: (model) =>
    json("rerank", "/v1/rerank", { model, query: "hello", documents: ["hello world", "good night"], top_n: 1 }),
  moderation: (model) => json("moderations", "/v1/moderations", { model, input: "hello world" }),
  image: (model) => json("images", "/v1/images/generations", { model, prompt: "a small grey circle", n: 1 }),
  audio: (model) => {
    if (REALTIME.test(model)) return undefined;
    if (LISTENS.test(model)) return transcription(model);
    return json("speech", "/v1/audio/speech", { model, input: "hi", voice: "alloy" });
  },
};

/** Undefined for models that no single call tries (videos and sessions), and for a kind that conversations alone have. */
export function questionFor(model: string, kind: TestKind): Question | undefined {
  const isFor = modelKind(model);
  if (isFor === "chat") return CHAT_QUESTIONS[kind](model);
  return kind === "plain" ? QUESTIONS[isFor]?.(model) : undefined;
}

/** Cheapest first: a test that may choose takes a model that makes pictures last of all. */
const PREFERENCE: readonly ModelKind[] = ["chat", "embeddings", "rerank", "moderation", "audio", "image"];

/** The model that a channel is tested with where none is named; undefined where it has none that can be tested. */
export function modelToTest(models: Iterable<string>): string | undefined {
  const testable = [...models].filter((model) => questionFor(model, "plain") !== undefined);
  const rank = (model: string): number => PREFERENCE.indexOf(modelKind(model));
  return testable.toSorted((left, right) => rank(left) - rank(right))[0];
}

const RATE = 8000;
const HEADER_BYTES = 44;

/** A recording of nothing, for tests of channels and of the program. WAV (RIFF), PCM, mono, 8 bit at 8 kHz: one byte a sample. */
export function silence(seconds: number): Buffer {
  const samples = Math.round(seconds * RATE);
  const file = Buffer.alloc(HEADER_BYTES + samples, 0x80);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(HEADER_BYTES - 8 + samples, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples, 40);
  return file;
}
