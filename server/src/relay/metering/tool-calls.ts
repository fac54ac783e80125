/** Calls of a vendor's own tools within a call, with the price the site has for each; part of step 8. */
import { type CallVariant, type ContextSize, chargedCalls, toolPrice } from "../../../contract/src/tool-prices.ts";
import type { ChargedTool, ToolCalls, Usage } from "../../../contract/src/usage.ts";
import { listOf, objectOf, textOf } from "../dialects/json-fields.ts";
import type { JsonObject } from "../dialects/neutral.ts";
import { type Exchange, known } from "./exchange.ts";
import { requestField } from "./request-field.ts";

/** The model as the client named it, which prices of tools and premiums go by. */
export const askedModel = ({ facts, model }: Exchange): string => known(facts, "facts").model || model;

/** Models whose every call is one search (reference 7; platform.openai.com/docs/guides/tools-web-search), though their usage counts none. */
const SEARCH_MODEL = /-search-(?:preview|api)(?:-\d{4}-\d\d-\d\d)?$/;

function askedTool(exchange: Exchange, type: string): JsonObject | undefined {
  const tools = listOf(requestField(exchange, "tools")).map(objectOf);
  return tools.find((tool) => textOf(tool["type"]).startsWith(type));
}

/** What the prices of a model's calls depend on beside it: whose they are, and what the request says. */
interface Priced extends CallVariant {
  model: string;
}

const PREVIEW = "web_search_preview";

/** How much a search reads, from the two places where a request says it, and which of OpenAI's two tools it is. */
function searchVariant(exchange: Exchange): CallVariant {
  const asked = askedTool(exchange, "web_search");
  const { search_context_size: size } = asked ?? objectOf(requestField(exchange, "web_search_options"));
  return {
    ...(textOf(asked?.["type"]).startsWith(PREVIEW) ? { name: "preview" } : {}),
    size: typeof size === "string" ? size : undefined,
  };
}

/** The memory of the containers, where the request asks for more than the least (guides/tools-code-interpreter, guides/tools-shell). */
function containerVariant(exchange: Exchange): CallVariant {
  const code = objectOf(askedTool(exchange, "code_interpreter")?.["container"]);
  const shell = objectOf(askedTool(exchange, "shell")?.["environment"]);
  return { name: textOf(code["memory_limit"]) || textOf(shell["memory_limit"]) };
}

/** Qualities that cost less than the best; one that nobody names is taken for the best, as vendors choose it. */
const LESSER: readonly ContextSize[] = ["low", "medium"];

/** A picture's model is the tool's own, and its size and quality are those it came in, or was asked in. */
function pictureOf(exchange: Exchange, variant: string): Priced {
  const asked = askedTool(exchange, "image_generation") ?? {};
  const [size = "auto", quality = "auto"] = variant.split(" ");
  const of = (told: string, field: string): string => (told === "auto" ? textOf(asked[field]) || "auto" : told);
  return {
    model: textOf(asked["model"]) || "gpt-image",
    name: of(size, "size"),
    size: LESSER.find((each) => each === of(quality, "quality")) ?? "high",
  };
}

const VARIANTS: Readonly<Partial<Record<ChargedTool, (exchange: Exchange) => CallVariant>>> = {
  web_search: searchVariant,
  code_interpreter: containerVariant,
};

/** Anthropic's containers are free beside these (platform.claude.com/docs/en/about-claude/pricing, "Code execution tool"). */
const FREE_BESIDE = /^web_(?:search|fetch)_(\d{8})$/;
const FREE_SINCE = "20260209";

function isFreeHere(exchange: Exchange, tool: ChargedTool): boolean {
  if (tool !== "code_interpreter") return false;
  const types = listOf(requestField(exchange, "tools")).map((each) => textOf(objectOf(each)["type"]));
  return types.some((type) => (FREE_BESIDE.exec(type)?.[1] ?? "") >= FREE_SINCE);
}

/** Calls of one tool at one price are one entry. */
function summed(toolCalls: readonly ToolCalls[]): ToolCalls[] {
  const same = Map.groupBy(toolCalls, ({ tool, usdPerThousand }) => `${tool} ${usdPerThousand}`);
  return [...same.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, calls: rest.reduce((sum, { calls }) => sum + calls, first.calls) }],
  );
}

/** The usage with every tool's price filled in. Costs nothing where no tool was called. */
export function withToolPrices(exchange: Exchange, usage: Usage): Usage {
  const { operation } = exchange;
  const model = askedModel(exchange);
  const searches = operation === "chat" && SEARCH_MODEL.test(model) && usage.toolCalls.length === 0;
  const toolCalls = searches ? [{ tool: "web_search" as const, calls: 1, usdPerThousand: "" }] : usage.toolCalls;
  if (toolCalls.length === 0) return usage;
  const prices = { ToolPrices: known(exchange.toolPrices, "toolPrices") };
  const priced = toolCalls.map(({ tool, variant = "", calls }) => {
    const own: Priced =
      tool === "image_generation" ? pictureOf(exchange, variant) : { model, ...VARIANTS[tool]?.(exchange) };
    // How calls are counted is the vendor's rule for its own model, whatever clients call that; what they cost is the site's.
    const counted = chargedCalls(tool, exchange.target?.upstreamModel ?? model, calls);
    return { tool, calls: counted, usdPerThousand: toolPrice(prices, tool, own.model, own) };
  });
  return { ...usage, toolCalls: summed(priced.filter(({ tool }) => !isFreeHere(exchange, tool))) };
}
