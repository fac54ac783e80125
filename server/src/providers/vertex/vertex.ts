/** Vertex AI: channel type 41 (docs.cloud.google.com/vertex-ai/generative-ai/docs). */
import { readFailure as readClaudeFailure } from "../../dialects/anthropic-messages/errors.ts";
import { cloudBetas, cloudBody } from "../../dialects/anthropic-messages/vendors/cloud.ts";
import { readGeminiFailure } from "../../dialects/gemini/errors.ts";
import {
  defined,
  listOf,
  numberOf,
  objectOf,
  ownOf,
  parseObject,
  textOf,
  unknownNames,
} from "../../dialects/json/fields.ts";
import { taskOf, textsOf, vectorsAnswer } from "../../dialects/openai-chat/operations/embeddings.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { defineProvider } from "../define.ts";
import type { OutgoingRequest } from "../outgoing.ts";
import { ProviderFault } from "../provider-fault.ts";
import type {
  BeforeSend,
  Operation,
  Provider,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  UpstreamFailure,
} from "../provider.ts";
import { type Family, claudeId, familyOf, models } from "./models.ts";
import { additions, modelName, prepare, quirks } from "./quirks.ts";
import { accountOf, authorization } from "./token.ts";

// Where a call goes at Vertex AI: the region's host, the project and the family of the model
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, .../start/express-mode/vertex-ai-express-mode-api-reference,
// .../partner-models/claude/use-claude, .../maas/call-open-model-apis).

/** A region becomes part of a host's name. */
const REGION = /^[a-z]+(?:-[a-z]+\d+)?$/;

/** The channel's region for a model: its text, or of a map the entry for the name the client asked for, the vendor's, or all; undefined where that is none. */
function regionOf({ other }: Pick<ProviderChannel, "other">, { model, site }: ProviderCall): string | undefined {
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
  if (operation === "videos") return "predictLongRunning";
  return isStream ? "streamGenerateContent?alt=sse" : "generateContent";
}

/** Behind the version: of a publisher's model, or of the interface that open models share. */
function targetOf(call: ProviderCall): string {
  const { operation, model, isStream } = call;
  const family = operation === "videos" ? "google" : familyOf(model);
  if (family === "google") return `publishers/google/models/${encodeURIComponent(model)}:${googleAction(call)}`;
  if (family === "open") return "endpoints/openapi/chat/completions";
  const id = operation === "count_tokens" ? "count-tokens" : encodeURIComponent(claudeId(model)).replace("%40", "@");
  return `publishers/anthropic/models/${id}:${isStream ? "streamRawPredict" : "rawPredict"}`;
}

/** The poll of a video's operation, whose name says where it runs. */
const OPERATION =
  /^\/v1\/(?:projects\/[^/]+\/locations\/([^/]+)\/)?(publishers\/google\/models\/[\w.@-]+:fetchPredictOperation)$/;

/** Videos in a bucket are read from Cloud Storage; behind a proxy of the operator's, from there. */
const STORAGE = "https://storage.googleapis.com";
const isGoogle = (base: string): boolean => base === "" || /^https:\/\/[\w.-]+\.googleapis\.com\/*$/.test(base);

/** An API key has no project: Google finds it by the key, and the region is everywhere. */
function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
  const account = accountOf(channel.key);
  const isVideo = call.operation === "videos";
  if (isVideo && call.path.startsWith("/storage/v1/"))
    return {
      url: (isGoogle(channel.baseUrl) ? STORAGE : channel.baseUrl.replace(/\/+$/, "")) + call.path,
      headers: [],
    };
  const [, place = "", poll] = (isVideo ? OPERATION.exec(call.path) : null) ?? [];
  const own = REGION.test(place) ? place : regionOf(channel, call);
  // Where the region is none the last step refuses the call.
  const region = account === undefined ? "global" : (own ?? "global");
  const base = channel.baseUrl === "" ? hostOf(region) : channel.baseUrl.replace(/\/+$/, "");
  if (call.operation === "models") {
    const project = account === undefined ? [] : ["x-goog-user-project", account.projectId];
    return { url: `${base}/v1beta1/publishers/google/models?pageSize=1000`, headers: project };
  }
  const version = !isVideo && familyOf(call.model) === "open" ? "v1beta1" : "v1";
  const project = account === undefined ? "" : `projects/${encodeURIComponent(account.projectId)}/locations/${region}/`;
  return { url: `${base}/${version}/${project}${poll ?? targetOf(call)}`, headers: [] };
}

// Failures of Vertex AI: Google's own, and Claude's in Anthropic's form
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors).

/** What the project may not use or its region has not, another channel may have. */
const OF_THE_PROJECT =
  /\bpublisher model\b.*\bnot found\b|\bdoes not have access\b|\bnot supported in (?:this|the) region\b/i;

function failure(status: number, body: string): UpstreamFailure {
  const read =
    parseObject(body)?.["type"] === "error" ? readClaudeFailure(status, body) : readGeminiFailure(status, body);
  return OF_THE_PROJECT.test(read.message) ? { ...read, isRetryable: true } : read;
}

// The format of each family of models.

const FORMATS = {
  google: ["gemini"],
  claude: ["anthropic-messages"],
  open: ["openai-chat"],
} as const satisfies Record<Family, readonly string[]>;

const dialectsOf: NonNullable<Provider["dialectsOf"]> = (model) => FORMATS[familyOf(model)];

// Vertex's last step: Claude's body in its envelope, then its authorisation (platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai).

const CLAUDE_VERSION = "vertex-2023-10-16";

/** The channel cannot do this; another one may. */
const unfit = (code: string, message: string): ProviderFault =>
  new ProviderFault({ kind: "invalid", status: 400, isRetryable: true, message, type: "invalid_request_error", code });

function check(channel: ProviderChannel, call: ProviderCall): void {
  const isDocument = channel.key.trimStart().startsWith("{");
  if (isDocument && regionOf(channel, call) === undefined)
    throw unfit("malformed_region", "the channel's region must be like us-central1, or JSON with a default");
  if (!isDocument && call.operation !== "videos" && familyOf(call.model) !== "google")
    throw unfit("key_has_no_project", "an API key serves Google's own models; this one wants a service account");
  if (!isDocument && call.operation === "models")
    throw unfit("key_has_no_project", "the list of models wants a service account");
}

/** Claude's model is in the path, and for a count in the body. */
function claudeRequest(request: OutgoingRequest, call: ProviderCall): OutgoingRequest {
  const { betas, warnings } = cloudBetas(call, "Vertex AI");
  const isCount = call.operation === "count_tokens";
  const envelope = isCount ? { dropped: [], model: claudeId(call.model) } : { dropped: ["model"] };
  const headers = betas.length === 0 ? request.headers : [...request.headers, "anthropic-beta", betas.join(",")];
  const body = cloudBody(request.body, { version: CLAUDE_VERSION, ...envelope });
  return { ...request, headers, body, ...(warnings.length === 0 ? {} : { warnings }) };
}

const beforeSend: BeforeSend = async (request, channel, call, tools) => {
  check(channel, call);
  const isClaude =
    call.operation !== "videos" && familyOf(call.model) === "claude" && accountOf(channel.key) !== undefined;
  const made = isClaude ? claudeRequest(request, call) : request;
  return { ...made, headers: [...made.headers, ...(await authorization(channel.key, tools))] };
};

// Vectors of Vertex AI (docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api).

/** Of the page's limits on a request. */
const MOST_TEXTS = 250;

const READ: ReadonlySet<string> = new Set([
  "model",
  "input",
  "dimensions",
  "encoding_format",
  "task_type",
  "taskType",
  "title",
]);

const ownOperations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  embeddings: {
    // The endpoint makes it, which knows the channel.
    path: () => "",
    encodeRequest({ fields }, warn) {
      for (const name of unknownNames(fields, READ)) warn(name, "has no place in the format of the upstream");
      const outputDimensionality = numberOf(fields["dimensions"]);
      const { taskType, title } = taskOf(fields);
      const own = defined({ task_type: taskType, title });
      return {
        instances: textsOf(fields, MOST_TEXTS).map((content) => ({ content, ...own })),
        ...(outputDimensionality === undefined ? {} : { parameters: { outputDimensionality } }),
      };
    },
    decodeAnswer({ predictions }, { fields }) {
      if (!Array.isArray(predictions)) return undefined;
      const found = listOf(predictions).map((prediction) => objectOf(objectOf(prediction)["embeddings"]));
      const tokens = found.map(({ statistics }) => numberOf(objectOf(statistics)["token_count"]) ?? 0);
      const sum = tokens.reduce((left, right) => left + right, 0);
      return vectorsAnswer(
        found.map(({ values }) => values),
        fields,
        sum,
      );
    },
  },
};

/** Vertex's list of Google's models (docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list). */
const modelNames: NonNullable<Provider["modelNames"]> = ({ publisherModels }) => {
  const names = listOf(publisherModels).map((entry) => textOf(objectOf(entry)["name"]));
  return names.map((name) => name.slice(name.lastIndexOf("/") + 1)).filter((name) => name !== "");
};

export const vertex = defineProvider({
  id: 41,
  slug: "vertex",
  name: "Google Vertex AI",
  dialects: ["gemini", "anthropic-messages"],
  defaultBaseUrl: "",
  keyHint: '{"type": "service_account", "project_id": …}',
  keyForms: [["API key"]],
  isKeyDocument: true,
  fields: [
    {
      name: "other",
      label: "vertexRegion",
      isRequired: true,
      placeholder: "us-central1 / global",
      pattern: '^\\s*(?:[a-z]+(?:-[a-z]+\\d+)?|\\{[\\s\\S]*"default"[\\s\\S]*\\})\\s*$',
    },
    {
      name: "base_url",
      label: "optionalBaseUrl",
      isRequired: false,
      placeholder: "https://us-central1-aiplatform.googleapis.com",
    },
  ],
  operations: ["chat", "count_tokens", "embeddings", "images", "videos", "models"],
  fetchedMedia: ["image", "file"],
  forwardedHeaders: ["anthropic-beta"],
  mark: { glyph: "V", colour: "#4285f4" },
  models,
  endpoint,
  quirks,
  modelName,
  prepare,
  additions,
  failure,
  modelNames,
  dialectsOf,
  ownOperations,
  beforeSend,
});
