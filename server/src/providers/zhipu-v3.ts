/** Zhipu under the channel type of its version 3, which has ended: calls go to version 4 with the same key (docs.bigmodel.cn/cn/api/introduction). */
import { createHmac } from "node:crypto";
import { GLM_MODELS, GLM_QUIRKS, glmFailure, glmUrl } from "../dialects/openai-chat/vendors/glm.ts";
import { defineProvider } from "./define.ts";
import type { BeforeSend, ProviderCall, ProviderChannel, ProviderRequest } from "./provider.ts";

/** Where GLM models are: version 4 stands in for version 3. */
const endpoint = ({ baseUrl }: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest => ({
  url: glmUrl(baseUrl, operation === "models" ? "/v1/models" : path),
  headers: [],
});

// Authorises by a token signed with the key's secret, as keys of version 3 are used to; a key without a secret goes as it is.

/** The vendor takes tokens until this long after they were made; each call has a new one. */
const LIFETIME_MS = 30 * 60_000;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON Web Token (RFC 7519) with HS256, whose times are in milliseconds (docs.bigmodel.cn/cn/api/introduction). */
function tokenOf(id: string, secret: string, nowMs: number): string {
  const header = part({ alg: "HS256", sign_type: "SIGN" });
  const payload = part({ api_key: id, exp: nowMs + LIFETIME_MS, timestamp: nowMs });
  const signature = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  return `${header}.${payload}.${signature}`;
}

const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const [id = "", secret = "", ...more] = key.trim().split(".");
  const isPair = id !== "" && secret !== "" && more.length === 0;
  const token = isPair ? tokenOf(id, secret, nowMs) : key.trim();
  return { ...request, headers: [...request.headers, "authorization", `Bearer ${token}`] };
};

export const zhipuV3 = defineProvider({
  id: 16,
  slug: "zhipu-v3",
  name: "Zhipu GLM (v3)",
  defaultBaseUrl: "https://open.bigmodel.cn",
  keyHint: "id.secret",
  // `beforeSend` authorises.
  keyHeader: "",
  notice: "zhipuV3",
  models: GLM_MODELS,
  operations: ["chat", "embeddings", "models"],
  supportsStreamUsage: false,
  mark: { glyph: "Z", colour: "#2a6fd8" },
  endpoint,
  // As in version 4.
  quirks: GLM_QUIRKS,
  failure: (status, body) => glmFailure(status, body),
  beforeSend,
});
