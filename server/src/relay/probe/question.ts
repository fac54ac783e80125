/** What a channel's test asks of a model, by what the model is for: the shortest call there is, as a client of OpenAI would make it. */
import { type ModelKind, modelKind } from "../../../../contract/src/pricing/model-kind.ts";
import type { Operation } from "../../providers/provider.ts";

export interface Question {
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

const json = (operation: Operation, path: string, fields: object): Question => ({
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
    operation: "transcriptions",
    path: "/v1/audio/transcriptions",
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat(parts.map((part) => Buffer.from(part as string))),
  };
}

const LISTENS = /whisper|transcri|-asr\b|voxtral/i;
const REALTIME = /realtime/i;

const QUESTIONS: Readonly<Partial<Record<ModelKind, (model: string) => Question | undefined>>> = {
  chat: (model) =>
    json("chat", "/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: "hi" }],
      max_tokens: TEST_TOKENS,
    }),
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

/** Undefined for models that no single call tries: videos and sessions. */
export const questionFor = (model: string): Question | undefined => QUESTIONS[modelKind(model)]?.(model);

/** Cheapest first: a test that may choose takes a model that makes pictures last of all. */
const PREFERENCE: readonly ModelKind[] = ["chat", "embeddings", "rerank", "moderation", "audio", "image"];

/** The model that a channel is tested with where none is named; undefined where it has none that can be tested. */
export function modelToTest(models: Iterable<string>): string | undefined {
  const testable = [...models].filter((model) => questionFor(model) !== undefined);
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
