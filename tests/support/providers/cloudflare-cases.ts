/** Calls of Workers AI at `/ai/run`: prompts, pictures and recordings (tests/fixtures/providers/cloudflare/source.txt). */
import { silence } from "../../../server/src/relay/probe-questions.ts";
import type { OperationCase } from "./operation-case.ts";

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const RUN = `/client/v4/accounts/${ACCOUNT}/ai/run`;
const RECORDING = Buffer.from(silence(1));
const shared = { type: 39, other: ACCOUNT } as const;

export const CLOUDFLARE_CASES: readonly OperationCase[] = [
  {
    ...shared,
    name: "Workers AI completes a prompt",
    operation: "completions",
    asks: { model: "@cf/meta/llama-3.1-8b-instruct", prompt: "def f(", max_tokens: 9, stop: ["x"] },
    exchanges: [
      {
        path: `${RUN}/@cf/meta/llama-3.1-8b-instruct`,
        wants: { prompt: "def f(", max_tokens: 9 },
        says: {
          result: { response: "x):", usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } },
          success: true,
          errors: [],
        },
      },
    ],
    gets: { object: "text_completion", choices: [{ text: "x):", finish_reason: "stop" }] },
    counted: { inputTokens: 5, outputTokens: 3 },
    warned: ["stop"],
  },
  {
    ...shared,
    name: "Workers AI draws a picture of one size",
    operation: "images",
    asks: { model: "@cf/black-forest-labs/flux-1-schnell", prompt: "a cat", size: "1024x1024", n: 1 },
    exchanges: [
      {
        path: `${RUN}/@cf/black-forest-labs/flux-1-schnell`,
        wants: { prompt: "a cat" },
        says: { result: { image: "/9j/AA==" }, success: true, errors: [], messages: [] },
      },
    ],
    gets: { data: [{ b64_json: "/9j/AA==" }] },
    price: "0.01",
    charge: 5_000,
    warned: ["size"],
  },
  {
    ...shared,
    name: "Workers AI draws a picture of the size that is asked for",
    operation: "images",
    asks: { model: "@cf/leonardo/lucid-origin", prompt: "a cat", size: "512x768", response_format: "url" },
    exchanges: [
      {
        path: `${RUN}/@cf/leonardo/lucid-origin`,
        wants: { prompt: "a cat", width: 512, height: 768 },
        says: { result: { image: "/9j/AA==" }, success: true },
      },
    ],
    gets: { data: [{ url: "data:image/jpeg;base64,/9j/AA==" }] },
  },
  {
    ...shared,
    name: "Workers AI draws a picture that comes as its file",
    operation: "images",
    asks: { model: "@cf/stabilityai/stable-diffusion-xl-base-1.0", prompt: "a cat" },
    exchanges: [
      {
        path: `${RUN}/@cf/stabilityai/stable-diffusion-xl-base-1.0`,
        wants: { prompt: "a cat" },
        says: { bytes: "a picture", mimeType: "image/png" },
      },
    ],
    gets: { data: [{ b64_json: Buffer.from("a picture").toString("base64") }] },
    price: "0.01",
    charge: 5_000,
  },
  {
    ...shared,
    name: "Workers AI speaks, and its audio passes through",
    operation: "speech",
    asks: { model: "@cf/deepgram/aura-1", input: "hello", voice: "luna", response_format: "wav", speed: 2 },
    exchanges: [
      {
        path: `${RUN}/@cf/deepgram/aura-1`,
        wants: { text: "hello", speaker: "luna", encoding: "linear16", container: "wav" },
        says: { bytes: "sound", mimeType: "audio/wav" },
      },
    ],
    gets: "sound",
    price: "0.01",
    charge: 5_000,
    warned: ["speed"],
  },
  {
    ...shared,
    name: "Workers AI speaks in base64",
    operation: "speech",
    asks: { model: "@cf/myshell-ai/melotts", input: "hola", voice: "es" },
    exchanges: [
      {
        path: `${RUN}/@cf/myshell-ai/melotts`,
        wants: { prompt: "hola", lang: "es" },
        says: { result: { audio: Buffer.from("sound").toString("base64") }, success: true },
      },
    ],
    gets: "sound",
  },
  {
    ...shared,
    name: "Workers AI hears a recording with its language",
    operation: "transcriptions",
    asks: { model: "@cf/openai/whisper-large-v3-turbo", language: "de", response_format: "verbose_json" },
    file: { name: "a.wav", bytes: RECORDING },
    exchanges: [
      {
        path: `${RUN}/@cf/openai/whisper-large-v3-turbo`,
        wants: { audio: RECORDING.toString("base64"), task: "transcribe", language: "de" },
        says: {
          result: { text: "hallo", transcription_info: { language: "de", duration: 1 }, segments: [] },
          success: true,
        },
      },
    ],
    gets: { text: "hallo", language: "de", duration: 1 },
  },
  {
    ...shared,
    name: "Workers AI hears the bytes of a recording",
    operation: "transcriptions",
    asks: { model: "@cf/openai/whisper" },
    file: { name: "a.wav", bytes: RECORDING },
    exchanges: [
      {
        path: `${RUN}/@cf/openai/whisper`,
        wants: RECORDING.toString("utf8"),
        headers: { "content-type": "application/octet-stream" },
        says: { result: { text: "hallo", word_count: 1 }, success: true },
      },
    ],
    gets: { text: "hallo" },
  },
];
