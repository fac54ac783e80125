/** The format of a model: Claude's own, and for all others the one that Bedrock gives them. */
import type { FormatName } from "../../dialects/dialect.ts";
import { isClaude, isNameless } from "./models.ts";

/** What does not say who made it is asked as Claude first. */
export const dialectsOf = (model: string): readonly FormatName[] => {
  if (isNameless(model)) return ["anthropic-messages", "vendor"];
  return isClaude(model) ? ["anthropic-messages"] : ["vendor"];
};
