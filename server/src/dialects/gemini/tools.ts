/** Gemini's tools and toolConfig -> neutral tools (ai.google.dev/api/caching#Tool). */
import { neededTextAt, objectAt, objectsAt, pick, snakeOf, spellings, textAt, textsAt } from "./fields.ts";
import { jsonSchemaOf } from "./schema.ts";
import { unknownNames } from "../json/fields.ts";
import {
  type FunctionTool,
  type JsonObject,
  type NeutralTool,
  type ToolChoice,
  TranslationFault,
  type WebSearchTool,
} from "../neutral/neutral.ts";

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };
const SEARCHES = ["googleSearch", "googleSearchRetrieval"] as const;
const TRANSLATED: ReadonlySet<string> = new Set(
  ["functionDeclarations", ...SEARCHES].flatMap((name) => [name, snakeOf(name)]),
);

/** Collects paths of what has no neutral form and does not change the request. */
type Drop = (path: string) => void;

/** The path of a field, without list indexes. */
const placeOf = (path: string, name: string): string => `${path.replace(/\[\d+\]/g, "[]")}.${name}`;

const DECLARED = spellings(["name", "description", "parameters", "parametersJsonSchema"]);

function functionOf(declaration: JsonObject, path: string, drop: Drop): FunctionTool {
  for (const name of unknownNames(declaration, DECLARED)) drop(placeOf(path, name));
  const description = textAt(pick(declaration, "description"), `${path}.description`);
  const schema = objectAt(pick(declaration, "parametersJsonSchema"), `${path}.parametersJsonSchema`);
  const openApi = objectAt(pick(declaration, "parameters"), `${path}.parameters`);
  return {
    kind: "function",
    name: neededTextAt(pick(declaration, "name"), `${path}.name`),
    ...(description === undefined ? {} : { description }),
    parameters: schema ?? (openApi === undefined ? NO_ARGUMENTS : jsonSchemaOf(openApi)),
  };
}

const SEARCH_FIELDS = spellings(["excludeDomains"]);

function searchOf(value: unknown, path: string, drop: Drop): WebSearchTool {
  const search = objectAt(value, path) ?? {};
  for (const name of unknownNames(search, SEARCH_FIELDS)) drop(placeOf(path, name));
  const blockedDomains = textsAt(pick(search, "excludeDomains"), `${path}.excludeDomains`) ?? [];
  return { kind: "web_search", ...(blockedDomains.length === 0 ? {} : { blockedDomains }) };
}

/** The vendor's own tools, which an agent with functions of its own can work without. */
const DISPENSABLE: ReadonlySet<string> = new Set(
  ["urlContext", "codeExecution"].flatMap((name) => [name, snakeOf(name)]),
);

/** `drop` gets the paths of tools that are not essential. Throws TranslationFault for other tools that only this vendor runs. */
export function readTools(value: unknown, drop: Drop): NeutralTool[] {
  const list = objectsAt(value, "tools");
  const hasFunctions = list.some((tool) => pick(tool, "functionDeclarations") !== undefined);
  return list.flatMap((tool, index): NeutralTool[] => {
    const path = `tools[${index}]`;
    const others = Object.keys(tool).filter((name) => !TRANSLATED.has(name) && tool[name] !== null);
    const foreign = others.find((name) => !hasFunctions || !DISPENSABLE.has(name));
    for (const name of others) drop(`${path}.${name}`);
    if (foreign !== undefined) {
      throw new TranslationFault(
        `${path}.${foreign}`,
        `The model behind this name has no tool like ${path}.${foreign}.`,
      );
    }
    const declarations = objectsAt(pick(tool, "functionDeclarations"), `${path}.functionDeclarations`);
    const functions = declarations.map((one, at) => functionOf(one, `${path}.functionDeclarations[${at}]`, drop));
    const search = SEARCHES.find((name) => pick(tool, name) !== undefined);
    return search === undefined ? functions : [...functions, searchOf(pick(tool, search), `${path}.${search}`, drop)];
  });
}

interface ReadToolConfig {
  tools: readonly NeutralTool[];
  toolChoice?: ToolChoice;
}

const MODES: ReadonlyMap<string, ToolChoice["kind"]> = new Map([
  ["MODE_UNSPECIFIED", "auto"],
  ["AUTO", "auto"],
  ["VALIDATED", "auto"],
  ["ANY", "required"],
  ["NONE", "none"],
]);

const CONFIGURED = spellings(["functionCallingConfig"]);
const CALLING = spellings(["mode", "allowedFunctionNames"]);

/** Applies toolConfig: a list of allowed names drops all other tools. Throws TranslationFault. */
export function readToolConfig(value: unknown, tools: readonly NeutralTool[], drop: Drop): ReadToolConfig {
  const path = "toolConfig.functionCallingConfig";
  const whole = objectAt(value, "toolConfig") ?? {};
  for (const name of unknownNames(whole, CONFIGURED)) drop(`toolConfig.${name}`);
  const config = objectAt(pick(whole, "functionCallingConfig"), path);
  if (config === undefined) return { tools };
  for (const name of unknownNames(config, CALLING)) drop(`${path}.${name}`);
  const mode = (textAt(pick(config, "mode"), `${path}.mode`) ?? "AUTO").toUpperCase();
  const kind = MODES.get(mode);
  if (kind === undefined)
    throw new TranslationFault(`${path}.mode`, `${path}.mode must be AUTO, ANY, VALIDATED or NONE.`);
  const allowed = textsAt(pick(config, "allowedFunctionNames"), `${path}.allowedFunctionNames`) ?? [];
  const [only] = allowed;
  const names = new Set(allowed);
  if (kind === "required" && allowed.length === 1 && only !== undefined)
    return { tools, toolChoice: { kind: "tool", name: only } };
  const toolChoice: ToolChoice = { kind: kind as "auto" | "none" | "required" };
  if (kind === "none" || allowed.length === 0) return { tools, toolChoice };
  return { tools: tools.filter((tool) => tool.kind !== "function" || names.has(tool.name)), toolChoice };
}
