/** OpenAI's pictures, audio and moderations, and rerank of Jina and Cohere, as the fake upstream plays them. */
import type { Plan, SeenRequest } from "../plan.ts";
import { picture } from "../media/picture.ts";
import { tune } from "../media/sound.ts";
import { openAiChatVendor } from "./chat.ts";
import { askedIn, operationRefusal } from "./operations-validate.ts";
import { DEFAULT_TEXT, type VendorError, type Vendor, splitText, tokensOf } from "../vendor.ts";

const CREATED = 1_760_000_000;
/** One transparent pixel (PNG). */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
/** Frames of an MPEG audio stream are not needed: bytes that any player would refuse are relayed all the same. */
const SPEECH = Buffer.from("fake speech ".repeat(4096));

const pathOf = (seen: SeenRequest): string => seen.path.split("?")[0] ?? "";

/** Text of a field, of JSON or of a form. */
function field(seen: SeenRequest, name: string): string | undefined {
  const value = askedIn(seen)?.value(name);
  return value === undefined ? undefined : String(value);
}

/** Fields a rerank cannot go without (jina.ai/reranker); everything else is OpenAI's. */
function refusal(seen: SeenRequest): VendorError | undefined {
  if (!pathOf(seen).endsWith("/rerank")) return operationRefusal(seen);
  const missing = ["model", "query", "documents"].find((name) => field(seen, name) === undefined);
  const message = `Missing required parameter: '${missing}'.`;
  return missing === undefined
    ? undefined
    : { status: 400, message, type: "invalid_request_error", code: null, param: missing };
}

const imageUsage = (seen: SeenRequest): unknown => ({
  input_tokens: 50,
  output_tokens: 1056 * Number(field(seen, "n") ?? 1),
  total_tokens: 50 + 1056 * Number(field(seen, "n") ?? 1),
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
});

const planned = (plan: Plan, usage: unknown): object => {
  const given = plan.usage === undefined ? usage : plan.usage;
  return given === null || given === undefined ? {} : { usage: given };
};

function images(seen: SeenRequest, plan: Plan): string {
  const isGpt = (field(seen, "model") ?? "").startsWith("gpt-image");
  const count = plan.pictures ?? Number(field(seen, "n") ?? 1);
  const isUrl = !isGpt && field(seen, "response_format") === "url";
  const bytes = (index: number): string =>
    plan.hasRealMedia === true ? picture(1 + ((seen.body.length + index) % 60), false).toString("base64") : PIXEL;
  const data = Array.from({ length: count }, (_, index) =>
    isUrl ? { url: "https://images.example/1.png" } : { b64_json: bytes(index) },
  );
  return JSON.stringify({ created: CREATED, data, ...planned(plan, isGpt ? imageUsage(seen) : undefined) });
}

/** Usage of a recording: models by tokens and whisper by time (audio/json-object). */
function recordingUsage(seen: SeenRequest): unknown {
  if ((field(seen, "model") ?? "").startsWith("whisper")) return { type: "duration", seconds: 2 };
  return {
    type: "tokens",
    input_tokens: 30,
    input_token_details: { text_tokens: 5, audio_tokens: 25 },
    output_tokens: 11,
    total_tokens: 41,
  };
}

const PLAIN_TRANSCRIPTS: Readonly<Record<string, (text: string) => string>> = {
  text: (text) => `${text}\n`,
  srt: (text) => `1\n00:00:00,000 --> 00:00:02,000\n${text}\n\n`,
  vtt: (text) => `WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n${text}\n\n`,
};

function transcript(seen: SeenRequest, plan: Plan): string {
  const text = plan.text ?? DEFAULT_TEXT;
  const format = field(seen, "response_format") ?? "json";
  const plain = PLAIN_TRANSCRIPTS[format];
  if (plain !== undefined) return plain(text);
  const usage = planned(plan, recordingUsage(seen));
  if (format === "json") return JSON.stringify({ text, ...usage });
  const segment = { id: 0, seek: 0, start: 0, end: 2, text, tokens: [50_364], temperature: 0 };
  const words = text.split(" ").map((word, index) => ({ word, start: index / 10, end: (index + 1) / 10 }));
  const task = pathOf(seen).endsWith("/translations") ? "translate" : "transcribe";
  const wantsWords = field(seen, "timestamp_granularities") === "word";
  const parts = wantsWords ? { words } : { segments: [segment] };
  return JSON.stringify({ task, language: "english", duration: 2, text, ...parts, ...usage });
}

function rerank(seen: SeenRequest, plan: Plan): string {
  const documents = (seen.json?.["documents"] as unknown[] | undefined) ?? [];
  const results = documents.map((_, index) => ({ index, relevance_score: 0.9 - index / 10 }));
  if (plan.usage !== undefined && plan.usage !== null) return JSON.stringify({ results, ...(plan.usage as object) });
  const total = tokensOf(JSON.stringify(documents));
  return JSON.stringify({ model: field(seen, "model"), results, ...planned(plan, { total_tokens: total }) });
}

/** One result for each text, one for all parts of a mixed input. */
function moderation(seen: SeenRequest): string {
  const input = seen.json?.["input"];
  const texts = Array.isArray(input) && input.every((each) => typeof each === "string") ? input : [input];
  const results = texts.map((each) => {
    const flagged = JSON.stringify(each).includes("attack");
    const categories = { harassment: false, violence: flagged };
    const scores = { harassment: 0.001, violence: flagged ? 0.9 : 0.01 };
    return { flagged, categories, category_scores: scores, category_applied_input_types: { violence: ["text"] } };
  });
  return JSON.stringify({ id: "modr-0001", model: field(seen, "model") ?? "omni-moderation-latest", results });
}

const WHOLE: readonly (readonly [path: RegExp, make: (seen: SeenRequest, plan: Plan) => string | Buffer])[] = [
  [/\/images\//, images],
  [/\/audio\/speech$/, (seen, plan) => (plan.hasRealMedia === true ? tune(seen.body.length % 60, 3) : SPEECH)],
  [/\/audio\//, transcript],
  [/\/rerank$/, rerank],
  [/\/moderations$/, moderation],
];

const event = (value: { type: string }, isNamed = true): string =>
  `${isNamed ? `event: ${value.type}\n` : ""}data: ${JSON.stringify(value)}\n\n`;

function imageFrames(seen: SeenRequest, plan: Plan): string[] {
  const kind = pathOf(seen).endsWith("/edits") ? "image_edit" : "image_generation";
  const common = {
    b64_json: PIXEL,
    created_at: CREATED,
    size: "1024x1024",
    quality: "high",
    background: "opaque",
    output_format: field(seen, "output_format") ?? "png",
  };
  const partials = Number(field(seen, "partial_images") ?? 0);
  return [
    ...Array.from({ length: partials }, (_, index) =>
      event({ type: `${kind}.partial_image`, ...common, partial_image_index: index } as { type: string }),
    ),
    event({ type: `${kind}.completed`, ...common, ...planned(plan, imageUsage(seen)) } as { type: string }),
  ];
}

function audioFrames(seen: SeenRequest, plan: Plan): string[] {
  const isSpeech = pathOf(seen).endsWith("/speech");
  const [delta, done] = isSpeech
    ? ["speech.audio.delta", "speech.audio.done"]
    : ["transcript.text.delta", "transcript.text.done"];
  const text = plan.text ?? DEFAULT_TEXT;
  const usage = isSpeech ? { input_tokens: 9, output_tokens: 120, total_tokens: 129 } : recordingUsage(seen);
  const pieces = splitText(text, plan.chunks ?? 4).map((piece) =>
    event({ type: delta, ...(isSpeech ? { audio: Buffer.from(piece).toString("base64") } : { delta: piece }) }, false),
  );
  return [...pieces, event({ type: done, ...(isSpeech ? {} : { text }), ...planned(plan, usage) }, false)];
}

const AUDIO_TYPE = "audio/mpeg";

export const openAiOperationsVendor: Vendor = {
  ...openAiChatVendor,
  refuse: refusal,
  isStream: (seen) => field(seen, "stream") === "true" || field(seen, "stream_format") === "sse",
  whole: (seen, plan) => WHOLE.find(([path]) => path.test(pathOf(seen)))?.[1](seen, plan) ?? "{}",
  contentType(seen) {
    if (pathOf(seen).endsWith("/audio/speech")) return AUDIO_TYPE;
    return (field(seen, "response_format") ?? "") in PLAIN_TRANSCRIPTS
      ? "text/plain; charset=utf-8"
      : "application/json";
  },
  frames: (seen, plan) => (pathOf(seen).includes("/images/") ? imageFrames(seen, plan) : audioFrames(seen, plan)),
  // Images and speech end with their own event; transcriptions too.
  done: () => "",
};
