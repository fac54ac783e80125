/** Top-level fields by which clients ask a model to think, by format: used by decoders and by the size of holds; part of the hub. */
import type { DialectName } from "./neutral.ts";

export const THINKING_FIELDS = {
  "openai-chat": ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget"],
  "openai-responses": ["reasoning"],
  "anthropic-messages": ["thinking", "output_config"],
  gemini: ["generationConfig", "generation_config"],
} as const satisfies Record<DialectName, readonly string[]>;

/** Names that vendors read and no decoder does: OpenRouter's, those of open servers (vLLM, SGLang), and of Google's form of chat completions. */
export const VENDORS_THINKING_FIELDS = ["include_reasoning", "chat_template_kwargs", "extra_body"] as const;
