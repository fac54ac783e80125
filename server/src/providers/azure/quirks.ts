/** Deployments are usually named after OpenAI's models, and take what those take. */
export { REASONING_QUIRKS as quirks } from "../../dialects/openai-chat/reasoning-models.ts";
