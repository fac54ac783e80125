/** Settings that chat completions and the Responses API have under the same names, and no other vendor's format has. Part of the hub. */
import { defined } from "../json/fields.ts";
import type { JsonObject, NeutralRequest, Warn } from "./neutral.ts";

/** platform.openai.com/docs/guides/prompt-caching and docs/guides/safety-best-practices (safety identifiers). */
export const OPENAI_SHARED: readonly string[] = ["prompt_cache_key", "prompt_cache_retention", "safety_identifier"];

/** Those of a request, for NeutralRequest; nothing where it has none. */
export function sharedOf(fields: JsonObject): { openAi?: JsonObject } {
  const given = defined(
    Object.fromEntries(
      OPENAI_SHARED.map((name) => [name, typeof fields[name] === "string" ? fields[name] : undefined]),
    ),
  );
  return Object.keys(given).length === 0 ? {} : { openAi: given };
}

/** OpenAI's own models, which know a safety identifier; compatible servers know the older `user` alone, also those of its open models. */
const isOpenAiModel = (model: string): boolean => /^(?:[\w-]+\/)?(?:gpt-(?!oss)|chatgpt-|o\d|codex-)/.test(model);

/** Which of them a vendor documents; others have a schema that refuses what they do not know. */
export interface SharedSettings {
  names: readonly string[];
  /** Models of other vendors are served in the same place, and refuse them; at an address that begins so there are none. */
  ownModelsBut?: string;
}

/** The request with those of the settings that the vendor at this address takes for the model. Warns of the others. */
export function withTakenSettings<Request extends NeutralRequest>(
  request: Request,
  settings: SharedSettings | undefined,
  baseUrl: string,
  warn: Warn,
): Request {
  const { openAi, ...rest } = request;
  if (openAi === undefined) return request;
  const { names = [], ownModelsBut } = settings ?? {};
  const isServed =
    ownModelsBut === undefined ||
    isOpenAiModel(request.model) ||
    (ownModelsBut !== "" && `${baseUrl}/`.startsWith(ownModelsBut));
  const isTaken = ([name]: [string, unknown]): boolean => isServed && names.includes(name);
  for (const entry of Object.entries(openAi))
    // The end user has the older name where there is no identifier.
    if (!isTaken(entry) && entry[0] !== "safety_identifier")
      warn(entry[0], "this upstream may refuse it, and is not asked");
  return { ...rest, openAi: Object.fromEntries(Object.entries(openAi).filter(isTaken)) } as Request;
}

/** The settings as they go to a format of OpenAI's, and the name of the end user where no identifier stands for it. */
export function sharedFields({ openAi = {}, user, model }: NeutralRequest): {
  fields: JsonObject;
  user: string | undefined;
} {
  const { safety_identifier: identifier, ...rest } = openAi;
  if (identifier === undefined || !isOpenAiModel(model)) return { fields: rest, user };
  return { fields: { ...rest, safety_identifier: identifier }, user: user === identifier ? undefined : user };
}
