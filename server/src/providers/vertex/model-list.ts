/** Vertex's list of Google's models (docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list). */
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { Provider } from "../provider.ts";

export const modelNames: NonNullable<Provider["modelNames"]> = ({ publisherModels }) => {
  const names = listOf(publisherModels).map((entry) => textOf(objectOf(entry)["name"]));
  return names.map((name) => name.slice(name.lastIndexOf("/") + 1)).filter((name) => name !== "");
};
