/**
 * What OpenAI refuses in calls beside chat, field by field (platform.openai.com/docs/api-reference/{embeddings,images,audio,moderations};
 * the parameters and words are those its official SDK has as types).
 */
import type { SeenRequest } from "../plan.ts";
import { type FormField, readForm } from "../multipart-form.ts";
import { type Found, invalid, refuse } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

/** One request as the checks read it, whether it came as JSON or as a form. */
export interface Asked {
  /** A value of JSON, or the text of a field; undefined where it is absent. */
  value(name: string): unknown;
  files(name: string): readonly FormField[];
  names: readonly string[];
  isForm: boolean;
}

const plain = (name: string): string => name.replace(/\[[^\]]*\]$/, "");

function askedInForm(fields: readonly FormField[]): Asked {
  const texts = fields.filter(({ fileName }) => fileName === undefined);
  return {
    value: (name) => texts.find((field) => plain(field.name) === name)?.text,
    files: (name) => fields.filter((field) => plain(field.name) === name && field.fileName !== undefined),
    names: fields.map(({ name }) => plain(name)),
    isForm: true,
  };
}

/** Undefined where the body is neither an object nor a form. */
export function askedIn(seen: SeenRequest): Asked | undefined {
  const type = String(seen.headers["content-type"]);
  if (type.startsWith("multipart/")) {
    const fields = readForm(type, seen.body);
    return fields === undefined ? undefined : askedInForm(fields);
  }
  const { json } = seen;
  if (json === undefined) return undefined;
  return { value: (name) => json[name] ?? undefined, files: () => [], names: Object.keys(json), isForm: false };
}

/** Undefined where the value is fine. */
type Check = (asked: Asked, name: string) => Found;

const given = (asked: Asked, name: string): boolean => asked.value(name) !== undefined;

const oneOf =
  (words: string): Check =>
  (asked, name) =>
    !given(asked, name) || words.split(" ").includes(String(asked.value(name))) ? undefined : invalid(name);

/** Forms spell numbers as text, JSON does not. */
const within =
  (least: number, most: number, isWhole = true): Check =>
  (asked, name) => {
    const value = asked.value(name);
    if (value === undefined) return undefined;
    const number = asked.isForm && /^-?\d+(?:\.\d+)?$/.test(String(value)) ? Number(value) : value;
    const isFine = typeof number === "number" && number >= least && number <= most;
    return isFine && (!isWhole || Number.isInteger(number)) ? undefined : invalid(name);
  };

const flag: Check = (asked, name) => {
  const value = asked.value(name);
  const isFine = asked.isForm ? ["true", "false", undefined].includes(value as string) : typeof value === "boolean";
  return value === undefined || isFine ? undefined : invalid(name);
};

const text =
  (most: number): Check =>
  (asked, name) => {
    const value = asked.value(name);
    if (value === undefined) return undefined;
    return typeof value === "string" && value !== "" && value.length <= most ? undefined : invalid(name);
  };

const anything: Check = () => undefined;

const SIZE = /^(?:auto|\d{2,4}x\d{2,4})$/;
const size: Check = (asked, name) =>
  !given(asked, name) || SIZE.test(String(asked.value(name))) ? undefined : invalid(name);

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);
const picture: Check = (asked, name) => {
  const wrong = asked.files(name).find(({ mimeType }) => !IMAGE_TYPES.has(mimeType));
  if (wrong === undefined) return asked.files(name).some(({ bytes }) => bytes.length === 0) ? invalid(name) : undefined;
  return refuse(
    `Invalid file '${name}': unsupported mimetype ('${wrong.mimeType}'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`,
    name,
    "unsupported_file_mimetype",
  );
};

const RECORDING = /\.(?:flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/i;
const recording: Check = (asked, name) => {
  const [file] = asked.files(name);
  if (file === undefined) return undefined;
  return RECORDING.test(file.fileName ?? "") && file.bytes.length > 0
    ? undefined
    : refuse("Invalid file format. Supported formats: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', ...]", name);
};

interface Rules {
  path: RegExp;
  needed: readonly string[];
  fields: Readonly<Record<string, Check>>;
  /** What fits only together. */
  together?: (asked: Asked, model: string) => Found;
}

const unsupported = (name: string, model: string): VendorError =>
  refuse(`Unsupported parameter: '${name}' is not supported with the '${model}' model.`, name, "unsupported_parameter");

const firstGiven = (asked: Asked, ...names: readonly string[]): string | undefined =>
  names.find((name) => given(asked, name));

const isGptImage = (model: string): boolean => /^(?:gpt-image|chatgpt-image)/.test(model);

/** GPT image models always answer in base64; what the retired ones took is not held against compatible servers. */
function imagesTogether(asked: Asked, model: string): Found {
  const foreign = isGptImage(model) ? firstGiven(asked, "response_format", "style") : undefined;
  if (foreign !== undefined) return unsupported(foreign, model);
  const streams = String(asked.value("stream")) === "true";
  return given(asked, "partial_images") && !streams
    ? refuse("partial_images needs stream.", "partial_images")
    : undefined;
}

const IMAGE_FIELDS: Readonly<Record<string, Check>> = {
  model: text(100),
  prompt: text(32_000),
  n: within(1, 10),
  size,
  quality: oneOf("low medium high xhigh max auto standard hd"),
  background: oneOf("transparent opaque auto"),
  output_format: oneOf("png jpeg webp gif svg"),
  output_compression: within(0, 100),
  partial_images: within(0, 3),
  stream: flag,
  response_format: oneOf("url b64_json"),
  complexity: oneOf("low medium high"),
  frame_count: anything,
  frame_duration_ms: anything,
  safety_identifier: text(64),
  user: text(512),
};

/** What a transcription may come as, by model. */
function recordingTogether(asked: Asked, model: string): Found {
  const format = String(asked.value("response_format") ?? "json");
  const isGpt = model.startsWith("gpt-");
  const formats = model.includes("diarize")
    ? "json text diarized_json"
    : isGpt
      ? "json"
      : "json text srt verbose_json vtt";
  if (!formats.split(" ").includes(format))
    return refuse(
      `response_format '${format}' is not compatible with model '${model}'.`,
      "response_format",
      "unsupported_value",
    );
  if (given(asked, "timestamp_granularities") && format !== "verbose_json")
    return refuse("timestamp_granularities needs response_format 'verbose_json'.", "timestamp_granularities");
  return given(asked, "include") && !isGpt ? unsupported("include", model) : undefined;
}

const RECORDING_FIELDS: Readonly<Record<string, Check>> = {
  file: recording,
  model: text(100),
  prompt: text(10_000),
  response_format: oneOf("json text srt verbose_json vtt diarized_json"),
  temperature: within(0, 1, false),
};

function speechTogether(asked: Asked, model: string): Found {
  if (!model.startsWith("tts-1")) return undefined;
  if (asked.value("stream_format") === "sse") return unsupported("stream_format", model);
  return given(asked, "instructions") ? unsupported("instructions", model) : undefined;
}

/** A voice is a name, or an object with the id of an own one. */
const voice: Check = (asked, name) => {
  const value = asked.value(name);
  if (typeof value === "object" && value !== null && "id" in value) return undefined;
  return oneOf("alloy ash ballad coral echo fable nova onyx sage shimmer verse marin cedar")(asked, name);
};

const isTokens = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);
const isWords = (value: unknown): boolean => typeof value === "string" && value !== "";

const embedded: Check = (asked, name) => {
  const value = asked.value(name);
  if (isWords(value) || isTokens(value)) return undefined;
  const list = Array.isArray(value) ? value : [];
  const isFine = list.length > 0 && list.length <= 2048 && (list.every(isWords) || list.every(isTokens));
  return isFine ? undefined : refuse("'$.input' is invalid. Please check the API reference.", name);
};

const isModerated = (part: unknown): boolean => {
  const { type, text: words, image_url: image } = (part ?? {}) as Record<string, unknown>;
  if (type === "text") return isWords(words);
  return (
    type === "image_url" && /^(?:https?:|data:image\/)/.test(String((image as { url?: unknown } | undefined)?.url))
  );
};

const moderated: Check = (asked, name) => {
  const value = asked.value(name);
  const list = Array.isArray(value) ? value : [];
  const isFine = typeof value === "string" || (list.length > 0 && (list.every(isWords) || list.every(isModerated)));
  return isFine ? undefined : invalid(name);
};

const RULES: readonly Rules[] = [
  {
    path: /\/embeddings$/,
    needed: ["model", "input"],
    fields: {
      model: text(100),
      input: embedded,
      dimensions: within(1, 3072),
      encoding_format: oneOf("float base64"),
      user: text(512),
    },
    together: (asked, model) =>
      given(asked, "dimensions") && model.startsWith("text-embedding-ada")
        ? unsupported("dimensions", model)
        : undefined,
  },
  {
    path: /\/images\/generations$/,
    needed: ["prompt"],
    fields: { ...IMAGE_FIELDS, moderation: oneOf("low auto"), style: oneOf("vivid natural"), svg: anything },
    together: imagesTogether,
  },
  {
    path: /\/images\/edits$/,
    needed: ["model", "prompt"],
    // As JSON pictures are named in a list.
    fields: {
      ...IMAGE_FIELDS,
      image: picture,
      images: anything,
      mask: picture,
      markup: picture,
      input_fidelity: oneOf("high low"),
      moderation: oneOf("low auto"),
    },
    together: (asked, model) => {
      const hasImage = asked.isForm ? asked.files("image").length > 0 : given(asked, "images");
      return hasImage ? imagesTogether(asked, model) : refuse("Missing required parameter: 'image'.", "image");
    },
  },
  {
    path: /\/images\/variations$/,
    needed: ["image"],
    fields: {
      image: picture,
      model: text(100),
      n: within(1, 10),
      response_format: oneOf("url b64_json"),
      size: oneOf("256x256 512x512 1024x1024"),
      user: text(512),
    },
  },
  {
    path: /\/audio\/speech$/,
    needed: ["model", "input", "voice"],
    fields: {
      model: text(100),
      input: text(4096),
      voice,
      instructions: text(4096),
      response_format: oneOf("mp3 opus aac flac wav pcm"),
      speed: within(0.25, 4, false),
      stream_format: oneOf("sse audio"),
    },
    together: speechTogether,
  },
  {
    path: /\/audio\/transcriptions$/,
    needed: ["model", "file"],
    fields: {
      ...RECORDING_FIELDS,
      language: text(8),
      languages: anything,
      keywords: anything,
      known_speaker_names: anything,
      known_speaker_references: anything,
      chunking_strategy: anything,
      include: oneOf("logprobs"),
      stream: flag,
      timestamp_granularities: oneOf("word segment"),
    },
    together: recordingTogether,
  },
  {
    path: /\/audio\/translations$/,
    needed: ["model", "file"],
    fields: RECORDING_FIELDS,
    together: (asked, model) => (model.startsWith("gpt-") ? invalid("model") : recordingTogether(asked, model)),
  },
  { path: /\/moderations$/, needed: ["input"], fields: { model: text(100), input: moderated } },
];

/** Undefined where the vendor would take the request, or has no rule for its path. */
export function operationRefusal(seen: SeenRequest): VendorError | undefined {
  const path = seen.path.split("?")[0] ?? "";
  const rules = RULES.find((each) => each.path.test(path));
  if (rules === undefined) return undefined;
  const asked = askedIn(seen);
  if (asked === undefined) return refuse("We could not parse the body of your request.", null);
  const unknown = asked.names.find((name) => rules.fields[name] === undefined);
  if (unknown !== undefined) return refuse(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
  const missing = rules.needed.find((name) => !asked.names.includes(name) || asked.value(name) === null);
  if (missing !== undefined)
    return refuse(`Missing required parameter: '${missing}'.`, missing, "missing_required_parameter");
  for (const [name, check] of Object.entries(rules.fields)) {
    const found = check(asked, name);
    if (found !== undefined) return found;
  }
  return rules.together?.(asked, String(asked.value("model") ?? ""));
}
