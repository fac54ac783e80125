/** An Ollama server as the console and the relay list it: channel type 4 (docs.ollama.com/api/openai-compatibility, docs.ollama.com/api/authentication). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 4,
  slug: "ollama",
  name: "Ollama",
  defaultBaseUrl: "http://localhost:11434",
  dialects: ["vendor"],
  // A server of one's own passes over keys; those of ollama.com are checked.
  keyHint: "ollama",
  models: ["gpt-oss:20b", "qwen3:8b", "qwen3-vl:8b", "gemma4:31b", "deepseek-r1:8b", "llama3.3:70b", "embeddinggemma"],
  operations: ["chat", "completions", "embeddings", "models"],
  mark: { glyph: "O", colour: "#3f3f46" },
};
