/**
 * What vendors other than OpenAI support of the Responses format: what one ignores or refuses is a translation fault, upon which the call is sent
 * in another of its formats, or refused by name.
 */
import type { FormatQuirk } from "../../format-quirk.ts";
import { isObject, listOf, objectOf, ownOf, textOf } from "../../json/fields.ts";
import { type JsonObject, TranslationFault } from "../../neutral/neutral.ts";

/** What a vendor documents of the format beyond text, thinking, functions and base64 images. */
export interface ServedResponses {
  /** Its name, for the client. */
  vendor: string;
  /** It stores answers, which a later request may continue. */
  keepsAnswers?: boolean;
  /** Types of tools; all where absent. */
  tools?: readonly string[];
  /** Names of freeform tools, where it knows some alone. */
  customTools?: readonly string[];
  /** Values of `tool_choice`, and `function` for one by its name; all if absent. */
  toolChoices?: readonly string[];
  /** Kinds of `text.format`; all where absent. */
  textFormats?: readonly string[];
  /** It fetches pictures from public addresses. */
  fetchesPictures?: boolean;
  /** It reads documents. */
  takesFiles?: boolean;
}

type Fault = readonly [field: string, what: string];

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** What is in a vendor's store. */
const STORED = ["previous_response_id", "conversation"];
/** What no vendor but the format's own documents. */
const ELSEWHERE = ["prompt", "background"];

function toolFault(tool: unknown, { tools, customTools }: ServedResponses): string | undefined {
  const { type, name } = objectOf(tool);
  const isKnown = tools?.includes(textOf(type)) !== false;
  const isNamed = type !== "custom" || customTools?.includes(textOf(name)) !== false;
  return isKnown && isNamed ? undefined : `tools of the type "${textOf(type)}"${isKnown ? " and this name" : ""}`;
}

const choiceOf = (choice: unknown): string => (isObject(choice) ? textOf(choice["type"]) : textOf(choice));

function partFault(part: JsonObject, served: ServedResponses): string | undefined {
  const { type, image_url: address, file_id: id } = part;
  // A file of the vendor's store belongs to the operator's account, not to the client.
  if (isSet(id)) return "files by their ids";
  if (type === "input_file" && served.takesFiles !== true) return "files";
  const isRemote = type === "input_image" && !textOf(address).startsWith("data:");
  return isRemote && served.fetchesPictures !== true ? "addresses of pictures" : undefined;
}

function itemFault(item: unknown, served: ServedResponses): string | undefined {
  if (!isObject(item)) return undefined;
  const { type, role, id, content, output } = item;
  const isReference = type === "item_reference" || (type === undefined && role === undefined && isSet(id));
  if (isReference && served.keepsAnswers !== true) return "references to stored items";
  for (const part of [...listOf(content), ...listOf(output)]) {
    const fault = isObject(part) ? partFault(part, served) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function firstFault(body: JsonObject, served: ServedResponses): Fault | undefined {
  const absent = served.keepsAnswers === true ? ELSEWHERE : [...STORED, ...ELSEWHERE];
  const stored = absent.find((field) => isSet(body[field]));
  if (stored !== undefined) return [stored, stored];
  for (const tool of listOf(body["tools"])) {
    const fault = toolFault(tool, served);
    if (fault !== undefined) return ["tools", fault];
  }
  const choice = choiceOf(body["tool_choice"]);
  if (choice !== "" && served.toolChoices?.includes(choice) === false) return ["tool_choice", `the choice "${choice}"`];
  const format = textOf(objectOf(objectOf(body["text"])["format"])["type"]);
  if (format !== "" && served.textFormats?.includes(format) === false)
    return ["text.format", `answers of the format "${format}"`];
  for (const item of listOf(body["input"])) {
    const fault = itemFault(item, served);
    if (fault !== undefined) return ["input", fault];
  }
  return undefined;
}

const isResponses: FormatQuirk["appliesTo"] = (_model, operation, dialect) =>
  operation === "chat" && dialect === "openai-responses";

/** Keeps requests out of the vendor's Responses that ask for what it does not take there. */
export const servedResponses = (served: ServedResponses): FormatQuirk => ({
  reason: `${served.vendor} does not take it in this format`,
  appliesTo: isResponses,
  patch(body) {
    const [field, what] = firstFault(body, served) ?? [];
    if (field !== undefined) throw new TranslationFault(field, `${served.vendor} does not take ${what}.`);
    return {};
  },
});

/** `reasoning.effort` by the names of a vendor that has fewer; an empty text drops it. */
export const effortInReasoning = (efforts: Readonly<Record<string, string>>): FormatQuirk => ({
  reason: "the vendor knows other words for how long a model thinks",
  appliesTo: isResponses,
  patch: (body) => withEffort(body, efforts),
});

/** The same as a change of fields. */
export function withEffort(
  body: JsonObject,
  efforts: Readonly<Record<string, string>>,
): ReturnType<FormatQuirk["patch"]> {
  const { effort, ...reasoning } = objectOf(body["reasoning"]);
  const own = ownOf(efforts, textOf(effort));
  if (own === undefined || own === effort) return {};
  return { set: { reasoning: own === "" ? reasoning : { ...reasoning, effort: own } } };
}
