/** Events of an Anthropic stream -> neutral ones (platform.claude.com/docs/en/build-with-claude/streaming). */
import { citationOf } from "../citations.ts";
import { explanationOf, finishOf } from "../finish.ts";
import { UNSIGNED } from "../signature.ts";
import { isSearchResult, mergeUsage, startUsage } from "../usage.ts";
import type { StreamDecoder } from "../../stream/stream.ts";
import { isObject, objectOf, parseObject, textOf } from "../../json/fields.ts";
import type { JsonObject, NeutralEvent } from "../../neutral/neutral.ts";

const NOTHING: readonly NeutralEvent[] = [];
const SEARCHED: readonly NeutralEvent[] = [{ kind: "priced_call", tool: "web_search" }];
const NOT_JSON = JSON.stringify({
  type: "error",
  error: { type: "api_error", message: "the upstream sent an event that is not valid JSON" },
});

const signed = (value: string, isRedacted: boolean): NeutralEvent => ({
  kind: "signature",
  choice: 0,
  signature: { dialect: "anthropic-messages", value },
  isRedacted,
});

const signatureOf = (value: string): readonly NeutralEvent[] =>
  value === "" || value === UNSIGNED ? NOTHING : [signed(value, false)];

class Decoder implements StreamDecoder {
  #usage: unknown = undefined;
  #calls = 0;
  /** Input of the tool call that is open, as its block began; undefined while none is open. */
  #input: JsonObject | undefined = undefined;
  #hasArguments = false;

  push(event: string, data: string): readonly NeutralEvent[] {
    if (event === "ping" || data === "") return NOTHING;
    if (event === "error") return [{ kind: "error", text: data }];
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: NOT_JSON }];
    switch (fields["type"]) {
      case "content_block_delta":
        return this.#delta(objectOf(fields["delta"]));
      case "content_block_start":
        return this.#open(objectOf(fields["content_block"]));
      case "content_block_stop":
        return this.#close();
      case "message_start":
        return this.#start(objectOf(fields["message"]));
      case "message_delta":
        return this.#finish(objectOf(fields["delta"]), fields["usage"]);
      case "message_stop":
        return [{ kind: "end" }];
      case "error":
        return [{ kind: "error", text: data }];
      default:
        return isObject(fields["error"]) ? [{ kind: "error", text: data }] : NOTHING;
    }
  }

  #start(message: JsonObject): NeutralEvent[] {
    return [{ kind: "start", id: textOf(message["id"]) }, ...this.#used(startUsage(message["usage"]))];
  }

  #used(usage: unknown): NeutralEvent[] {
    if (!isObject(usage)) return [];
    this.#usage = mergeUsage(this.#usage, usage);
    return [{ kind: "usage", raw: this.#usage }];
  }

  #delta(delta: JsonObject): readonly NeutralEvent[] {
    switch (delta["type"]) {
      case "text_delta":
        return [{ kind: "text", choice: 0, text: textOf(delta["text"]) }];
      case "thinking_delta":
        return [{ kind: "reasoning", choice: 0, text: textOf(delta["thinking"]) }];
      case "signature_delta":
        return signatureOf(textOf(delta["signature"]));
      case "input_json_delta":
        return this.#arguments(textOf(delta["partial_json"]));
      case "citations_delta": {
        const citation = citationOf(delta["citation"]);
        return citation === undefined ? NOTHING : [{ kind: "citation", choice: 0, citation }];
      }
      default:
        return NOTHING;
    }
  }

  /** Input of the vendor's own tools goes nowhere, and neither do the empty pieces it begins every input with. */
  #arguments(text: string): readonly NeutralEvent[] {
    if (this.#input === undefined || text === "") return NOTHING;
    this.#hasArguments = true;
    return [{ kind: "tool_arguments", choice: 0, index: this.#calls - 1, text }];
  }

  /** Blocks begin empty as a rule; gateways put whole ones there. */
  #open(block: JsonObject): readonly NeutralEvent[] {
    this.#input = undefined;
    const text = textOf(block["text"]) || textOf(block["thinking"]);
    switch (block["type"]) {
      case "text":
        return text === "" ? NOTHING : [{ kind: "text", choice: 0, text }];
      case "thinking": {
        const opening: NeutralEvent[] = text === "" ? [] : [{ kind: "reasoning", choice: 0, text }];
        return [...opening, ...signatureOf(textOf(block["signature"]))];
      }
      case "redacted_thinking":
        return [signed(textOf(block["data"]), true)];
      case "tool_use":
        return this.#openCall(block);
      default:
        return isSearchResult(block) ? SEARCHED : NOTHING;
    }
  }

  #openCall(block: JsonObject): NeutralEvent[] {
    this.#input = objectOf(block["input"]);
    this.#hasArguments = false;
    const index = this.#calls;
    this.#calls += 1;
    return [{ kind: "tool_call", choice: 0, index, id: textOf(block["id"]), name: textOf(block["name"]) }];
  }

  /** A call without any piece of input had all of it at its beginning, or takes none. */
  #close(): readonly NeutralEvent[] {
    const input = this.#input;
    this.#input = undefined;
    if (input === undefined || this.#hasArguments) return NOTHING;
    return [{ kind: "tool_arguments", choice: 0, index: this.#calls - 1, text: JSON.stringify(input) }];
  }

  #finish(delta: JsonObject, usage: unknown): NeutralEvent[] {
    const events = this.#used(usage);
    const stopReason = textOf(delta["stop_reason"]);
    if (stopReason === "") return events;
    const reason = finishOf(stopReason);
    const stopSequence = textOf(delta["stop_sequence"]);
    const explanation = explanationOf(reason, delta["stop_details"]);
    if (explanation !== "") events.push({ kind: "refusal", choice: 0, text: explanation });
    events.push({ kind: "finish", choice: 0, reason, ...(stopSequence === "" ? {} : { stopSequence }) });
    return events;
  }
}

export const createDecoder = (): StreamDecoder => new Decoder();
