/**
 * MiniMax's pictures (platform.minimaxi.com/docs/api-reference/image-generation-t2i), and its speech, whose sound comes as hexadecimal text
 * (platform.minimax.io/docs/api-reference/speech-t2a-http).
 */
import { defined, listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { type PictureSize, nearestInRatio, sizeText } from "../../dialects/neutral/image-sizes.ts";
import { type JsonObject, TranslationFault, type Warn } from "../../dialects/neutral/neutral.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedPixels,
  warnOfSettings,
} from "../../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

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

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { images, speech };
