/**
 * Claude on cloud platforms: the model is in the path, the API version in the body
 * (platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, /claude-on-amazon-bedrock-legacy).
 */
import { readTopLevel } from "../../json/bytes.ts";
import { isObject, listOf, objectOf, textOf } from "../../json/fields.ts";
import { patchTopLevel } from "../../json/patch.ts";
import type { FormatQuirk, SiteSettings } from "../../format-quirk.ts";
import { type JsonObject, TranslationFault } from "../../neutral/neutral.ts";
import { siteHeaders } from "./site-settings.ts";

/** A platform's replacements for fields and headers of the vendor's own API. */
export interface CloudEnvelope {
  /** `anthropic_version` of the platform. */
  version: string;
  /** Fields removed from the body, which are elsewhere there. */
  dropped: readonly string[];
  /** The model's name there, where it is in the body after all. */
  model?: string;
  /** Betas, where they are in the body; those that the body names itself stay. */
  betas?: readonly string[];
}

/** The body was parsed on arrival, where its depth was checked. */
const ANY_DEPTH = Number.POSITIVE_INFINITY;

/** The body as the platform takes it; every other byte stays. */
export function cloudBody(body: Buffer, { version, dropped, model, betas = [] }: CloudEnvelope): Buffer {
  const top = readTopLevel(body.toString("latin1"), ANY_DEPTH);
  const edits = new Map<string, string | null>(dropped.map((name) => [name, null]));
  edits.set("anthropic_version", JSON.stringify(version));
  if (model !== undefined) edits.set("model", JSON.stringify(model));
  const hasOwn = top.fields.some(({ name }) => name === "anthropic_beta");
  if (betas.length > 0 && !hasOwn) edits.set("anthropic_beta", JSON.stringify(betas));
  return patchTopLevel(body, top, edits);
}

/**
 * Betas that platforms have (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html):
 * they refuse the whole call over another one, and clients name those of the vendor's own API with every call.
 */
const BETAS =
  /^(?:computer-use|token-efficient-tools|interleaved-thinking|fine-grained-tool-streaming|output-128k|dev-full-thinking|context-1m|context-management|effort|tool-search-tool|tool-examples|compact)-\d{4}-\d\d-\d\d$/i;

const listIn = (header: string | undefined): string[] =>
  (header ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

interface BetasOfCall {
  headers: Readonly<Record<string, string>>;
  site?: SiteSettings;
}

/** The site's betas for a model as they are, else those of the client that the platform has; and warnings of the others. */
export function cloudBetas({ headers, site }: BetasOfCall, platform: string): { betas: string[]; warnings: string[] } {
  const ofSite = siteHeaders(site)["anthropic-beta"];
  if (ofSite !== undefined) return { betas: listIn(ofSite), warnings: [] };
  const given = listIn(headers["anthropic-beta"]);
  const unknown = given.filter((each) => !BETAS.test(each));
  return {
    betas: given.filter((each) => BETAS.test(each)),
    warnings: unknown.map((name) => `anthropic-beta: ${platform} has no ${name}`),
  };
}

/** A cloud platform, and which tools of the vendor's own servers it has none of. */
interface Platform {
  name: string;
  /** Beginnings of their types, each with what it is called. */
  lacks: Readonly<Record<string, string>>;
}

/** In a container or from a server of the vendor's, which no platform connects a model to. */
const SERVER_FIELDS: Readonly<Record<string, string>> = {
  mcp_servers: "connects this model to no MCP servers",
  container: "has no container of code or skills for this model",
};
const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;

const lackingOf = (type: string, beginnings: Platform["lacks"]): string | undefined =>
  Object.entries(beginnings).find(([beginning]) => type.startsWith(beginning))?.[1];

/** True for a block that names a file of the vendor's own Files API, in a result of a tool too. */
function namesFile(block: unknown): boolean {
  const { type, source, content } = objectOf(block);
  return type === "container_upload" || objectOf(source)["type"] === "file" || listOf(content).some(namesFile);
}

/** What the platform serves of neither the vendor's servers nor their storage. Throws TranslationFault where the call cannot do without. */
function withoutServers(body: JsonObject, { name, lacks }: Platform): { set?: JsonObject } {
  for (const [field, fault] of Object.entries(SERVER_FIELDS))
    if (isSet(body[field])) throw new TranslationFault(field, `${name} ${fault}.`);
  for (const message of listOf(body["messages"])) {
    if (listOf(objectOf(message)["content"]).some(namesFile))
      throw new TranslationFault("messages", `${name} keeps no files for this model: send the file itself.`);
  }
  const missing = (tool: unknown): string | undefined => lackingOf(textOf(objectOf(tool)["type"]), lacks);
  const tools = listOf(body["tools"]);
  const remaining = tools.filter((tool) => missing(tool) === undefined);
  if (remaining.length === tools.length) return {};
  const { type, name: chosen } = objectOf(body["tool_choice"]);
  const lost = tools.filter((tool) => missing(tool) !== undefined);
  const needed = lost.find(
    (tool) => !remaining.some(isObject) || (type === "tool" && chosen === objectOf(tool)["name"]),
  );
  if (needed !== undefined) throw new TranslationFault("tools", `${name} has no ${missing(needed)} for this model.`);
  return { set: { tools: remaining } };
}

const withoutServersOf = (platform: Platform): FormatQuirk => ({
  reason: `${platform.name} has no ${Object.values(platform.lacks).join(", ")} for this model`,
  appliesTo: (_model, operation, dialect) => operation === "chat" && dialect === "anthropic-messages",
  patch: (body) => withoutServers(body, platform),
});

/** Tools that run on Anthropic's own servers (platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool, .../web-fetch-tool: "Platform availability"). */
const NOWHERE = { web_fetch_: "web fetch", code_execution_: "code execution" };

/**
 * Bedrock lists functions and the tools that a client runs, and sources that are base64 (docs.aws.amazon.com/bedrock/latest/userguide/
 * model-parameters-anthropic-claude-messages-tool-use.html, .../model-parameters-anthropic-claude-messages-request-response.html).
 */
export const BEDROCK_SERVERS = withoutServersOf({
  name: "Bedrock",
  lacks: { web_search_: "web search", ...NOWHERE },
});

/**
 * Vertex AI searches the web (docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/web-search); "the MCP connector is
 * currently not supported on Amazon Bedrock and Google Vertex", "the Files API is currently not supported on Amazon Bedrock or Google
 * Vertex AI" (platform.claude.com/docs/en/agents-and-tools/mcp-connector, .../build-with-claude/files).
 */
export const VERTEX_SERVERS = withoutServersOf({ name: "Vertex AI", lacks: NOWHERE });
