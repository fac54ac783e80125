/** The wire formats by name: the only file that knows all of them. */
import { anthropicMessagesDialect } from "./anthropic-messages/anthropic-messages.ts";
import type { Dialect } from "./dialect.ts";
import { geminiDialect } from "./gemini/gemini.ts";
import type { DialectName } from "./neutral/neutral.ts";
import { openAiChatDialect } from "./openai-chat/openai-chat.ts";
import { openAiResponsesDialect } from "./openai-responses/openai-responses.ts";

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  "openai-chat": openAiChatDialect,
  "openai-responses": openAiResponsesDialect,
  "anthropic-messages": anthropicMessagesDialect,
  gemini: geminiDialect,
};
