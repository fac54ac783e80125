/** Its format: `{say, last}` goes there; `{text, tokens}` or lines of it come back. A model named `socket` is reached by WebSocket. */
import type { NeutralEvent } from "../../../../server/src/dialects/neutral/neutral.ts";
import { vendorFormat } from "../../../../server/src/dialects/vendor-format.ts";
import { parseObject, textOf } from "../../../../server/src/dialects/json/fields.ts";

const usageOf = (tokens: unknown) => ({ prompt_tokens: tokens, completion_tokens: 2 });

const own = vendorFormat({
  encodeRequest: ({ messages, isStream }) => ({
    say: messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))),
    streamed: isStream,
  }),
  decodeAnswer: ({ text, tokens }) =>
    typeof text === "string"
      ? { id: "z-1", choices: [{ parts: [{ kind: "text", text }], finish: "stop" }], rawUsage: usageOf(tokens) }
      : undefined,
  createDecoder: () => ({
    push(_event, data): NeutralEvent[] {
      const { text, tokens, last } = parseObject(data) ?? {};
      const words: NeutralEvent[] = [{ kind: "text", choice: 0, text: textOf(text) }];
      if (last !== true) return words;
      return [
        ...words,
        { kind: "finish", choice: 0, reason: "stop" },
        { kind: "usage", raw: usageOf(tokens) },
        { kind: "end" },
      ];
    },
  }),
});

export const format = () => own;
export const isLastMessage = (text: string): boolean => parseObject(text)?.["last"] === true;
