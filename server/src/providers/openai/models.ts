/** Models a new OpenAI channel starts with: those that its served operations can use. */
export { OPENAI_CHAT_MODELS as models } from "../../dialects/openai-chat/models.ts";
