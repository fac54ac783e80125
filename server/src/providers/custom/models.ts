/** Models a new custom channel starts with: servers that speak the format mostly know its names. */
export { OPENAI_CHAT_MODELS as models } from "../../dialects/openai-chat/models.ts";
