/** Where Xinference differs from OpenAI's chat completions (inference.readthedocs.io, "Client API"). */
import { olderLimit } from "../../dialects/openai-chat/compatible.ts";
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = [
  {
    reason: "older servers bound answers by max_tokens alone",
    appliesTo: (_model, operation) => operation === "chat",
    patch: olderLimit,
  },
];
