/** The format of each family of models. */
import type { Provider } from "../provider.ts";
import { type Family, familyOf } from "./models.ts";

const FORMATS = {
  google: ["gemini"],
  claude: ["anthropic-messages"],
  open: ["openai-chat"],
} as const satisfies Record<Family, readonly string[]>;

export const dialectsOf: NonNullable<Provider["dialectsOf"]> = (model) => FORMATS[familyOf(model)];
