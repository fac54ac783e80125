/** Events of Coze's agents -> neutral ones (coze.cn/docs/developer_guides/chat_v3). */
import { defined, numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject, NeutralEvent } from "../../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";

const BROKEN_EVENT = JSON.stringify({ msg: "The upstream sent an event that is not JSON." });

/** Its counts in the words of chat completions; none where it tells a sum alone. */
function usageIn({ usage }: JsonObject): NeutralEvent[] {
  const counts = objectOf(usage);
  const prompt_tokens = numberOf(counts["input_count"]);
  const completion_tokens = numberOf(counts["output_count"]);
  if (prompt_tokens === undefined || completion_tokens === undefined) return [];
  const cached = numberOf(objectOf(counts["input_tokens_details"])["cached_tokens"]);
  const thought = numberOf(objectOf(counts["output_tokens_details"])["reasoning_tokens"]);
  const raw = defined({
    prompt_tokens,
    completion_tokens,
    prompt_tokens_details: cached === undefined ? undefined : { cached_tokens: cached },
    completion_tokens_details: thought === undefined ? undefined : { reasoning_tokens: thought },
  });
  return [{ kind: "usage", raw }];
}

class CozeDecoder implements StreamDecoder {
  #hasStarted = false;
  #hasWords = false;

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "" || event === "done") return [];
    const fields = parseObject(data);
    if (fields === undefined) return [{ kind: "error", text: BROKEN_EVENT }];
    const events = this.#read(event, fields, data);
    if (this.#hasStarted || events.length === 0) return events;
    this.#hasStarted = true;
    return [{ kind: "start", id: textOf(fields["chat_id"]) || textOf(fields["id"]) }, ...events];
  }

  #read(event: string, fields: JsonObject, data: string): NeutralEvent[] {
    switch (event) {
      case "conversation.message.delta":
        return fields["type"] === "answer" ? this.#words(fields) : [];
      case "conversation.message.completed":
        // It has once more what came in pieces; answers of plugins come in one.
        return fields["type"] === "answer" && !this.#hasWords ? this.#words(fields) : [];
      case "conversation.chat.completed":
        return [{ kind: "finish", choice: 0, reason: "stop" }, ...usageIn(fields), { kind: "end" }];
      case "conversation.chat.failed":
      case "conversation.chat.canceled":
      case "conversation.chat.requires_action":
      case "error":
        return [{ kind: "error", text: data }];
      default:
        return [];
    }
  }

  #words({ content, reasoning_content }: JsonObject): NeutralEvent[] {
    const [text, thought] = [textOf(content), textOf(reasoning_content)];
    if (text !== "") this.#hasWords = true;
    return [
      ...(thought === "" ? [] : [{ kind: "reasoning", choice: 0, text: thought } as const]),
      ...(text === "" ? [] : [{ kind: "text", choice: 0, text } as const]),
    ];
  }
}

export const createDecoder = (): StreamDecoder => new CozeDecoder();
