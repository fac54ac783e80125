/** One realtime session as OpenAI speaks it, in both families of event names (platform.openai.com/docs/api-reference/realtime-server-events). */
import type { WebSocket } from "ws";
import type { Plan } from "../plan.ts";
import { DEFAULT_TEXT, splitText } from "../vendor.ts";

type Fields = Record<string, unknown>;

/** As the page of response.done has it: parts of each kind, what was cached by kind. */
export const SPOKEN_USAGE = {
  total_tokens: 60,
  input_tokens: 40,
  output_tokens: 20,
  input_token_details: {
    text_tokens: 15,
    audio_tokens: 25,
    image_tokens: 0,
    cached_tokens: 10,
    cached_tokens_details: { text_tokens: 4, audio_tokens: 6 },
  },
  output_token_details: { text_tokens: 5, audio_tokens: 15 },
};

export const WRITTEN_USAGE = {
  total_tokens: 22,
  input_tokens: 15,
  output_tokens: 7,
  input_token_details: { text_tokens: 15, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
  output_token_details: { text_tokens: 7, audio_tokens: 0 },
};

/** As the page of conversation.item.input_audio_transcription.completed has it; whisper-1 is paid by time. */
export const TRANSCRIPT_USAGE = {
  type: "tokens",
  total_tokens: 26,
  input_tokens: 17,
  input_token_details: { text_tokens: 3, audio_tokens: 14 },
  output_tokens: 9,
};
const TRANSCRIPT_SECONDS = { type: "duration", seconds: 6 };

export const SOUND = Buffer.alloc(4800, 1).toString("base64");

const objectIn = (source: Fields, ...path: readonly string[]): Fields =>
  path.reduce<Fields>((found, name) => (found[name] ?? {}) as Fields, source);

/** What was asked for, in the words of either family. */
export interface Asked {
  isBeta: boolean;
  /** Model of the query; empty where it names none. */
  model: string;
  isTranscription: boolean;
}

export class FakeSession {
  readonly #socket: WebSocket;
  readonly #plan: () => Plan;
  readonly #asked: Asked;
  #events = 0;
  #answers = 0;
  #speaks = true;
  #transcriber = "";

  constructor(socket: WebSocket, plan: () => Plan, asked: Asked) {
    this.#socket = socket;
    this.#plan = plan;
    this.#asked = asked;
  }

  send(event: Fields): void {
    this.#socket.send(JSON.stringify({ event_id: `event_${(this.#events += 1)}`, ...event }));
  }

  greet(): void {
    this.send({ type: this.#configured("created"), session: this.#session() });
  }

  /** Sends an error; one that ends the session closes it with its code as the reason. */
  error(message: string, code: string | null, isFatal = false, type = "invalid_request_error"): void {
    this.send({ type: "error", error: { type, code, message, param: null, event_id: null } });
    if (isFatal) this.#socket.close(4000, `${type}.${code}`);
  }

  #configured(change: "created" | "updated"): string {
    return `${this.#asked.isBeta && this.#asked.isTranscription ? "transcription_session" : "session"}.${change}`;
  }

  #session(): Fields {
    const transcription = this.#transcriber === "" ? null : { model: this.#transcriber };
    if (this.#asked.isBeta) {
      const formats = { input_audio_format: "pcm16", output_audio_format: "pcm16" };
      return { object: "realtime.session", ...formats, input_audio_transcription: transcription };
    }
    const format = { type: "audio/pcm", rate: 24_000 };
    if (this.#asked.isTranscription) return { type: "transcription", audio: { input: { format, transcription } } };
    return {
      type: "realtime",
      model: this.#asked.model,
      output_modalities: [this.#speaks ? "audio" : "text"],
      audio: { input: { format, transcription }, output: { format } },
    };
  }

  take(text: string): void {
    const event = JSON.parse(text) as Fields;
    const type = String(event["type"]);
    const act = Object.hasOwn(this.#acts, type) ? this.#acts[type] : undefined;
    if (act === undefined) this.error(`Invalid value: '${type}'. Supported values are listed.`, "invalid_value");
    else act(event);
  }

  /** Events of the client, as the page of client events lists them; those that only change state say little. */
  readonly #acts: Readonly<Record<string, (event: Fields) => void>> = {
    "session.update": (event) => this.#update(objectIn(event, "session")),
    "transcription_session.update": (event) => this.#update(objectIn(event, "session")),
    "conversation.item.create": ({ item }) => this.#added(item as Fields),
    "input_audio_buffer.append": () => undefined,
    "input_audio_buffer.clear": () => this.send({ type: "input_audio_buffer.cleared" }),
    "input_audio_buffer.commit": () => this.#committed(),
    "response.create": (event) => this.#answer(objectIn(event, "response")),
    "response.cancel": () => undefined,
  };

  #update(session: Fields): void {
    const wanted = this.#asked.isTranscription ? "transcription" : "realtime";
    if (!this.#asked.isBeta && session["type"] === undefined)
      return this.error("Missing required parameter: 'session.type'.", "missing_required_parameter");
    if (!this.#asked.isBeta && session["type"] !== wanted)
      return this.error("Passing a transcription session update event to a realtime session is not allowed.", null);
    const { model } = { ...objectIn(session, "input_audio_transcription"), ...this.#transcriptionIn(session) };
    if (this.#asked.isTranscription && this.#asked.model !== "")
      return this.error(`Model "${model}" is not supported in transcription mode.`, "invalid_model", true);
    if (typeof model === "string") this.#transcriber = model;
    const modalities = (session["output_modalities"] ?? session["modalities"]) as string[] | undefined;
    if (modalities !== undefined) this.#speaks = modalities.includes("audio");
    this.send({ type: this.#configured("updated"), session: this.#session() });
  }

  readonly #transcriptionIn = (session: Fields): Fields => objectIn(session, "audio", "input", "transcription");

  #added(item: Fields): void {
    if (this.#asked.isBeta) return this.send({ type: "conversation.item.created", item });
    this.send({ type: "conversation.item.added", item });
    this.send({ type: "conversation.item.done", item });
  }

  #committed(): void {
    const item = { id: "item_1", type: "message", role: "user", content: [{ type: "input_audio" }] };
    this.send({ type: "input_audio_buffer.committed", item_id: "item_1", previous_item_id: null });
    this.#added(item);
    if (this.#transcriber === "") return;
    const { text = DEFAULT_TEXT, usage } = this.#plan();
    const counted = this.#transcriber === "whisper-1" ? TRANSCRIPT_SECONDS : TRANSCRIPT_USAGE;
    const head = { item_id: "item_1", content_index: 0 };
    const name = "conversation.item.input_audio_transcription";
    for (const delta of splitText(text, 2)) this.send({ type: `${name}.delta`, ...head, delta });
    const told = usage === null ? {} : { usage: usage ?? counted };
    this.send({ type: `${name}.completed`, ...head, transcript: text, ...told });
  }

  /** The later API says `output_` where the beta did not. */
  #name(kind: "text" | "audio" | "audio_transcript", part: "delta" | "done"): string {
    return `response.${this.#asked.isBeta ? "" : "output_"}${kind}.${part}`;
  }

  #answer(asked: Fields): void {
    if (this.#asked.isTranscription) return this.error("A transcription session gives no responses.", "invalid_value");
    const plan = this.#plan();
    const modalities = (asked["output_modalities"] ?? asked["modalities"]) as string[] | undefined;
    const speaks = modalities?.includes("audio") ?? this.#speaks;
    const id = `resp_${(this.#answers += 1)}`;
    const text = plan.text ?? DEFAULT_TEXT;
    this.send({ type: "response.created", response: { id, object: "realtime.response", status: "in_progress" } });
    this.send({ type: "response.output_item.added", response_id: id, output_index: 0, item: { id: "item_2" } });
    this.#say(id, plan, text, speaks);
    if (plan.finishReason === null) return;
    const usage = plan.usage === undefined ? (speaks ? SPOKEN_USAGE : WRITTEN_USAGE) : plan.usage;
    const part = speaks ? { type: "output_audio", transcript: text } : { type: "output_text", text };
    const output = [{ id: "item_2", type: "message", role: "assistant", content: [part] }];
    const response = { id, object: "realtime.response", status: plan.finishReason ?? "completed", output };
    this.send({ type: "response.done", response: { ...response, ...(usage === null ? {} : { usage }) } });
    this.send({ type: "rate_limits.updated", rate_limits: [] });
  }

  #say(id: string, plan: Plan, text: string, speaks: boolean): void {
    const head = { response_id: id, item_id: "item_2", output_index: 0, content_index: 0 };
    const words = speaks ? "audio_transcript" : "text";
    for (const delta of splitText(text, plan.chunks ?? 3))
      this.send({ type: this.#name(words, "delta"), ...head, delta });
    if (speaks) this.send({ type: this.#name("audio", "delta"), ...head, delta: SOUND });
    if (plan.finishReason === null) return;
    if (speaks) this.send({ type: this.#name("audio", "done"), ...head });
    const whole = speaks ? { transcript: text } : { text };
    this.send({ type: this.#name(words, "done"), ...head, ...whole });
  }
}
