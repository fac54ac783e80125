/** Cloudflare Workers AI: channel type 39 (developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility). */
import { defined, isObject, listOf, numberOf, objectOf, ownOf, textOf } from "../dialects/json/fields.ts";
import { type ErrorText, readFailure, withKind, errorTextOf } from "../dialects/neutral/failure.ts";
import { type BinaryBody, type JsonObject, TranslationFault } from "../dialects/neutral/neutral.ts";
import {
  mappedEffort,
  isCompletions,
  olderLimit,
  plainVectors,
  systemRole,
} from "../dialects/openai-chat/compatible.ts";
import { atMostPictures, inOnePiece, wantedPixels, warnOfSettings } from "../dialects/openai-chat/operations/images.ts";
import type { OperationRequest, VendorOperation } from "../dialects/vendor-operation.ts";
import { defineProvider } from "./define.ts";
import type {
  Operation,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  Quirk,
  UpstreamErrorKind,
  UpstreamFailure,
} from "./provider.ts";

// Where an account's models are: OpenAI's paths behind `/ai/v1`, others behind `/ai/run` (developers.cloudflare.com/workers-ai/get-started/rest-api).

/** The list of models comes in pages. */
const MODELS = "/ai/models/search?per_page=100";

/** `other` is the account's id; the base URL may end in the version. */
function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/client\/v4$/, "");
  const target = operation === "models" ? MODELS : path.startsWith("/v1/") ? `/ai${path}` : path;
  const url = `${base}/client/v4/accounts/${encodeURIComponent(channel.other.trim())}${target}`;
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}

/** Where Workers AI differs from OpenAI's chat completions and embeddings (developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility). */
const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor's models know the efforts low, medium and high",
    appliesTo: isCompletions,
    patch: (body) => mappedEffort(body, { minimal: "low", xhigh: "high", max: "high" }),
  },
  {
    reason: "the vendor's vectors are numbers only",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: plainVectors,
  },
];

// Failures of Workers AI: `{success: false, errors: [{code, message}]}` (developers.cloudflare.com/workers-ai/platform/errors).

/** Codes that say what their statuses do not; 4006 is the day's free allocation under an older number. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "10000": "auth",
  "7003": "auth",
  "9109": "auth",
  "3036": "quota",
  "4006": "quota",
  "3040": "overloaded",
  "3007": "timeout",
  "3008": "timeout",
};

function errorTextIn(parsed: unknown): ErrorText {
  const [first] = isObject(parsed) ? listOf(parsed["errors"]) : [];
  if (first === undefined) return errorTextOf(parsed);
  const { code, message } = objectOf(first);
  return { message: textOf(message), type: "", code: String(code ?? ""), status: 0 };
}

/** Also of an answer that has a status of success; quotes inside text are escaped, so text cannot be mistaken for it. */
const isFailure = (text: string): boolean => /"success"\s*:\s*false/.test(text);

const failure = (status: number, body: string): UpstreamFailure =>
  withKind(readFailure(status, body, errorTextIn), KINDS);

// Calls of Workers AI that have no path of OpenAI's: prompts, pictures, speech and recordings at `/ai/run`
// (developers.cloudflare.com/workers-ai/models).

const path = (model: string): string => `/ai/run/${model}`;

const resultOf = ({ result, success }: JsonObject): JsonObject | undefined =>
  success !== false && isObject(result) ? result : undefined;

const completions: VendorOperation = {
  path,
  encodeRequest({ fields }, warn) {
    if (fields["stream"] === true)
      throw new TranslationFault("stream", "The model behind this name completes prompts in one piece.");
    if (typeof fields["prompt"] !== "string")
      throw new TranslationFault("prompt", "This model takes one text as prompt.");
    const unknown = ["suffix", "n", "best_of", "echo", "logprobs", "logit_bias", "user", "stop", "stream_options"];
    warnOfSettings(fields, unknown, warn);
    const { prompt, max_tokens, temperature, top_p, top_k, seed, frequency_penalty, presence_penalty } = fields;
    return defined({
      prompt,
      max_tokens,
      temperature,
      top_p,
      top_k,
      seed,
      frequency_penalty,
      presence_penalty,
    });
  },
  decodeAnswer(answer, { fields }) {
    const result = resultOf(answer);
    if (typeof result?.["response"] !== "string") return undefined;
    const choice = { index: 0, text: result["response"], logprobs: null, finish_reason: "stop" };
    const { usage } = result;
    const counted = isObject(usage) ? { usage } : {};
    return { id: "cmpl-workers-ai", object: "text_completion", model: fields["model"], choices: [choice], ...counted };
  },
};

/** Models that draw in one size. */
const hasOneSize = (model: string): boolean => model.endsWith("/flux-1-schnell");

/** A picture in base64; where the client wants an address the picture itself is in it. */
const picture = (data: string, mimeType: string, fields: JsonObject): JsonObject => ({
  data: [fields["response_format"] === "url" ? { url: `data:${mimeType};base64,${data}` } : { b64_json: data }],
});

const images: VendorOperation = {
  path,
  encodeRequest({ fields }, warn) {
    atMostPictures(fields, 1);
    inOnePiece(fields);
    const isFixed = hasOneSize(textOf(fields["model"]));
    const others = ["quality", "style", "user", "background", "output_format", "output_compression", "moderation"];
    warnOfSettings(fields, isFixed ? [...others, "size"] : others, warn);
    const { prompt, steps, seed, negative_prompt, guidance } = fields;
    return defined({ prompt, steps, seed, negative_prompt, guidance, ...(isFixed ? {} : wantedPixels(fields)) });
  },
  decodeAnswer(answer, { fields }) {
    const data = textOf(resultOf(answer)?.["image"]);
    return data === "" ? undefined : picture(data, "image/jpeg", fields);
  },
  /** Models of Stable Diffusion and Dreamshaper send the file itself. */
  decodeBytes: ({ bytes, mimeType }, { fields }) => picture(bytes.toString("base64"), mimeType, fields),
};

/** MeloTTS takes a language for a voice and answers in base64, the others take a speaker and send the sound itself. */
const isMelo = (model: string): boolean => model.endsWith("/melotts");

const MELO_LANGUAGES: ReadonlySet<string> = new Set(["en", "es", "fr", "zh", "jp", "kr"]);
/** OpenAI's formats as the others have them (developers.cloudflare.com/workers-ai/models/aura-1). */
const SOUNDS: Readonly<Record<string, JsonObject>> = {
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  wav: { encoding: "linear16", container: "wav" },
  pcm: { encoding: "linear16", container: "none", sample_rate: 24_000 },
};

const speech: VendorOperation = {
  path,
  encodeRequest({ fields }, warn) {
    if (fields["stream_format"] === "sse")
      throw new TranslationFault("stream_format", "This model's sound comes as it is, not as events.");
    warnOfSettings(fields, ["speed", "instructions"], warn);
    const { input, voice } = fields;
    const format = textOf(fields["response_format"]) || "mp3";
    const isOfMelo = isMelo(textOf(fields["model"]));
    const taken = isOfMelo ? ["mp3"] : Object.keys(SOUNDS);
    if (!taken.includes(format))
      throw new TranslationFault("response_format", `This model speaks as ${taken.join(", ")}.`);
    if (!isOfMelo) return defined({ text: input, speaker: voice, ...ownOf(SOUNDS, format) });
    const lang = textOf(voice).toLowerCase();
    if (!MELO_LANGUAGES.has(lang)) warn("voice", `this model's voices are ${[...MELO_LANGUAGES].join(", ")}`);
    return defined({ prompt: input, lang: MELO_LANGUAGES.has(lang) ? lang : undefined });
  },
  decodeAnswer(answer) {
    const sound = textOf(resultOf(answer)?.["audio"]);
    return sound === "" ? undefined : { bytes: Buffer.from(sound, "base64"), mimeType: "audio/mpeg" };
  },
};

/** This one takes settings beside the recording, the others its bytes alone. */
const takesSettings = ({ fields }: OperationRequest): boolean => textOf(fields["model"]).endsWith("-turbo");

const text = (content: string, mimeType: string): BinaryBody => ({ bytes: Buffer.from(content), mimeType });

const FORMATS = ["json", "text", "verbose_json", "vtt"];

const transcriptions: VendorOperation = {
  path,
  encodeRequest(request, warn) {
    const { fields, files } = request;
    const format = textOf(fields["response_format"]) || "json";
    if (!FORMATS.includes(format))
      throw new TranslationFault("response_format", `This model answers as one of ${FORMATS.join(", ")}.`);
    if (fields["stream"] === "true") throw new TranslationFault("stream", "This model answers in one piece.");
    const bytes = files["file"]?.bytes ?? Buffer.alloc(0);
    if (takesSettings(request)) {
      warnOfSettings(fields, ["temperature"], warn);
      const { language, prompt } = fields;
      return defined({ audio: bytes.toString("base64"), task: "transcribe", language, initial_prompt: prompt });
    }
    warnOfSettings(fields, ["temperature", "language", "prompt"], warn);
    return { bytes, mimeType: "application/octet-stream" };
  },
  decodeAnswer(answer, { fields }) {
    const result = resultOf(answer);
    if (typeof result?.["text"] !== "string") return undefined;
    const format = textOf(fields["response_format"]);
    if (format === "text") return text(result["text"], "text/plain; charset=utf-8");
    if (format === "vtt") return text(textOf(result["vtt"]), "text/vtt; charset=utf-8");
    const { language, duration } = objectOf(result["transcription_info"]);
    const seconds = numberOf(duration);
    const usage = seconds === undefined ? {} : { usage: { type: "duration", seconds } };
    if (format !== "verbose_json") return { text: result["text"], ...usage };
    const { segments, words } = result;
    return defined({
      task: "transcribe",
      language,
      duration: seconds,
      text: result["text"],
      segments,
      words,
      ...usage,
    });
  },
};

const ownOperations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  completions,
  images,
  speech,
  transcriptions,
};

/** Names in the catalogue of Workers AI (developers.cloudflare.com/api/resources/ai/subresources/models/methods/list). */
const modelNames = ({ result }: JsonObject): readonly string[] =>
  listOf(result)
    .map((model) => textOf(objectOf(model)["name"]))
    .filter((name) => name !== "");

export const cloudflare = defineProvider({
  id: 39,
  slug: "cloudflare",
  name: "Cloudflare Workers AI",
  defaultBaseUrl: "https://api.cloudflare.com",
  keyHint: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.cloudflare.com" },
    {
      name: "other",
      label: "accountId",
      isRequired: true,
      placeholder: "0123456789abcdef0123456789abcdef",
      pattern: "^[0-9a-fA-F]{32}$",
    },
  ],
  models: [
    "@cf/openai/gpt-oss-120b",
    "@cf/openai/gpt-oss-20b",
    "@cf/moonshotai/kimi-k2.6",
    "@cf/zai-org/glm-4.7-flash",
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    "@cf/meta/llama-4-scout-17b-16e-instruct",
    "@cf/qwen/qwen2.5-coder-32b-instruct",
    "@cf/baai/bge-m3",
    "@cf/baai/bge-large-en-v1.5",
    "@cf/black-forest-labs/flux-1-schnell",
    "@cf/stabilityai/stable-diffusion-xl-base-1.0",
    "@cf/deepgram/aura-1",
    "@cf/myshell-ai/melotts",
    "@cf/openai/whisper-large-v3-turbo",
    "@cf/openai/whisper",
  ],
  operations: ["chat", "completions", "embeddings", "images", "speech", "transcriptions", "models"],
  mark: { glyph: "W", colour: "#f6821f" },
  endpoint,
  quirks,
  failure,
  isFailure,
  modelNames,
  ownOperations,
});
