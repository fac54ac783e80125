/** Names of the models that an Ollama server holds (docs.ollama.com/api/tags). */
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

export const modelNames = ({ models }: JsonObject): readonly string[] =>
  listOf(models)
    .map((model) => textOf(objectOf(model)["name"]))
    .filter((name) => name !== "");
