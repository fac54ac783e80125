/** Names in the catalogue of Workers AI (developers.cloudflare.com/api/resources/ai/subresources/models/methods/list). */
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

export const modelNames = ({ result }: JsonObject): readonly string[] =>
  listOf(result)
    .map((model) => textOf(objectOf(model)["name"]))
    .filter((name) => name !== "");
