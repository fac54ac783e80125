/** Models a new Anthropic channel starts with. */
export { ANTHROPIC_MODELS as models } from "../../dialects/anthropic-messages/models.ts";
