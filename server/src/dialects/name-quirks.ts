/** What suffixes of model names stand for, written into requests of OpenAI's two formats and of Messages; the table of names is neutral/model-names.ts. */
import type { FormatName } from "./dialect.ts";
import type { FormatQuirk } from "./format-quirk.ts";
import { without } from "./openai-chat/compatible.ts";
import { listOf, objectOf, textOf } from "./json/fields.ts";
import { type NamedSettings, type NamingVendor, namedSettings, refusedFields } from "./neutral/model-names.ts";
import { type JsonObject, TranslationFault } from "./neutral/neutral.ts";

type Written = ReturnType<FormatQuirk["patch"]>;

/** Fields for what a name says, beside the plain name; what the client set itself stays. */
type Writer = (body: JsonObject, named: NamedSettings) => Written;

/** The model, and the effort for the receipt. */
const set = (named: NamedSettings, fields: JsonObject, effort = ""): Written => ({
  set: { model: named.model, ...fields },
  ...(effort === "" ? {} : { effort }),
});

/** `reasoning_effort` (platform.openai.com/docs/guides/reasoning). */
function effortField(body: JsonObject, named: NamedSettings): Written {
  if (named.searches === true) throw new TranslationFault("model", "The vendor searches the web in Responses alone.");
  const effort = textOf(body["reasoning_effort"]) || (named.effort ?? "");
  return set(named, { reasoning_effort: effort }, effort);
}

/** `reasoning`, which both of OpenRouter's formats of OpenAI's kind have (openrouter.ai/docs/guides/best-practices/reasoning-tokens). */
const routerReasoning =
  (on: JsonObject): Writer =>
  (body, named) => {
    const hasOwn = textOf(body["reasoning_effort"]) !== "" || Object.keys(objectOf(body["reasoning"])).length > 0;
    if (hasOwn) return set(named, {});
    const { effort = "" } = named;
    return set(named, { reasoning: effort === "" ? on : { effort } }, effort);
  };

const SEARCH_TOOL = { type: "web_search" } as const;

/** `reasoning.effort`, and the tool that searches (docs.x.ai/docs/guides/tools/overview: `search_parameters` of chat completions answers 410). */
function inResponses(body: JsonObject, named: NamedSettings): Written {
  const tools = listOf(body["tools"]);
  const hasSearch = tools.some((tool) => objectOf(tool)["type"] === SEARCH_TOOL.type);
  if (named.searches === true) return set(named, hasSearch ? {} : { tools: [...tools, SEARCH_TOOL] });
  const reasoning = objectOf(body["reasoning"]);
  const effort = textOf(reasoning["effort"]) || (named.effort ?? "");
  return set(named, { reasoning: { ...reasoning, effort } }, effort);
}

/** `output_config.effort`, and thinking switched off for none (api-docs.deepseek.com/guides/anthropic_api, platform.kimi.ai/docs/api/messages). */
function inMessages(body: JsonObject, named: NamedSettings): Written {
  const config = objectOf(body["output_config"]);
  const effort = textOf(config["effort"]) || (named.effort ?? "");
  if (effort === "none")
    return set(named, body["thinking"] === undefined ? { thinking: { type: "disabled" } } : {}, effort);
  return set(named, { output_config: { ...config, effort } }, effort);
}

/** Writers by format; Messages of Claude's models, with their budgets, have quirks of their own (anthropic-messages/vendors/site-settings.ts). */
const WRITERS: readonly (readonly [FormatName, Writer])[] = [
  ["openai-chat", effortField],
  ["openai-responses", inResponses],
  ["anthropic-messages", inMessages],
];
const ROUTER_WRITERS: typeof WRITERS = [
  ["openai-chat", routerReasoning({ enabled: true })],
  // Its Responses know efforts alone; medium is what the switch stands for.
  ["openai-responses", routerReasoning({ effort: "medium" })],
  ["anthropic-messages", inMessages],
];

/** The quirks of a vendor whose models have names with suffixes, by format; they stand before those that say how the vendor calls an effort. */
export const nameQuirks = (vendor: NamingVendor): FormatQuirk[] =>
  (vendor === "openrouter" ? ROUTER_WRITERS : WRITERS).map(([format, write]) => ({
    reason: "a suffix of the model's name stands for settings",
    appliesTo: (model, operation, dialect) =>
      operation === "chat" && dialect === format && namedSettings(vendor, model) !== undefined,
    patch(body) {
      const named = namedSettings(vendor, textOf(body["model"]));
      return named === undefined ? {} : write(body, named);
    },
  }));

/** The quirk of a vendor whose models refuse sampling parameters. */
export const refusedSampling = (vendor: NamingVendor, reason: string): FormatQuirk => ({
  reason,
  appliesTo: (model, operation, dialect) =>
    operation === "chat" && dialect !== "anthropic-messages" && refusedFields(vendor, model).length > 0,
  patch: (body, _options, model) => without(body, refusedFields(vendor, model)),
});
