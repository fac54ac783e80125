/** The libraries' calls beside chat, as matrix.test.ts makes them at each vendor; a part of docs/compatibility.md. */
import { type OpenAI, toFile } from "openai";
import { expect } from "vitest";
import { TEST_KEY } from "../support/relay/harness.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import { PIXEL, table } from "./matrix.ts";
import { type OperationScene, openOperations } from "./operation-scene.ts";
import { Talker, startTlsProxy } from "./realtime-client.ts";

/** The vendors, by their channel types. */
export const VENDORS = [
  { title: "OpenAI", type: 1 },
  { title: "Anthropic", type: 14 },
  { title: "Gemini", type: 24 },
] as const;
export type Vendor = (typeof VENDORS)[number]["title"];

/** `counted`: answered by the gateway itself, with its estimate. `absent`: the vendor has no such call, and the library gets that error. */
export type OperationOutcome = "works" | "counted" | "absent";

export interface OperationCase {
  client: string;
  name: string;
  expected: Readonly<Record<Vendor, OperationOutcome>>;
  /** A model of the vendor for it; the first of them where it has none. */
  models: Readonly<Partial<Record<Vendor, string>>>;
  run(scene: OperationScene, model: string): Promise<void>;
}

const ONLY_OPENAI = { OpenAI: "works", Anthropic: "absent", Gemini: "absent" } as const;
const NOT_ANTHROPIC = { OpenAI: "works", Anthropic: "absent", Gemini: "works" } as const;
const EMBEDDERS = { OpenAI: "text-embedding-3-small", Gemini: "gemini-embedding-001" };
const TALKERS = { OpenAI: "gpt-4o", Anthropic: "claude-sonnet-4-5", Gemini: "gemini-2.5-flash" };

const picture = (): ReturnType<typeof toFile> =>
  toFile(Buffer.from(PIXEL, "base64"), "picture.png", { type: "image/png" });
const recording = (): ReturnType<typeof toFile> => toFile(silence(2), "recording.wav", { type: "audio/wav" });

const openAi = (
  name: string,
  model: string,
  run: (library: OpenAI, model: string) => Promise<unknown>,
): OperationCase => ({
  client: "openai",
  name,
  expected: ONLY_OPENAI,
  models: { OpenAI: model },
  run: async ({ openai }, asked) => expect(await run(openai, asked)).toBeTruthy(),
});

/** A session of the realtime API, through a proxy that ends TLS. */
const realtime = (
  name: string,
  asked: ConstructorParameters<typeof Talker>[2],
  talk: (client: Talker) => Promise<unknown>,
): OperationCase => ({
  client: "openai",
  name,
  expected: ONLY_OPENAI,
  models: { OpenAI: "gpt-realtime" },
  async run({ relay }) {
    const proxy = await startTlsProxy(relay.url);
    try {
      const client = new Talker(proxy, `sk-${TEST_KEY}`, asked);
      await client.heard("session.created");
      expect(await talk(client)).toBeTruthy();
    } finally {
      proxy.close();
    }
  },
});

const answered =
  (modality: "audio" | "text") =>
  async (client: Talker): Promise<unknown> => {
    client.library.send({ type: "response.create", response: { output_modalities: [modality] } });
    return (await client.heard("response.done")).response.usage?.output_tokens;
  };

async function transcribed(client: Talker): Promise<unknown> {
  const transcription = { model: "gpt-4o-transcribe" };
  client.library.send({
    type: "session.update",
    session: { type: "transcription", audio: { input: { transcription } } },
  });
  client.library.send({ type: "input_audio_buffer.commit" });
  return (await client.heard("conversation.item.input_audio_transcription.completed")).transcript;
}

export const OPERATION_CASES: readonly OperationCase[] = [
  {
    client: "openai",
    name: "embeddings",
    expected: NOT_ANTHROPIC,
    models: EMBEDDERS,
    async run({ openai }, model) {
      const { data } = await openai.embeddings.create({ model, input: ["a", "b"], dimensions: 3 });
      expect(data.map(({ embedding }) => embedding[2])).toEqual([0, 1]);
    },
  },
  {
    client: "openai",
    name: "images.generate",
    expected: NOT_ANTHROPIC,
    models: { OpenAI: "gpt-image-1", Gemini: "imagen-4.0-generate-001" },
    async run({ openai }, model) {
      const { data } = await openai.images.generate({ model, prompt: "a cat", n: 2 });
      expect(data?.map((each) => each.b64_json?.slice(0, 5))).toEqual(["iVBOR", "iVBOR"]);
    },
  },
  openAi("images.generate, streamed", "gpt-image-1", async (openai, model) => {
    const stream = await openai.images.generate({ model, prompt: "x", stream: true, partial_images: 1 });
    return (await Array.fromAsync(stream)).length === 2;
  }),
  openAi("images.edit", "gpt-image-1", async (openai, model) => {
    const { data } = await openai.images.edit({ model, prompt: "x", image: [await picture(), await picture()] });
    return data?.[0]?.b64_json;
  }),
  openAi("images.createVariation", "dall-e-2", async (openai, model) => {
    const { data } = await openai.images.createVariation({ model, image: await picture() });
    return data?.[0]?.b64_json;
  }),
  openAi("audio.speech", "tts-1", async (openai, model) => {
    const answer = await openai.audio.speech.create({ model, voice: "alloy", input: "Hello" });
    return (await answer.arrayBuffer()).byteLength;
  }),
  openAi("audio.transcriptions", "whisper-1", async (openai, model) => {
    const answer = await openai.audio.transcriptions.create({ model, file: await recording() });
    return answer.text;
  }),
  openAi("audio.transcriptions, streamed", "gpt-4o-transcribe", async (openai, model) => {
    const stream = await openai.audio.transcriptions.create({ model, file: await recording(), stream: true });
    return (await Array.fromAsync(stream)).at(-1)?.type === "transcript.text.done";
  }),
  openAi("audio.translations", "whisper-1", async (openai, model) => {
    const answer = await openai.audio.translations.create({ model, file: await recording() });
    return answer.text;
  }),
  openAi("moderations", "omni-moderation-latest", async (openai, model) => {
    const { results } = await openai.moderations.create({ model, input: "an attack" });
    return results[0]?.flagged;
  }),
  realtime("realtime, in words", { model: "gpt-realtime" }, answered("text")),
  realtime("realtime, in sound", { model: "gpt-realtime" }, answered("audio")),
  realtime("realtime, transcripts", { intent: "transcription" }, transcribed),
  {
    client: "@google/genai",
    name: "embedContent",
    expected: NOT_ANTHROPIC,
    models: EMBEDDERS,
    async run({ google }, model) {
      const asked = { model, contents: ["a", "b"], config: { outputDimensionality: 3 } };
      const { embeddings } = await google.models.embedContent(asked);
      expect(embeddings?.map(({ values }) => values?.[2])).toEqual([0, 1]);
    },
  },
  {
    client: "@google/genai",
    name: "generateImages",
    expected: NOT_ANTHROPIC,
    models: { OpenAI: "gpt-image-1", Gemini: "imagen-4.0-generate-001" },
    async run({ googleEnterprise }, model) {
      const config = { numberOfImages: 2, aspectRatio: "1:1" };
      const { generatedImages } = await googleEnterprise.models.generateImages({ model, prompt: "a cat", config });
      expect(generatedImages?.map(({ image }) => image?.imageBytes?.slice(0, 5))).toEqual(["iVBOR", "iVBOR"]);
    },
  },
  {
    client: "@google/genai",
    name: "countTokens",
    expected: { OpenAI: "counted", Anthropic: "counted", Gemini: "works" },
    models: TALKERS,
    async run({ google }, model) {
      const { totalTokens } = await google.models.countTokens({ model, contents: "hello there, how are you?" });
      expect(totalTokens).toBeGreaterThan(3);
    },
  },
  {
    client: "@anthropic-ai/sdk",
    name: "messages.countTokens",
    expected: { OpenAI: "counted", Anthropic: "works", Gemini: "counted" },
    models: TALKERS,
    async run({ anthropic }, model) {
      const { input_tokens: count } = await anthropic.messages.countTokens({
        model,
        system: "Be brief.",
        messages: [{ role: "user", content: "hello there, how are you?" }],
        tools: [{ name: "look", input_schema: { type: "object", properties: { place: { type: "string" } } } }],
      });
      expect(count).toBeGreaterThan(3);
    },
  },
];

const REFUSALS: ReadonlySet<unknown> = new Set([400, 503]);
const statusOf = (error: unknown): unknown => (error as { status?: unknown }).status;

/** Makes one call at one vendor and returns how it was answered. */
export async function tryOperation(each: OperationCase, vendor: (typeof VENDORS)[number]): Promise<OperationOutcome> {
  const scene = await openOperations(vendor.type);
  const model = each.models[vendor.title] ?? Object.values(each.models)[0] ?? "";
  try {
    await each.run(scene, model);
    return scene.upstream.count === 0 ? "counted" : "works";
  } catch (error) {
    // Refused before anything was sent: no channel offers the call, or none offers it in this way.
    if (!REFUSALS.has(statusOf(error)) || scene.upstream.count > 0) throw error;
    return "absent";
  } finally {
    await scene.close();
  }
}

export const operationKey = (each: OperationCase, vendor: string): string => `${each.client} ${each.name} ${vendor}`;

/** The part of the document, made from what was seen. */
export function operationsPart(seen: ReadonlyMap<string, OperationOutcome>): string[] {
  const words = { works: "yes", counted: "yes³", absent: "-", "": "" } as const;
  const rows = OPERATION_CASES.map((each) => [
    each.client,
    each.name,
    ...VENDORS.map(({ title }) => words[seen.get(operationKey(each, title)) ?? ""]),
  ]);
  return [
    "## Beside conversations",
    "",
    "Where a vendor has another vendor's call in its own format it is translated; where it has none (-) the library is told so before",
    "anything is sent.",
    "",
    ...table([["client", "call", ...VENDORS.map(({ title }) => title)], ...rows]),
    "",
    "The present library of Google asks for pictures at the paths of its enterprise platform alone: `vertexai: true` with a token as the key.",
    "Older ones ask at `/v1beta/models/{model}:predict`. Settings that OpenAI's models do not have are named in `turnpike-warnings`; those",
    "without which another picture would come, such as `negativePrompt`, are refused by their names.",
    "",
    "³ The vendor of the model does not count for clients of this format; the gateway answers with its own estimate.",
  ];
}
