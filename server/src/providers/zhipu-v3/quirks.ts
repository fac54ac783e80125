/** What GLM models want otherwise, as in version 4. */
import { GLM_QUIRKS } from "../../dialects/openai-chat/vendors/glm.ts";
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = GLM_QUIRKS;
