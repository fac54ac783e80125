/** Names in Cohere's list of models (docs.cohere.com/reference/list-models). */
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

export const modelNames = ({ models }: JsonObject): readonly string[] =>
  listOf(models)
    .map((model) => textOf(objectOf(model)["name"]))
    .filter((name) => name !== "");
