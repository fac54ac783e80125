/** Zhipu's GLM models, for all who serve them: models, root, deviations, and meanings of error codes (docs.bigmodel.cn). */
import type { FormatQuirk } from "../../format-quirk.ts";
import { type ReadFailure, readFailure, withKind } from "../../neutral/failure.ts";
import { effortAsSwitch, isCompletions, olderLimit, systemRole } from "../compatible.ts";

/** docs.bigmodel.cn/cn/guide/start/model-overview */
export const GLM_MODELS: readonly string[] = [
  "glm-5.3",
  "glm-5.3-flash",
  "glm-5.2",
  "glm-5v-turbo",
  "glm-5-turbo",
  "glm-4.7",
  "glm-4.7-flashx",
  "glm-4.7-flash",
  "glm-4.6v",
  "glm-4.5-air",
  "glm-4-long",
  "embedding-3",
];

const ROOT = "/api/paas/v4";

/**
 * A path of OpenAI's here, abroad (api.z.ai/api/paas/v4) or in the coding plan (/api/coding/paas/v4) (docs.bigmodel.cn/cn/api/introduction):
 * a base URL that ends in a version is whole, others get the plain root.
 */
export function glmUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  return base + (/\/v\d+$/.test(base) ? "" : ROOT) + path.replace(/^\/v1(?=\/)/, "");
}

/** From this one on models take all of OpenAI's efforts. */
const takesEffort = (model: string): boolean => /^glm-(?:5\.[2-9]|[6-9])/.test(model);

/** Where they differ from OpenAI's chat completions (docs.bigmodel.cn/cn/guide/capabilities/thinking, api-reference). */
export const GLM_QUIRKS: readonly FormatQuirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "this model thinks or does not, by a field of its own",
    appliesTo: (model, operation, dialect) => isCompletions(model, operation, dialect) && !takesEffort(model),
    patch: (body) => effortAsSwitch(body, (isOn) => ({ thinking: { type: isOn ? "enabled" : "disabled" } })),
  },
];

/** docs.bigmodel.cn/cn/faq/api-code */
const KINDS: Readonly<Record<string, ReadFailure["kind"]>> = {
  "1000": "auth",
  "1001": "auth",
  "1002": "auth",
  "1003": "auth",
  "1004": "auth",
  "1110": "auth",
  "1111": "auth",
  "1112": "auth",
  "1113": "quota",
  "1120": "overloaded",
  "1121": "auth",
  "1234": "overloaded",
  "1301": "content",
  "1302": "rate",
  "1303": "rate",
  "1304": "rate",
  "1305": "overloaded",
  "1308": "rate",
  "1309": "quota",
  "1310": "rate",
  "1311": "auth",
  "1312": "overloaded",
  "1313": "rate",
};

/** A failed answer, whose code says what its status does not. */
export const glmFailure = (status: number, body: string): ReadFailure => withKind(readFailure(status, body), KINDS);
