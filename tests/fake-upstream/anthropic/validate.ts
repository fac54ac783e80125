/** What Anthropic refuses, as strictly as it documents it (platform.claude.com/docs/en/api/messages, /errors, /migration-2026-10-21). */
import { createHash } from "node:crypto";
import { refuseConversation } from "./validate-messages.ts";
import type { SeenRequest } from "../plan.ts";
import { type Fields, isObject, refuse } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

/** The proof of thinking this upstream gives, and takes back only with the very words. */
export const signatureOf = (thinking: string): string =>
  `Eq${createHash("sha256").update(`fake-anthropic:${thinking}`).digest("base64")}`;

const VERSIONS: ReadonlySet<unknown> = new Set(["2023-06-01", "2026-10-21"]);
const FIELDS: ReadonlySet<string> = new Set(
  (
    "model messages max_tokens cache_control container context_management diagnostics inference_geo mcp_servers metadata output_config " +
    "output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p"
  ).split(" "),
);
/** Models that think adaptively only and take no sampling parameters other than their defaults. */
const NEWER = /claude-(?:opus-4-[78]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/;

function refuseSampling(body: Fields, version: unknown, model: string): VendorError | undefined {
  const { temperature, top_p: topP, top_k: topK } = body;
  const given = [temperature, topP, topK].some((value) => value !== undefined);
  if (given && version === "2026-10-21") return refuse("temperature: Extra inputs are not permitted");
  if (temperature !== undefined && !(typeof temperature === "number" && temperature >= 0 && temperature <= 1))
    return refuse("temperature: range: 0..1");
  const isChanged = (temperature ?? 1) !== 1 || (topP ?? 1) !== 1 || topK !== undefined;
  if (NEWER.test(model) && isChanged)
    return refuse("`temperature`, `top_p` and `top_k` are not supported for this model");
  return undefined;
}

function refuseThinking(
  { thinking, max_tokens: limit, tool_choice: choice }: Fields,
  model: string,
): VendorError | undefined {
  if (thinking === undefined) return undefined;
  if (!isObject(thinking)) return refuse("thinking: Input should be a valid dictionary");
  if (thinking["type"] === "disabled") return undefined;
  if (isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool"))
    return refuse("Thinking may not be enabled when tool_choice forces tool use.");
  if (thinking["type"] === "adaptive") return undefined;
  if (thinking["type"] !== "enabled")
    return refuse("thinking.type: Input should be 'enabled', 'disabled' or 'adaptive'");
  if (NEWER.test(model))
    return refuse('"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".');
  const budget = thinking["budget_tokens"];
  if (!Number.isInteger(budget) || Number(budget) < 1024)
    return refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  return Number(budget) < Number(limit)
    ? undefined
    : refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
}

function refuseTools({ tools, tool_choice: choice }: Fields): VendorError | undefined {
  if (tools === undefined)
    return choice === undefined ? undefined : refuse("tool_choice may only be specified while providing tools.");
  if (!Array.isArray(tools)) return refuse("tools: Input should be a valid list");
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) return refuse(`tools.${index}: Input should be a valid dictionary`);
    if (typeof tool["name"] !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(tool["name"]))
      return refuse(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    const isOwn = tool["type"] !== undefined && tool["type"] !== "custom";
    const schema = tool["input_schema"];
    if (!isOwn && !(isObject(schema) && schema["type"] === "object"))
      return refuse(`tools.${index}.custom.input_schema.type: Field required`);
  }
  return undefined;
}

function refuseFormat({ output_config: config }: Fields): VendorError | undefined {
  const format = isObject(config) ? config["format"] : undefined;
  if (format === undefined) return undefined;
  if (!isObject(format) || format["type"] !== "json_schema" || !isObject(format["schema"]))
    return refuse("output_config.format: Input should be a json_schema");
  const isOpen = format["schema"]["type"] === "object" && format["schema"]["additionalProperties"] !== false;
  return isOpen
    ? refuse("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false")
    : undefined;
}

function refuseStops({ stop_sequences: stops }: Fields): VendorError | undefined {
  if (stops === undefined) return undefined;
  const isFine = Array.isArray(stops) && stops.every((stop) => typeof stop === "string" && stop.trim() !== "");
  return isFine ? undefined : refuse("stop_sequences: each stop sequence must contain non-whitespace");
}

function refuseHead(body: Fields, isCount: boolean): VendorError | undefined {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return refuse(`${unknown}: Extra inputs are not permitted`);
  if (typeof body["model"] !== "string" || body["model"] === "") return refuse("model: Field required");
  if (isCount) return undefined;
  const limit = body["max_tokens"];
  if (limit === undefined) return refuse("max_tokens: Field required");
  return Number.isInteger(limit) && Number(limit) >= 0
    ? undefined
    : refuse("max_tokens: Input should be a valid integer");
}

/** The refusal of a request, or undefined where the vendor would take it. */
export function anthropicRefusal(seen: SeenRequest): VendorError | undefined {
  const version = seen.headers["anthropic-version"];
  if (version === undefined) return refuse("anthropic-version: header is required");
  if (!VERSIONS.has(version)) return refuse(`anthropic-version: "${String(version)}" is not a valid version`);
  if (seen.method === "GET") return undefined;
  const body = seen.json;
  if (body === undefined) return refuse("The request body is not valid JSON");
  const model = String(body["model"]);
  return (
    refuseHead(body, (seen.path.split("?")[0] ?? "").endsWith("/count_tokens")) ??
    refuseSampling(body, version, model) ??
    refuseThinking(body, model) ??
    refuseTools(body) ??
    refuseFormat(body) ??
    refuseStops(body) ??
    refuseConversation(body, { isNewer: version === "2026-10-21", signatureOf })
  );
}
