/** Events of Converse's streams -> neutral ones (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html). */
import { isObject, numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject, NeutralEvent } from "../../dialects/neutral/neutral.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";
import { finishOf, usageOf } from "./format-answer.ts";

/** A call of a tool whose block is open. */
interface OpenCall {
  index: number;
  hasArguments: boolean;
}

class ConverseDecoder implements StreamDecoder {
  /** By the number of their block. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #countsWhole: boolean;
  #isThinking = false;

  constructor(countsWhole: boolean) {
    this.#countsWhole = countsWhole;
  }

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    const fields = parseObject(data);
    // Exceptions have their name in the data too (upstream/framing.ts).
    if (fields === undefined || fields["__type"] !== undefined) return [{ kind: "error", text: data }];
    const events: NeutralEvent[] = [];
    this.#read(event, fields, events);
    return events;
  }

  #read(event: string, fields: JsonObject, events: NeutralEvent[]): void {
    const block = numberOf(fields["contentBlockIndex"]) ?? 0;
    switch (event) {
      case "messageStart":
        return void events.push({ kind: "start", id: "" });
      case "contentBlockStart":
        return this.#start(block, objectOf(fields["start"]), events);
      case "contentBlockDelta":
        return this.#delta(block, objectOf(fields["delta"]), events);
      case "contentBlockStop":
        return this.#stop(block, events);
      case "messageStop":
        return void events.push({ kind: "finish", choice: 0, reason: finishOf(textOf(fields["stopReason"])) });
      case "metadata":
        return this.#end(fields, events);
      default:
    }
  }

  #start(block: number, { toolUse }: JsonObject, events: NeutralEvent[]): void {
    if (!isObject(toolUse)) return;
    const index = this.#calls.size;
    this.#calls.set(block, { index, hasArguments: false });
    const { toolUseId, name } = toolUse;
    events.push({ kind: "tool_call", choice: 0, index, id: textOf(toolUseId), name: textOf(name) });
  }

  #delta(block: number, { text, toolUse, reasoningContent }: JsonObject, events: NeutralEvent[]): void {
    const thought = textOf(objectOf(reasoningContent)["text"]);
    if (thought !== "") {
      this.#isThinking = true;
      events.push({ kind: "reasoning", choice: 0, text: thought });
    }
    if (typeof text === "string" && text !== "") events.push({ kind: "text", choice: 0, text });
    const call = this.#calls.get(block);
    const piece = textOf(objectOf(toolUse)["input"]);
    if (call === undefined || piece === "") return;
    call.hasArguments = true;
    events.push({ kind: "tool_arguments", choice: 0, index: call.index, text: piece });
  }

  #stop(block: number, events: NeutralEvent[]): void {
    if (this.#isThinking) events.push({ kind: "signature", choice: 0, signature: UNSIGNED });
    this.#isThinking = false;
    const call = this.#calls.get(block);
    if (call?.hasArguments === false) events.push({ kind: "tool_arguments", choice: 0, index: call.index, text: "{}" });
  }

  #end({ usage }: JsonObject, events: NeutralEvent[]): void {
    const counted = usageOf(usage, this.#countsWhole);
    if (counted !== undefined) events.push({ kind: "usage", raw: counted });
    events.push({ kind: "end" });
  }
}

/** A decoder for one stream; `countsWhole` where its input has what the cache held too. */
export const createDecoder = (countsWhole = false): StreamDecoder => new ConverseDecoder(countsWhole);
