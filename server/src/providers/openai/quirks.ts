/** Where OpenAI's models differ from each other. */
export { REASONING_QUIRKS as quirks } from "../../dialects/openai-chat/reasoning-models.ts";
