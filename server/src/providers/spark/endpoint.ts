/** Where Spark is: a WebSocket for each version of its models, or OpenAI's path (xfyun.cn/doc/spark/Web.html, /X1http.html). */
import { ownOf } from "../../dialects/json/fields.ts";
import { keyParts } from "../key-parts.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const SIGNED_HOST = /^https:\/\/spark-api\.xf-yun\.com\/*$/;
const COMPATIBLE_BASE = "https://spark-api-open.xf-yun.com";
/** Models of the compatible service that are behind another root than `/v1`. */
const ROOTS: Readonly<Record<string, string>> = { x1: "/v2", "spark-x": "/x2" };
const DEFAULT_VERSION = "v2.1";

interface Version {
  path: string;
  /** What requests name it. */
  domain: string;
  /** Takes a role system; the others have instructions in the first question. */
  hasSystem: boolean;
}

const VERSIONS: Readonly<Record<string, Version>> = {
  "v1.1": { path: "/v1.1/chat", domain: "lite", hasSystem: false },
  "v2.1": { path: "/v2.1/chat", domain: "generalv2", hasSystem: false },
  "v3.1": { path: "/v3.1/chat", domain: "generalv3", hasSystem: false },
  "pro-128k": { path: "/chat/pro-128k", domain: "pro-128k", hasSystem: false },
  "v3.5": { path: "/v3.5/chat", domain: "generalv3.5", hasSystem: true },
  "max-32k": { path: "/chat/max-32k", domain: "max-32k", hasSystem: true },
  "v4.0": { path: "/v4.0/chat", domain: "4.0Ultra", hasSystem: true },
};
const BY_DOMAIN = new Map(Object.entries(VERSIONS).map(([version, { domain }]) => [domain, version]));

/** The version of a model's name (`SparkDesk-v3.5`, `generalv3.5`), else of the channel (`other`), else the default. */
export function versionOf(model: string, { other }: Pick<ProviderChannel, "other">): Version {
  const suffix = /^[^-]+-(.+)$/.exec(model)?.[1];
  const version = BY_DOMAIN.get(model) ?? suffix ?? (other.trim() || DEFAULT_VERSION);
  return (
    ownOf(VERSIONS, version) ?? { path: `/${version}/chat`, domain: version.replace(/^v/, "generalv"), hasSystem: true }
  );
}

/** A key with bars signs; the default base URL stands for the compatible service where the key is a password. */
export function endpoint(channel: ProviderChannel, { path, model }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "");
  if (keyParts(channel.key).length > 1)
    return { url: base.replace(/^http/, "ws") + versionOf(model, channel).path, headers: [] };
  const root = ownOf(ROOTS, model) ?? "/v1";
  const own = SIGNED_HOST.test(base) ? COMPATIBLE_BASE : base;
  const url = (/\/[vx]\d+$/.test(own) ? own : own + root) + path.replace(/^\/v1(?=\/)/, "");
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}
