/** Where GLM models differ from OpenAI's chat completions. */
import { GLM_QUIRKS } from "../../dialects/openai-chat/vendors/glm.ts";
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = GLM_QUIRKS;
