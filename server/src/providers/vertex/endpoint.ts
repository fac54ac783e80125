/**
 * Where a call goes at Vertex AI: the region's host, the project and the family of the model
 * (docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, .../start/express-mode/vertex-ai-express-mode-api-reference,
 * .../partner-models/claude/use-claude, .../maas/call-open-model-apis).
 */
import { ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";
import { claudeId, familyOf } from "./models.ts";
import { accountOf } from "./token.ts";

/** A region becomes part of a host's name. */
const REGION = /^[a-z]+(?:-[a-z]+\d+)?$/;

/** The channel's region for a model: its text, or of a map the entry for the name the client asked for, the vendor's, or all; undefined where that is none. */
export function regionOf({ other }: Pick<ProviderChannel, "other">, { model, site }: ProviderCall): string | undefined {
  const text = other.trim();
  const byModel = text.startsWith("{") ? (parseObject(text) ?? {}) : { default: text };
  const names = [site?.requestedModel ?? "", model, "default"];
  const region = textOf(names.map((name) => ownOf(byModel, name)).find((each) => each !== undefined));
  return REGION.test(region) ? region : undefined;
}

/** Places of several regions have hosts of their own. */
const SHARED: Readonly<Record<string, string>> = {
  global: "https://aiplatform.googleapis.com",
  us: "https://aiplatform.us.rep.googleapis.com",
  eu: "https://aiplatform.eu.rep.googleapis.com",
};

const hostOf = (region: string): string => ownOf(SHARED, region) ?? `https://${region}-aiplatform.googleapis.com`;

function googleAction({ operation, isStream }: ProviderCall): string {
  if (operation === "count_tokens") return "countTokens";
  if (operation === "embeddings" || operation === "images") return "predict";
  return isStream ? "streamGenerateContent?alt=sse" : "generateContent";
}

/** Behind the version: of a publisher's model, or of the interface that open models share. */
function targetOf(call: ProviderCall): string {
  const { operation, model, isStream } = call;
  const family = familyOf(model);
  if (family === "google") return `publishers/google/models/${encodeURIComponent(model)}:${googleAction(call)}`;
  if (family === "open") return "endpoints/openapi/chat/completions";
  const id = operation === "count_tokens" ? "count-tokens" : encodeURIComponent(claudeId(model)).replace("%40", "@");
  return `publishers/anthropic/models/${id}:${isStream ? "streamRawPredict" : "rawPredict"}`;
}

/** An API key has no project: Google finds it by the key, and the region is everywhere. */
export function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
  const account = accountOf(channel.key);
  // Where the region is none the last step refuses the call.
  const region = account === undefined ? "global" : (regionOf(channel, call) ?? "global");
  const base = channel.baseUrl === "" ? hostOf(region) : channel.baseUrl.replace(/\/+$/, "");
  if (call.operation === "models") {
    const project = account === undefined ? [] : ["x-goog-user-project", account.projectId];
    return { url: `${base}/v1beta1/publishers/google/models?pageSize=1000`, headers: project };
  }
  const version = familyOf(call.model) === "open" ? "v1beta1" : "v1";
  const place = account === undefined ? "" : `projects/${encodeURIComponent(account.projectId)}/locations/${region}/`;
  return { url: `${base}/${version}/${place}${targetOf(call)}`, headers: [] };
}
