/** Counts the usage of a realtime session from its events, in both families of names, for upstreams that do not; and which parts of an event cannot be counted here. */
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { isObject, listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { TokenEstimate, estimateText } from "../../dialects/neutral/token-estimate.ts";
import type { NormalisedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { ModelLimits } from "../metering/model-limits.ts";
import { readRecordingUsage, readTokenUsage } from "../metering/reported-usage.ts";

export interface UnseenEvent {
  /** A stored prompt, what tools of the upstream find, items by their ids: only the model's context window bounds them. */
  readonly isUnbounded: boolean;
  readonly pictures: number;
}

/** Parts and items whose words and sound are in the event (platform.openai.com/docs/api-reference/realtime-client-events). */
const SEEN_PARTS: ReadonlySet<string> = new Set([
  "input_text",
  "text",
  "output_text",
  "input_audio",
  "audio",
  "output_audio",
]);
const SEEN_ITEMS: ReadonlySet<string> = new Set(["message", "function_call", "function_call_output"]);
const PICTURE = "input_image";

const typeOf = (value: unknown): string => textOf(objectOf(value)["type"]);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const isUnseenItem = (item: JsonObject): boolean =>
  (isGiven(item["type"]) && !SEEN_ITEMS.has(typeOf(item))) ||
  listOf(item["content"]).some((part) => typeOf(part) !== PICTURE && !SEEN_PARTS.has(typeOf(part)));

/** A configuration of the session, or of one answer. */
const readsUnseen = ({ prompt, tools }: JsonObject): boolean =>
  isGiven(prompt) || listOf(tools).some((tool) => typeOf(tool) !== "function");

/** Items of a conversation that an event brings. */
const itemsOf = (event: JsonObject): readonly JsonObject[] =>
  [event["item"], ...listOf(objectOf(event["response"])["input"])].filter(isGiven).map(objectOf);

function unseenIn(event: JsonObject): UnseenEvent {
  const items = itemsOf(event);
  const parts = items.flatMap((item) => listOf(item["content"]));
  return {
    isUnbounded:
      [event["session"], event["response"]].some((set) => readsUnseen(objectOf(set))) || items.some(isUnseenItem),
    pictures: parts.filter((part) => typeOf(part) === PICTURE).length,
  };
}

/** Tokens of a second of sound: one for 100 ms heard, one for 50 ms said (platform.openai.com/docs/guides/realtime-costs). */
const HEARD_TOKENS_PER_SECOND = 10;
const SAID_TOKENS_PER_SECOND = 20;

/** PCM16 at 24 kHz, and G.711 at 8 kHz. */
const PCM_BYTES_PER_SECOND = 48_000;
const G711_BYTES_PER_SECOND = 8_000;

const secondRate = (format: unknown): number => {
  const name = isObject(format) ? textOf(format["type"]) : textOf(format);
  const rate = isObject(format) ? numberOf(format["rate"]) : undefined;
  if (/g711|pcmu|pcma/.test(name)) return G711_BYTES_PER_SECOND;
  return rate === undefined || rate < 1000 ? PCM_BYTES_PER_SECOND : rate * 2;
};

/** Bytes that base64 text stands for. */
const decodedBytes = (text: string): number => Math.floor((text.length * 3) / 4);

/** Texts of a conversation item: message parts, or what a function gave. */
const itemTexts = (item: JsonObject): string =>
  [
    textOf(item["output"]),
    ...listOf(item["content"]).map((part) => textOf(objectOf(part)["text"]) + textOf(objectOf(part)["transcript"])),
  ].join("");

const sessionTexts = (session: JsonObject): string =>
  textOf(session["instructions"]) + (session["tools"] === undefined ? "" : JSON.stringify(session["tools"]));

/** Events of the client that are read as text, by where the text stands. */
const HEARD: Readonly<Record<string, (event: JsonObject) => string>> = {
  "conversation.item.create": (event) => itemTexts(objectOf(event["item"])),
  "response.create": (event) => sessionTexts(objectOf(event["response"])) + itemsOf(event).map(itemTexts).join(""),
  "session.update": (event) => sessionTexts(objectOf(event["session"])),
};

/** Events of the upstream that say something, by the part they carry. */
const SAID: Readonly<Record<string, "audio" | "text">> = {
  "response.audio.delta": "audio",
  "response.output_audio.delta": "audio",
  "response.text.delta": "text",
  "response.output_text.delta": "text",
  "response.audio_transcript.delta": "text",
  "response.output_audio_transcript.delta": "text",
  "response.function_call_arguments.delta": "text",
};

/** Events that say how the session is set up; sessions that only transcribe had names of their own in the beta. */
const CONFIGURED: ReadonlySet<string> = new Set([
  "session.created",
  "session.updated",
  "transcription_session.created",
  "transcription_session.updated",
]);

/** What bounds that which is not counted here; zeros where nothing is held for it. */
export type UnseenLimits = Pick<ModelLimits, "contextWindow" | "tokensPerPicture">;

/** Follows one session. */
export class RealtimeCount {
  readonly #limits: UnseenLimits;
  /** From an event on that brought what only the window bounds; its tools and prompt stay. */
  #isUnbounded = false;
  /** Seen since the last answer was paid, whose usage has those before. */
  #pictures = 0;
  /** Model that writes down what is heard, as the upstream names it; empty where none does. */
  transcriber = "";
  #heardText = 0;
  #heardSeconds = 0;
  #said = new TokenEstimate();
  #saidSeconds = 0;
  /** Seconds heard since the last transcript. */
  #recordedSeconds = 0;
  /** Tokens of the conversation so far, which each answer reads again. */
  #contextTokens = 0;
  #heardRate = PCM_BYTES_PER_SECOND;
  #saidRate = PCM_BYTES_PER_SECOND;

  constructor(limits: UnseenLimits) {
    this.#limits = limits;
  }

  /** True while some of an answer came that is not paid yet. */
  get hasSaid(): boolean {
    return this.#said.bytes > 0 || this.#saidSeconds > 0;
  }

  /** True where the event brought what is not counted here. */
  heard(event: JsonObject): boolean {
    const type = textOf(event["type"]);
    if (type === "input_audio_buffer.append") {
      const seconds = decodedBytes(textOf(event["audio"])) / this.#heardRate;
      this.#heardSeconds += seconds;
      this.#recordedSeconds += seconds;
      return false;
    }
    this.#heardText += estimateText(ownOf(HEARD, type)?.(event) ?? "").tokens;
    const { isUnbounded, pictures } = unseenIn(event);
    this.#isUnbounded ||= isUnbounded;
    this.#pictures += pictures;
    return isUnbounded || pictures > 0;
  }

  /** True where the event said something of an answer. */
  said(event: JsonObject): boolean {
    const type = textOf(event["type"]);
    const part = ownOf(SAID, type);
    if (part === "audio") this.#saidSeconds += decodedBytes(textOf(event["delta"])) / this.#saidRate;
    else if (part === "text") this.#said.addText(textOf(event["delta"]));
    else if (CONFIGURED.has(type)) this.#readSession(objectOf(event["session"]));
    return part !== undefined;
  }

  /** The beta names formats flatly, the later API under audio.input and audio.output. */
  #readSession(session: JsonObject): void {
    const audio = objectOf(session["audio"]);
    const [input, output] = [objectOf(audio["input"]), objectOf(audio["output"])];
    this.#heardRate = secondRate(session["input_audio_format"] ?? input["format"]);
    this.#saidRate = secondRate(session["output_audio_format"] ?? output["format"]);
    this.transcriber = textOf(objectOf(session["input_audio_transcription"] ?? input["transcription"])["model"]);
  }

  /** What was heard and said since the last answer was paid, and what of the conversation is read again. */
  usage(): Usage {
    const audioInputTokens = Math.ceil(this.#heardSeconds * HEARD_TOKENS_PER_SECOND);
    const audioOutputTokens = Math.ceil(this.#saidSeconds * SAID_TOKENS_PER_SECOND);
    return {
      ...NO_USAGE,
      inputTokens: this.#contextTokens + this.#heardText + audioInputTokens,
      outputTokens: this.#said.tokens + audioOutputTokens,
      cacheReadTokens: this.#contextTokens,
      audioInputTokens,
      audioOutputTokens,
      isEstimated: true,
    };
  }

  /** The most that an answer may use, as far as it came: what is to be held. */
  bound(): Usage {
    const usage = this.usage();
    const { contextWindow, tokensPerPicture } = this.#limits;
    const ofPictures = Math.min(this.#pictures * tokensPerPicture, contextWindow);
    const unseen = this.#isUnbounded ? Math.max(0, contextWindow - usage.inputTokens) : ofPictures;
    if (unseen === 0) return usage;
    return { ...usage, inputTokens: usage.inputTokens + unseen, imageInputTokens: Math.min(ofPictures, unseen) };
  }

  /**
   * Usage of an answer that ended: the upstream's own, with what it said counted here where it counted none of that. Undefined where
   * nothing is known to have been used: an answer that failed before it began.
   */
  answerUsage(rawUsage: unknown): NormalisedUsage | undefined {
    const reported = readTokenUsage(rawUsage);
    if (reported === undefined) return this.hasSaid ? { usage: this.usage(), faults: [] } : undefined;
    if (reported.usage.outputTokens > 0 || !this.hasSaid) return reported;
    const { outputTokens, audioOutputTokens } = this.usage();
    const usage = { ...reported.usage, outputTokens, audioOutputTokens, isEstimated: true };
    return { usage, faults: [...reported.faults, "output_tokens"] };
  }

  /** Usage of a transcript: the upstream's tokens or seconds, else what was heard and written counted here. */
  transcriptUsage(event: JsonObject): NormalisedUsage {
    const audioInputTokens = Math.ceil(this.#recordedSeconds * HEARD_TOKENS_PER_SECOND);
    const outputTokens = estimateText(textOf(event["transcript"])).tokens;
    const counted = { ...NO_USAGE, inputTokens: audioInputTokens, audioInputTokens, outputTokens, isEstimated: true };
    return readRecordingUsage(event["usage"]) ?? { usage: counted, faults: [] };
  }

  /** Begins afresh behind an answer that was paid by this usage. */
  paid({ inputTokens, outputTokens }: Usage): void {
    this.#contextTokens = inputTokens + outputTokens;
    this.#heardText = this.#heardSeconds = this.#saidSeconds = this.#pictures = 0;
    this.#said = new TokenEstimate();
  }

  transcribed(): void {
    this.#recordedSeconds = 0;
  }
}
