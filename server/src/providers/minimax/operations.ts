/** MiniMax's speech (platform.minimax.io/docs/api-reference/speech-t2a-http): its sound comes as hexadecimal text. */
import { defined, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { type JsonObject, TranslationFault, type Warn } from "../../dialects/neutral/neutral.ts";
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

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { speech };
