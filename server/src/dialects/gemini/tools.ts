/** Gemini's tools and toolConfig -> neutral tools (ai.google.dev/api/caching#Tool). */
import { neededTextAt, objectAt, objectsAt, pick, snakeOf, textAt, textsAt } from "./fields.ts";
import { jsonSchemaOf } from "./schema.ts";
import { type FunctionTool, type JsonObject, type NeutralTool, type ToolChoice, TranslationFault } from "../neutral.ts";

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };
const SEARCHES = ["googleSearch", "googleSearchRetrieval"] as const;
const TRANSLATED: ReadonlySet<string> = new Set(
  ["functionDeclarations", ...SEARCHES].flatMap((name) => [name, snakeOf(name)]),
);

function functionOf(declaration: JsonObject, path: string): FunctionTool {
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

/** What the vendor does itself beside the work of an agent, which goes on without it where it has functions of its own. */
const DISPENSABLE: ReadonlySet<string> = new Set(
  ["urlContext", "codeExecution"].flatMap((name) => [name, snakeOf(name)]),
);

/** `left` is told the paths of tools that can be done without. Throws TranslationFault for other tools that only this vendor runs. */
export function readTools(value: unknown, left: (path: string) => void): NeutralTool[] {
  const list = objectsAt(value, "tools");
  const hasFunctions = list.some((tool) => pick(tool, "functionDeclarations") !== undefined);
  return list.flatMap((tool, index): NeutralTool[] => {
    const path = `tools[${index}]`;
    const others = Object.keys(tool).filter((name) => !TRANSLATED.has(name) && tool[name] !== null);
    const foreign = others.find((name) => !hasFunctions || !DISPENSABLE.has(name));
    for (const name of others) left(`${path}.${name}`);
    if (foreign !== undefined) {
      throw new TranslationFault(
        `${path}.${foreign}`,
        `The model behind this name has no tool like ${path}.${foreign}.`,
      );
    }
    const declarations = objectsAt(pick(tool, "functionDeclarations"), `${path}.functionDeclarations`);
    const functions = declarations.map((one, at) => functionOf(one, `${path}.functionDeclarations[${at}]`));
    const searches = SEARCHES.some((name) => pick(tool, name) !== undefined);
    return searches ? [...functions, { kind: "web_search" }] : functions;
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

/** Applies toolConfig: a list of allowed names leaves only those tools. Throws TranslationFault. */
export function readToolConfig(value: unknown, tools: readonly NeutralTool[]): ReadToolConfig {
  const path = "toolConfig.functionCallingConfig";
  const config = objectAt(pick(objectAt(value, "toolConfig") ?? {}, "functionCallingConfig"), path);
  if (config === undefined) return { tools };
  const mode = (textAt(pick(config, "mode"), `${path}.mode`) ?? "AUTO").toUpperCase();
  const kind = MODES.get(mode);
  if (kind === undefined)
    throw new TranslationFault(`${path}.mode`, `${path}.mode must be AUTO, ANY, VALIDATED or NONE.`);
  const allowed = textsAt(pick(config, "allowedFunctionNames"), `${path}.allowedFunctionNames`) ?? [];
  const [only] = allowed;
  if (kind === "required" && allowed.length === 1 && only !== undefined)
    return { tools, toolChoice: { kind: "tool", name: only } };
  const toolChoice: ToolChoice = { kind: kind as "auto" | "none" | "required" };
  if (kind === "none" || allowed.length === 0) return { tools, toolChoice };
  return { tools: tools.filter((tool) => tool.kind !== "function" || allowed.includes(tool.name)), toolChoice };
}
