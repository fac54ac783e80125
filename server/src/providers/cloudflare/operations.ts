/** Calls of Workers AI that have no path of OpenAI's: prompts, pictures and recordings at `/ai/run` (developers.cloudflare.com/workers-ai/models). */
import { defined, isObject, numberOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { type BinaryBody, type JsonObject, TranslationFault } from "../../dialects/neutral/neutral.ts";
import { atMostPictures, wantedSize, warnOfSettings } from "../../dialects/openai-chat/operations/images.ts";
import type { OperationRequest, VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

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

function sizeOf(fields: JsonObject): JsonObject {
  const size = wantedSize(fields);
  if (size === undefined) return {};
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? [];
  if (width === undefined || height === undefined)
    throw new TranslationFault("size", 'size must be like "1024x1024", or "auto".');
  return { width: Number(width), height: Number(height) };
}

const images: VendorOperation = {
  path,
  encodeRequest({ fields }, warn) {
    atMostPictures(fields, 1);
    if (fields["stream"] === true)
      throw new TranslationFault("stream", "The model behind this name sends its pictures in one piece.");
    const isFixed = hasOneSize(textOf(fields["model"]));
    const others = ["quality", "style", "user", "background", "output_format", "output_compression", "moderation"];
    warnOfSettings(fields, isFixed ? [...others, "size"] : others, warn);
    const { prompt, steps, seed, negative_prompt, guidance } = fields;
    return defined({ prompt, steps, seed, negative_prompt, guidance, ...(isFixed ? {} : sizeOf(fields)) });
  },
  /** A picture in base64; where the client wants an address the picture itself stands in it. */
  decodeAnswer(answer, { fields }) {
    const data = textOf(resultOf(answer)?.["image"]);
    if (data === "") return undefined;
    const isAddress = fields["response_format"] === "url";
    return { data: [isAddress ? { url: `data:image/jpeg;base64,${data}` } : { b64_json: data }] };
  },
};

/** This one takes settings beside the recording, the others its bytes alone. */
const takesSettings = ({ fields }: OperationRequest): boolean => textOf(fields["model"]).endsWith("-turbo");

const text = (words: string, mimeType: string): BinaryBody => ({ bytes: Buffer.from(words), mimeType });

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

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  completions,
  images,
  transcriptions,
};
