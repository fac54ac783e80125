/** MiniMax: channel type 35 (platform.minimax.io/docs/api-reference/text-openai-api; in China api.minimaxi.com). */
import { defined, listOf, numberOf, objectOf, ownOf, textOf } from "../dialects/json/fields.ts";
import { readCodedFailure, readFailure, withKind } from "../dialects/neutral/failure.ts";
import { type PictureSize, nearestInRatio, sizeText } from "../dialects/neutral/image-sizes.ts";
import { type JsonObject, type Warn, TranslationFault } from "../dialects/neutral/neutral.ts";
import { type FieldPatch, effortAsSwitch, isCompletions, systemRole } from "../dialects/openai-chat/compatible.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedPixels,
  warnOfSettings,
} from "../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
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

// Where MiniMax is: Messages under /anthropic, all else under /v1 (platform.minimax.io/docs/api-reference/text-anthropic-api).

/** Roots that operators may have copied with the base URL: either format's is known from the call. */
const ROOT = /(?:\/anthropic)?(?:\/v1)?\/*$/;
const VERSION = "2023-06-01";

function endpoint(channel: ProviderChannel, { operation, dialect, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(ROOT, "");
  const headers = ["authorization", `Bearer ${channel.key}`];
  if (operation === "models") return { url: `${base}/v1/models`, headers };
  if (operation !== "chat" || dialect !== "anthropic-messages") return { url: base + path, headers };
  return { url: `${base}/anthropic${path}`, headers: [...headers, "anthropic-version", VERSION] };
}

// Where MiniMax's models differ from the formats they speak (platform.minimax.io/docs/api-reference/text-openai-api, /text-anthropic-api).

const isChat = (_model: string, operation: Operation): boolean => operation === "chat";
/** Older models always think. */
const canBeStill = (model: string): boolean => /^MiniMax-M(?:[3-9]|\d\d)/.test(model);

const LEAST_TEMPERATURE = 0.01;

function temperature(body: JsonObject): FieldPatch {
  const asked = numberOf(body["temperature"]);
  if (asked === undefined || (asked > 0 && asked <= 1)) return {};
  return { set: { temperature: asked > 1 ? 1 : LEAST_TEMPERATURE } };
}

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor takes temperatures above 0 and up to 1", appliesTo: isChat, patch: temperature },
  {
    reason: "the vendor's models think or do not, by a field of its own where they can be still",
    appliesTo: isCompletions,
    patch: (body, _options, model) =>
      effortAsSwitch(body, (isOn) => (canBeStill(model) ? { thinking: { type: isOn ? "adaptive" : "disabled" } } : {})),
  },
];

// Failures of MiniMax, inside a success in `base_resp` or with a status; the code says what it is (platform.minimax.io/docs/api-reference/errorcode).

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "1000": "overloaded",
  "1001": "timeout",
  "1002": "rate",
  "1004": "auth",
  "1008": "quota",
  "1013": "overloaded",
  "1024": "overloaded",
  "1026": "content",
  "1027": "content",
  "1033": "overloaded",
  "1039": "rate",
  "1041": "rate",
  "1042": "invalid",
  "2013": "invalid",
  "2042": "invalid",
  "2045": "rate",
  "2049": "auth",
  "2054": "invalid",
  "2056": "quota",
  "2061": "auth",
};

function read(parsed: unknown): { message: string; code: string } {
  const { status_code: code, status_msg: message } = objectOf(objectOf(parsed)["base_resp"]);
  return { message: textOf(message), code: String(code ?? "") };
}

/** Failures with a status have the code after their message: `insufficient balance (1008)`. */
function withStatus(status: number, body: string): UpstreamFailure {
  const found = readFailure(status, body);
  const code = /\((\d{4})\)\s*$/.exec(found.message)?.[1];
  return code === undefined ? found : withKind({ ...found, code }, KINDS);
}

const failure = (status: number, body: string): UpstreamFailure =>
  body.includes('"base_resp"')
    ? readCodedFailure(status, body, read, (code) => ownOf(KINDS, code))
    : withStatus(status, body);

/** Answers have the field too, with 0. Quotes inside their text are escaped, so these names are keys. */
const isFailure = (text: string): boolean => /"base_resp"\s*:\s*\{[^{}]*"status_code"\s*:\s*[1-9]/.test(text);

// MiniMax's pictures (platform.minimaxi.com/docs/api-reference/image-generation-t2i), and its speech, whose sound comes as hexadecimal text
// (platform.minimax.io/docs/api-reference/speech-t2a-http).

const MIME_TYPES: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  flac: "audio/flac",
  pcm: "audio/pcm",
};
/** OpenAI's raw sound has this many samples a second (platform.openai.com/docs/guides/text-to-speech). */
const PCM_SAMPLE_RATE = 24_000;
const [MIN_SPEED, MAX_SPEED] = [0.5, 2];

const formatOf = (fields: JsonObject): string => textOf(fields["response_format"]) || "mp3";

function speedOf(fields: JsonObject, warn: Warn): number | undefined {
  const speed = numberOf(fields["speed"]);
  if (speed === undefined || (speed >= MIN_SPEED && speed <= MAX_SPEED)) return speed;
  warn("speed", `this model speaks at ${MIN_SPEED} to ${MAX_SPEED} times its usual speed`);
  return Math.min(Math.max(speed, MIN_SPEED), MAX_SPEED);
}

function encodeRequest(fields: JsonObject, warn: Warn): JsonObject {
  const format = formatOf(fields);
  if (ownOf(MIME_TYPES, format) === undefined)
    throw new TranslationFault("response_format", `this model speaks in ${Object.keys(MIME_TYPES).join(", ")}`);
  if (fields["stream_format"] === "sse")
    throw new TranslationFault("stream_format", "this model's sound comes in one piece");
  if (fields["instructions"] !== undefined) warn("instructions", "this model takes none; its voices have settings");
  return {
    model: fields["model"],
    text: textOf(fields["input"]),
    stream: false,
    output_format: "hex",
    voice_setting: defined({ voice_id: textOf(fields["voice"]), speed: speedOf(fields, warn) }),
    audio_setting: { format, ...(format === "pcm" ? { sample_rate: PCM_SAMPLE_RATE } : {}) },
  };
}

const speech: VendorOperation = {
  path: () => "/v1/t2a_v2",
  encodeRequest: ({ fields }, warn) => encodeRequest(fields, warn),
  decodeAnswer: ({ data }, { fields }) => {
    const sound = textOf(objectOf(data)["audio"]);
    if (sound === "") return undefined;
    return { bytes: Buffer.from(sound, "hex"), mimeType: ownOf(MIME_TYPES, formatOf(fields)) ?? "audio/mpeg" };
  },
};

/** The shapes that its models draw, the square first. */
const SHAPES: readonly (PictureSize & { aspect_ratio: string })[] = [
  { aspect_ratio: "1:1", width: 1024, height: 1024 },
  { aspect_ratio: "16:9", width: 1280, height: 720 },
  { aspect_ratio: "4:3", width: 1152, height: 864 },
  { aspect_ratio: "3:2", width: 1248, height: 832 },
  { aspect_ratio: "2:3", width: 832, height: 1248 },
  { aspect_ratio: "3:4", width: 864, height: 1152 },
  { aspect_ratio: "9:16", width: 720, height: 1280 },
  { aspect_ratio: "21:9", width: 1344, height: 576 },
];
const isDrawn = (side: number): boolean => side >= 512 && side <= 2048 && side % 8 === 0;
/** It draws in shapes alone, and not in the widest. */
const isLive = (model: string): boolean => model.endsWith("-live");

function shapeOf(fields: JsonObject, warn: Warn): JsonObject {
  const size = wantedPixels(fields);
  const live = isLive(textOf(fields["model"]));
  if (size === undefined) return {};
  if (!live && isDrawn(size.width) && isDrawn(size.height)) return { ...size };
  const shape = nearestInRatio(live ? SHAPES.slice(0, -1) : SHAPES, size);
  if (sizeText(shape) !== sizeText(size))
    warn("size", `the model draws ${sizeText(shape)} in place of ${sizeText(size)}`);
  return { aspect_ratio: shape.aspect_ratio };
}

const MOST_PICTURES = 9;
const NOT_TAKEN = ["quality", "user", "background", "output_format", "output_compression", "moderation"];

const images: VendorOperation = {
  path: () => "/v1/image_generation",
  encodeRequest({ fields }, warn) {
    inOnePiece(fields);
    atMostPictures(fields, MOST_PICTURES);
    const { model, prompt, style, aspect_ratio, seed, prompt_optimizer, aigc_watermark, subject_reference } = fields;
    // Styles of OpenAI's models are texts.
    const isStyle = typeof style === "object";
    warnOfSettings(fields, isStyle ? NOT_TAKEN : [...NOT_TAKEN, "style"], warn);
    return defined({
      model,
      prompt,
      n: wantedPictures(fields),
      response_format: fields["response_format"] === "b64_json" ? "base64" : "url",
      ...(aspect_ratio === undefined ? shapeOf(fields, warn) : { aspect_ratio }),
      style: isStyle ? style : undefined,
      seed,
      prompt_optimizer,
      aigc_watermark,
      subject_reference,
    });
  },
  decodeAnswer({ data }) {
    const { image_urls: urls, image_base64: pictures } = objectOf(data);
    const bytes = listOf(pictures)
      .map(textOf)
      .filter((each) => each !== "");
    if (bytes.length > 0) return { data: bytes.map((each) => ({ b64_json: each })) };
    return pictureAnswer(listOf(urls).map(textOf));
  },
};

export const minimax = defineProvider({
  id: 35,
  slug: "minimax",
  name: "MiniMax",
  defaultBaseUrl: "https://api.minimax.io",
  keyHint: "eyJ...",
  // Messages come first: there thinking is apart from the answer, in chat completions it is inside the content.
  dialects: ["anthropic-messages", "openai-chat", "openai-responses"],
  models: [
    "MiniMax-M3",
    "MiniMax-M2.7",
    "MiniMax-M2.7-highspeed",
    "MiniMax-M2.5",
    "MiniMax-M2.5-highspeed",
    "MiniMax-M2.1",
    "speech-2.8-hd",
    "speech-2.8-turbo",
    "image-01",
    "image-01-live",
    "MiniMax-H3",
    "MiniMax-Hailuo-2.3",
    "MiniMax-Hailuo-2.3-Fast",
    "MiniMax-Hailuo-02",
  ],
  operations: ["chat", "images", "speech", "videos", "models"],
  mark: { glyph: "M", colour: "#e2336d" },
  endpoint,
  quirks,
  failure,
  isFailure,
  ownOperations: { images, speech },
});
