/** The outcome of a part of a request with vendors of other formats: translated, warned of, refused by its name, or lost. */
import { expect } from "vitest";
import { inOwnWords, ownName } from "../../server/src/dialects/neutral/field-names.ts";
import { type DialectName, type JsonObject, TranslationFault } from "../../server/src/dialects/neutral/neutral.ts";
import { DIALECTS } from "../../server/src/dialects/registry.ts";

type Fate = "carried" | "warned" | "refused";

/** A model of each vendor that thinks, takes every setting and gives what can be asked for. */
const MODELS: Readonly<Record<DialectName, string>> = {
  "openai-chat": "gpt-4o",
  "openai-responses": "gpt-5.4",
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-2.5-flash",
};

export interface Translation {
  text: string;
  warnings: string[];
}

/** The request of a client for a vendor of another format. Throws TranslationFault. */
function translate(from: DialectName, to: DialectName, fields: JsonObject): Translation {
  const warnings: string[] = [];
  const { fieldNames } = DIALECTS[from];
  const neutral = DIALECTS[from].decodeRequest(fields, { model: "asked", isStream: false });
  const request = { ...neutral, model: MODELS[to] };
  const encode = (): JsonObject => {
    try {
      return DIALECTS[to].encodeRequest(request, (field) => void warnings.push(ownName(fieldNames, field)));
    } catch (fault) {
      throw inOwnWords(fieldNames, fault);
    }
  };
  const body = encode();
  const { model, isStream, unknownFields, openAi = {} } = neutral;
  // The relay names those for every upstream that does not document them (withTakenSettings of neutral/openai-shared.ts).
  const shared = to.startsWith("openai-") ? [] : Object.keys(openAi);
  return { text: JSON.stringify({ body, model, isStream }), warnings: [...unknownFields, ...shared, ...warnings] };
}

/** What becomes of the difference between two requests; undefined where it is lost. `place` is what a refusal has to name. */
function fateOf(
  from: DialectName,
  to: DialectName,
  plain: JsonObject,
  full: JsonObject,
  place: RegExp,
): Fate | undefined {
  const before = translatedOrFault(from, to, plain);
  // What it needs beside it cannot be had there.
  if (before instanceof TranslationFault) return "refused";
  try {
    const after = translate(from, to, full);
    if (after.text !== before.text) return "carried";
    return after.warnings.length > before.warnings.length ? "warned" : undefined;
  } catch (error) {
    if (!(error instanceof TranslationFault)) throw error;
    expect(error.param).toMatch(place);
    return "refused";
  }
}

function translatedOrFault(from: DialectName, to: DialectName, fields: JsonObject): Translation | TranslationFault {
  try {
    return translate(from, to, fields);
  } catch (error) {
    if (error instanceof TranslationFault) return error;
    throw error;
  }
}

const others = (from: DialectName): DialectName[] => (Object.keys(MODELS) as DialectName[]).filter((to) => to !== from);

/** Values that ask a vendor for its default. */
const DONE_ANYWAY: ReadonlySet<string> = new Set(["anthropic-messages gemini service_tier"]);

/** Fails for every vendor with whom it is lost. */
export function expectNothingLost(from: DialectName, plain: JsonObject, full: JsonObject, place: RegExp): void {
  const lost = others(from).filter(
    (to) =>
      fateOf(from, to, plain, full, place) === undefined && !DONE_ANYWAY.has(`${from} ${to} ${place.source.slice(1)}`),
  );
  expect(lost).toEqual([]);
}

export const QUESTION = [{ role: "user", content: "hi" }];
export const BASES = {
  "openai-chat": { model: "asked", messages: QUESTION },
  "openai-responses": { model: "asked", input: "hi" },
  "anthropic-messages": { model: "asked", max_tokens: 4096, messages: QUESTION },
} as const;
