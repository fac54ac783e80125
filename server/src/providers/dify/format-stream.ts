/** Events of Dify's chats, completions and workflows -> neutral ones (docs.dify.ai/api-reference). */
import { isObject, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { FinishReason, JsonObject, NeutralEvent } from "../../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";

const BROKEN_EVENT = JSON.stringify({ message: "The upstream sent an event that is not JSON." });

/** Outputs that are an answer by their names, where a workflow has several. */
const ANSWERS = ["answer", "text", "result", "output"];

/** What a workflow that streamed no words answers: its one text, the one with such a name, or all outputs as JSON. */
function outputText(outputs: JsonObject): string {
  const names = Object.keys(outputs);
  const name = names.length === 1 ? names[0] : ANSWERS.find((each) => typeof outputs[each] === "string");
  const value = name === undefined ? outputs : outputs[name];
  if (typeof value === "string") return value;
  return names.length === 0 ? "" : JSON.stringify(value);
}

/** Counts where the app tells both kinds of tokens; of workflows there is only a sum, which no price applies to. */
function usageIn(metadata: JsonObject): NeutralEvent[] {
  const { usage } = metadata;
  return isObject(usage) && typeof usage["prompt_tokens"] === "number" ? [{ kind: "usage", raw: usage }] : [];
}

class DifyDecoder implements StreamDecoder {
  readonly #baseUrl: string;
  #hasStarted = false;
  #hasWords = false;
  #finish: FinishReason = "stop";

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "" || event === "ping") return [];
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    const events = this.#read(textOf(fields["event"]) || event, fields, data);
    if (this.#hasStarted || events.length === 0) return events;
    this.#hasStarted = true;
    const id = textOf(fields["message_id"]) || textOf(fields["workflow_run_id"]) || textOf(fields["task_id"]);
    return [{ kind: "start", id }, ...events];
  }

  #read(type: string, fields: JsonObject, data: string): NeutralEvent[] {
    const inner = objectOf(fields["data"]);
    switch (type) {
      case "message":
      case "agent_message":
        return this.#words(textOf(fields["answer"]));
      case "text_chunk":
        return this.#words(textOf(inner["text"]));
      case "reasoning_chunk": {
        const text = textOf(inner["reasoning"]);
        return text === "" ? [] : [{ kind: "reasoning", choice: 0, text }];
      }
      case "message_replace":
        // Moderation took the answer back: what was said before is with the client already.
        this.#finish = "content_filter";
        return this.#hasWords ? [] : this.#words(textOf(fields["answer"]));
      case "message_file":
        return this.#file(fields);
      case "message_end":
        return this.#end(usageIn(objectOf(fields["metadata"])));
      case "workflow_finished":
        return this.#workflowEnd(fields, inner, data);
      case "workflow_paused":
      case "error":
        return [{ kind: "error", text: data }];
      default:
        return [];
    }
  }

  #words(text: string): NeutralEvent[] {
    if (text === "") return [];
    this.#hasWords = true;
    return [{ kind: "text", choice: 0, text }];
  }

  /** Pictures as they are; other files as a link in the words. Addresses of servers that operators run may lack their host. */
  #file({ type, url, belongs_to: owner }: JsonObject): NeutralEvent[] {
    const address = URL.parse(textOf(url), this.#baseUrl)?.href;
    if (address === undefined || owner === "user") return [];
    if (type === "image") return [{ kind: "image", choice: 0, source: { kind: "url", url: address } }];
    return this.#words(`\n[${textOf(type) || "file"}](${address})\n`);
  }

  #end(usage: readonly NeutralEvent[]): NeutralEvent[] {
    return [{ kind: "finish", choice: 0, reason: this.#finish }, ...usage, { kind: "end" }];
  }

  /** A chat that is a flow ends with `message_end` behind this. */
  #workflowEnd(fields: JsonObject, run: JsonObject, data: string): NeutralEvent[] {
    if (run["status"] === "failed") return [{ kind: "error", text: data }];
    if (fields["message_id"] !== undefined) return [];
    const words = this.#hasWords ? [] : this.#words(outputText(objectOf(run["outputs"])));
    return [...words, ...this.#end([])];
  }
}

/** `baseUrl` completes addresses of files that lack their host. */
export const createDecoder = (baseUrl: string): StreamDecoder => new DifyDecoder(baseUrl);
