/** Messages of Spark's WebSocket -> neutral events; the last one, of status 2, has the usage. */
import { isObject, listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";
import type { NeutralEvent } from "../../dialects/neutral/neutral.ts";

class SparkDecoder implements StreamDecoder {
  #isStarted = false;
  #isThinking = false;

  push(_event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    const message = parseObject(data);
    if (message === undefined) return [{ kind: "error", text: data }];
    const header = objectOf(message["header"]);
    const payload = objectOf(message["payload"]);
    const events: NeutralEvent[] = this.#isStarted ? [] : [{ kind: "start", id: textOf(header["sid"]) }];
    this.#isStarted = true;
    for (const piece of listOf(objectOf(payload["choices"])["text"])) this.#read(piece, events);
    if (header["status"] !== 2) return events;
    this.#endThinking(events);
    events.push({ kind: "finish", choice: 0, reason: "stop" });
    const usage = objectOf(payload["usage"])["text"];
    if (isObject(usage)) events.push({ kind: "usage", raw: usage });
    return [...events, { kind: "end" }];
  }

  #read(piece: unknown, events: NeutralEvent[]): void {
    const { content, reasoning_content: thought } = objectOf(piece);
    if (textOf(thought) !== "") {
      this.#isThinking = true;
      events.push({ kind: "reasoning", choice: 0, text: textOf(thought) });
    }
    if (textOf(content) === "") return;
    this.#endThinking(events);
    events.push({ kind: "text", choice: 0, text: textOf(content) });
  }

  #endThinking(events: NeutralEvent[]): void {
    if (this.#isThinking) events.push({ kind: "signature", choice: 0, signature: UNSIGNED });
    this.#isThinking = false;
  }
}

export const createDecoder = (): StreamDecoder => new SparkDecoder();
