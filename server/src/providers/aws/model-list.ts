/** Bedrock's list of models, by the names that stand for an id with its area (docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html). */
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { Provider } from "../provider.ts";
import { nameOf } from "./models.ts";

export const modelNames: NonNullable<Provider["modelNames"]> = ({ modelSummaries }) => {
  const ids = listOf(modelSummaries).map((summary) => textOf(objectOf(summary)["modelId"]));
  return [...new Set(ids.filter((id) => id !== "").map(nameOf))];
};
