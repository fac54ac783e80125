/** Calls of a vendor's own tools, with the site's price for each; part of step 8. */
import {
  type CallVariant,
  type ContextSize,
  chargedCalls,
  sizeOf,
  toolPrice,
} from "../../../../contract/src/pricing/tool-prices.ts";
import type { ChargedTool, ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Answer } from "../call/answer.ts";
import { type Accepted, requestField } from "../request/accepted.ts";
import type { Terms } from "./terms.ts";

/** The model as the client named it, which prices of tools and surcharges go by. */
export const namedModel = ({ info, model }: Accepted): string => info.model || model;

/** Models whose every call is one search (platform.openai.com/docs/guides/tools-web-search), though their usage counts none. */
const SEARCH_MODEL = /-search-(?:preview|api)(?:-\d{4}-\d\d-\d\d)?$/;

/** More tools than any vendor takes (OpenAI: 128), which bounds how long their prices are looked for. */
const MAX_ENTRIES = 256;

/** Entries of a tool; there may be several, with settings of their own. */
function requestedTools(accepted: Accepted, type: string): readonly JsonObject[] {
  const tools = listOf(requestField(accepted, "tools")).map(objectOf);
  return tools.filter((tool) => textOf(tool["type"]).startsWith(type)).slice(0, MAX_ENTRIES);
}

const orOne = (entries: readonly JsonObject[], otherwise: JsonObject = {}): readonly JsonObject[] =>
  entries.length === 0 ? [otherwise] : entries;

/** What the prices of a model's calls depend on beside it: whose they are, and what the request says. */
interface Priced extends CallVariant {
  model: string;
}

const PREVIEW = "web_search_preview";

/** How much a search reads, from the two places where a request says it, and which of OpenAI's two tools it is. */
const searchVariants = (accepted: Accepted): CallVariant[] =>
  orOne(requestedTools(accepted, "web_search"), objectOf(requestField(accepted, "web_search_options"))).map(
    ({ type, search_context_size: size }) => ({
      ...(textOf(type).startsWith(PREVIEW) ? { name: "preview" } : {}),
      size: typeof size === "string" ? size : undefined,
    }),
  );

/** The memory of the containers, where the request asks for more than the least (guides/tools-code-interpreter, guides/tools-shell). */
function containerVariants(accepted: Accepted): CallVariant[] {
  const code = requestedTools(accepted, "code_interpreter").map(({ container }) => objectOf(container));
  const shell = requestedTools(accepted, "shell").map(({ environment }) => objectOf(environment));
  return orOne([...code, ...shell]).map(({ memory_limit: memory }) => ({ name: textOf(memory) }));
}

/** Qualities that cost less than the best; one without a name is taken for the best, as vendors choose it. */
const LESSER: readonly ContextSize[] = ["low", "medium"];

/** A picture's model is the tool's own, and its size and quality are those it came in, or was asked in. */
function pictureOf(asked: JsonObject, variant: string): Priced {
  const [size = "auto", quality = "auto"] = variant.split(" ");
  const of = (given: string, field: string): string => (given === "auto" ? textOf(asked[field]) || "auto" : given);
  return {
    model: textOf(asked["model"]) || "gpt-image",
    name: of(size, "size"),
    size: LESSER.find((each) => each === of(quality, "quality")) ?? "high",
  };
}

const VARIANTS: Readonly<Partial<Record<ChargedTool, (accepted: Accepted) => CallVariant[]>>> = {
  web_search: searchVariants,
  code_interpreter: containerVariants,
};

/** What a call may have been, by the entries of its tool. */
function possible(accepted: Accepted, tool: ChargedTool, variant: string, model: string): Priced[] {
  if (tool === "image_generation")
    return orOne(requestedTools(accepted, tool)).map((asked) => pictureOf(asked, variant));
  return (VARIANTS[tool]?.(accepted) ?? [{}]).map((each) => ({ model, ...each }));
}

/** The dearest of it: no answer says which entry was called. */
function dearest(
  prices: Parameters<typeof toolPrice>[0],
  tool: ChargedTool,
  all: readonly Priced[],
): [own: Priced, price: string] {
  const priced = all.map((own) => [own, toolPrice(prices, tool, own.model, own)] as const);
  const [own, price] = priced.reduce((most, each) => (Number(each[1]) > Number(most[1]) ? each : most));
  return [own, price];
}

/** Anthropic's containers are free beside these (platform.claude.com/docs/en/about-claude/pricing, "Code execution tool"). */
const FREE_BESIDE = /^web_(?:search|fetch)_(\d{8})$/;
const FREE_SINCE = "20260209";

function isFreeHere(accepted: Accepted, tool: ChargedTool): boolean {
  if (tool !== "code_interpreter") return false;
  const types = listOf(requestField(accepted, "tools")).map((each) => textOf(objectOf(each)["type"]));
  return types.some((type) => (FREE_BESIDE.exec(type)?.[1] ?? "") >= FREE_SINCE);
}

/** Calls of one tool at one price are one entry, which keeps what each of them went by. */
function summed(toolCalls: readonly ToolCalls[]): ToolCalls[] {
  const same = Map.groupBy(toolCalls, ({ tool, usdPerThousand }) => `${tool} ${usdPerThousand}`);
  return [...same.values()].flatMap((alike) =>
    alike[0] === undefined ? [] : [alike.slice(1).reduce(joined, alike[0])],
  );
}

const joined = (a: ToolCalls, b: ToolCalls): ToolCalls => ({
  ...a,
  calls: a.calls + b.calls,
  alike: [...(a.alike ?? []), ...(b.alike ?? [])],
});

/** Models by which calls of tools are priced and counted. */
interface ToolModels {
  /** The model whose prices apply; the one that the client named where absent. */
  priced?: string;
  /** The model whose vendor counts the calls; the priced one where absent. */
  counted?: string;
}

/** The usage with every tool's price filled in. Costs nothing where no tool was called. */
export function withToolPrices(
  accepted: Accepted,
  { toolPrices }: Pick<Terms, "toolPrices">,
  usage: Usage,
  { priced: model = namedModel(accepted), counted: upstreamModel = model }: ToolModels = {},
): Usage {
  const { operation } = accepted;
  const searches = operation === "chat" && SEARCH_MODEL.test(model) && usage.toolCalls.length === 0;
  const toolCalls = searches ? [{ tool: "web_search" as const, calls: 1, usdPerThousand: "" }] : usage.toolCalls;
  if (toolCalls.length === 0) return usage;
  const prices = { ToolPrices: toolPrices };
  const counted = toolCalls.map(({ tool, variant = "", calls }) => {
    const [own, usdPerThousand] = dearest(prices, tool, possible(accepted, tool, variant, model));
    // How calls are counted is the vendor's rule for its own model, whatever clients call that; what they cost is the site's.
    const charged = chargedCalls(tool, upstreamModel, calls);
    const alike = [{ calls: charged, model: own.model, name: own.name, size: sizeOf(own) }];
    return { tool, calls: charged, usdPerThousand, alike };
  });
  return { ...usage, toolCalls: summed(counted.filter(({ tool }) => !isFreeHere(accepted, tool))) };
}

/** The usage with the searches that were made here: at the site's own price, which no model changes. */
export const withOwnSearches = (usage: Usage, searches: Answer["searches"]): Usage =>
  searches === undefined || searches.calls === 0
    ? usage
    : { ...usage, toolCalls: [...usage.toolCalls, { tool: "web_search", ...searches }] };
