/** Settings shared by OpenAI's formats reach vendors that document them, and are dropped for vendors that refuse them. */
import { expect, test } from "vitest";
import type { NeutralRequest } from "./neutral.ts";
import { OPENAI_SHARED, withTakenSettings } from "./openai-shared.ts";

const openAi = { prompt_cache_key: "k", safety_identifier: "s" };
const base: NeutralRequest = { model: "", isStream: false, system: [], messages: [], tools: [], unknownFields: [] };

function taken(model: string, baseUrl: string, ownModelsBut?: string) {
  const warned: string[] = [];
  const settings = { names: OPENAI_SHARED, ...(ownModelsBut === undefined ? {} : { ownModelsBut }) };
  const request = withTakenSettings({ ...base, model, openAi }, settings, baseUrl, (field) => warned.push(field));
  return [request.openAi, warned];
}

test("at its own address OpenAI takes them for every model, elsewhere for its own closed models", () => {
  const own = "https://api.openai.com/";
  expect(taken("ft:anything", "https://api.openai.com", own)).toEqual([openAi, []]);
  expect(taken("openai/gpt-5", "https://gateway.example", own)).toEqual([openAi, []]);
  for (const model of ["llama-3.3-70b", "gpt-oss-120b", "openai/gpt-oss-20b"]) {
    expect(taken(model, "https://api.cerebras.ai", own)).toEqual([{}, ["prompt_cache_key"]]);
    expect(taken(model, "https://api.openai.com.example", own)).toEqual([{}, ["prompt_cache_key"]]);
    expect(taken(model, "https://r.openai.azure.com", "")).toEqual([{}, ["prompt_cache_key"]]);
    expect(taken(model, "https://one.example")).toEqual([openAi, []]);
  }
});

test("a vendor that documents none gets none, and a request without them is the same", () => {
  const warned: string[] = [];
  const warn = (field: string): void => void warned.push(field);
  expect(withTakenSettings({ ...base, openAi }, undefined, "", warn).openAi).toEqual({});
  expect(warned).toEqual(["prompt_cache_key"]);
  expect(withTakenSettings(base, undefined, "", warn)).toBe(base);
});
