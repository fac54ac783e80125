/** What the site's settings add to requests for Gemini (reference of the options gemini.*); the vendor itself keeps to its interface. */
import {
  safetySettingsOf,
  type ThinkingAdaption,
  thinkingBySuffix,
  withPictures,
  withThinking,
} from "../../dialects/gemini/adapt.ts";
import { pick } from "../../dialects/gemini/fields.ts";
import { listOf, objectOf } from "../../dialects/json-fields.ts";
import type { Provider, Quirk } from "../provider.ts";

type Options = Parameters<NonNullable<Provider["modelName"]>>[1];

function adaptionOf(model: string, options: Options, maxTokens?: number): ThinkingAdaption | undefined {
  const isEnabled = options["gemini.thinking_adapter_enabled"];
  const share = Number(options["gemini.thinking_adapter_budget_tokens_percentage"]);
  return thinkingBySuffix(model, maxTokens, { isEnabled, share });
}

/** The name without a suffix that stands for thinking, where the site takes it for one. */
export const modelName = (model: string, options: Options): string => adaptionOf(model, options)?.model ?? model;

/** Safety thresholds, and pictures from the models that can draw. A Gemini client says both itself. */
export const additions: NonNullable<Provider["additions"]> = (fields, model, options) => {
  const safetySettings = safetySettingsOf(options["gemini.safety_settings"]);
  const draws = options["gemini.supported_imagine_models"].includes(modelName(model, options));
  const generationConfig = draws ? withPictures(fields) : undefined;
  return {
    ...(safetySettings.length === 0 ? {} : { safetySettings }),
    ...(generationConfig === undefined ? {} : { generationConfig }),
  };
};

/** The request of an embedding with the name that the path has. */
function renamed(request: unknown, name: string): unknown {
  const fields = objectOf(request);
  return fields["model"] === undefined || fields["model"] === name ? request : { ...fields, model: name };
}

export const quirks: readonly Quirk[] = [
  {
    reason: "an embedding names its model once more in the body, and the vendor refuses another one than the path's",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch(body, _options, model) {
      const name = `models/${model}`;
      const requests = listOf(body["requests"]);
      const renamedRequests = requests.map((request) => renamed(request, name));
      const hasChanged = renamedRequests.some((request, index) => request !== requests[index]);
      const isOther = body["model"] !== undefined && body["model"] !== name;
      if (!hasChanged && !isOther) return {};
      return { set: { ...(hasChanged ? { requests: renamedRequests } : {}), ...(isOther ? { model: name } : {}) } };
    },
  },
  {
    reason: "a suffix of -thinking, -nothinking or -thinking-<tokens> stands for thinkingConfig",
    appliesTo: (model, operation) => operation === "chat" && /-(?:no)?thinking(?:-\d{1,6})?$/.test(model),
    patch(body, options, model) {
      const bound = pick(objectOf(pick(body, "generationConfig")), "maxOutputTokens");
      const config = adaptionOf(model, options, typeof bound === "number" ? bound : undefined)?.thinkingConfig;
      if (config === undefined) return {};
      const remove = body["generation_config"] === undefined ? [] : ["generation_config"];
      return { remove, set: { generationConfig: withThinking(body, config) } };
    },
  },
];
