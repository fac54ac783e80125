/** Tests of the channel form: the rules of its fields, only what changed is sent, what the form does not know is kept. */
import { describe, expect, it } from "vitest";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import {
  changedNames,
  type ChannelForm,
  checkForm,
  clashesOf,
  cleanBaseUrl,
  asksForVersion,
  fieldOf,
  formOf,
  NEW_CHANNEL,
  updateOf,
  wireOf,
  withoutVersion,
} from "./form.ts";
import { parsePriority, parseWeight } from "./numbers.ts";
import { formatPercent } from "../../../lib/format.ts";
import { tierShare } from "./share.ts";
import { addModels, suggestModels } from "./models.ts";
import { aChannel } from "./sample.ts";
import { parseSetting, settingText } from "./setting.ts";

const custom: ProviderRow = {
  id: 8,
  slug: "custom",
  name: "Custom",
  default_base_url: "",
  key_hint: "sk-...",
  key_forms: [],
  is_key_document: false,
  notice: "",
  is_retired: false,
  fields: [{ name: "base_url", label: "fullUrl", is_required: true, placeholder: "", choices: [], pattern: "" }],
  models: [],
  can_test: true,
  tells_balance: true,
  lists_models: true,
  stores_models: false,
  mark: { glyph: "C", colour: "#000000" },
};
const whole: ChannelForm = { ...NEW_CHANNEL, name: "main", key: "sk-1", models: ["gpt-4o"] };
const refused = (change: Partial<ChannelForm>, provider?: ProviderRow) => checkForm({ ...whole, ...change }, provider);

describe("what is refused before it is sent", () => {
  it("takes a whole form", () => {
    expect(refused({})).toEqual({});
  });
  it.each([
    [{ name: " " }, { name: "errors.name" }],
    [{ name: "n".repeat(129) }, { name: "errors.nameLong" }],
    [{ key: "\n " }, { key: "errors.key" }],
    [{ models: [] }, { models: "errors.models" }],
    [{ base_url: "ftp://a" }, { base_url: "errors.address" }],
    [{ base_url: "api.example.com" }, { base_url: "errors.address" }],
    [{ base_url: "https://a.example?v=1" }, { base_url: "errors.addressEnd" }],
    [{ base_url: "https://a.example/v1/#" }, { base_url: "errors.addressEnd" }],
    [{ priority: "-1000" }, { priority: "errors.priority" }],
    [{ priority: "1.5" }, { priority: "errors.priority" }],
    [{ weight: "" }, { weight: "errors.weight" }],
    [{ model_mapping: "{" }, { model_mapping: "errors.json.model_mapping" }],
    [{ setting: { ...NEW_CHANNEL.setting, proxy: "nonsense" } }, { setting: "errors.proxy" }],
    [{ setting: { ...NEW_CHANNEL.setting, max_concurrency: "-1" } }, { setting: "errors.concurrency" }],
    [{ setting: { ...NEW_CHANNEL.setting, first_byte_timeout_stream_seconds: "0" } }, { setting: "errors.inputLimit" }],
    [{ max_input_tokens: "0" }, { max_input_tokens: "errors.inputLimit" }],
    [{ max_input_tokens: "1.5" }, { max_input_tokens: "errors.inputLimit" }],
  ] as const)("%j", (change, errors) => {
    expect(refused(change)).toEqual(errors);
  });
  it("asks for the fields that the provider's manifest requires, and for no others", () => {
    expect(refused({}, custom)).toEqual({ base_url: "errors.missing.fullUrl" });
    expect(refused({ base_url: "https://a.example/v1/chat/completions?v=1" }, custom)).toEqual({});
  });
  it("needs no key on edit unless 'Replace' was pressed", () => {
    expect(refused({ key: undefined })).toEqual({});
    expect(refused({ key: "" })).toEqual({ key: "errors.key" });
  });
});

describe("what is sent", () => {
  it("strips the slash at the end and sees /v1 behind it", () => {
    expect(cleanBaseUrl(" https://a.example// ")).toBe("https://a.example");
    const asks = (base_url: string) => asksForVersion({ base_url }, undefined);
    expect(["https://a/v1", "https://a/v1/", "https://a/V1"].map(asks)).toEqual([true, true, true]);
    expect(["https://a", "https://a/v1/chat", "https://a/xv1"].map(asks)).toEqual([false, false, false]);
    // Nothing is added to an address that is called as it stands.
    expect(asksForVersion({ base_url: "https://a/v1" }, custom)).toBe(false);
    expect(["https://a/v1/", " https://a/V1", "https://a/x"].map(withoutVersion)).toEqual([
      "https://a",
      "https://a",
      "https://a/x",
    ]);
  });
  it("parses priority and weight as whole numbers, a negative weight as 0", () => {
    expect([parsePriority("-999"), parsePriority("−5"), parsePriority("x"), parsePriority("-1000")]).toEqual([
      -999,
      -5,
      undefined,
      undefined,
    ]);
    expect([parseWeight("-3"), parseWeight("7"), parseWeight("7.5")]).toEqual([0, 7, undefined]);
  });
  it("gives type 18 its version where none was typed", () => {
    expect(wireOf({ ...whole, type: 18 }).other).toBe("v2.1");
    expect(wireOf({ ...whole, type: 1 }).other).toBe("");
  });
  it("sends the id alone where nothing changed, and never a key that was not typed", () => {
    const before = formOf(aChannel({ id: 7, setting: '{"proxy":"http://p"}' }));
    expect(updateOf(7, before, before)).toEqual({ id: 7 });
    expect(changedNames(before, before)).toEqual([]);
    expect(updateOf(7, before, { ...before, key: "" })).toEqual({ id: 7 });
    expect(updateOf(7, before, { ...before, key: " sk-new " })).toEqual({ id: 7, key: "sk-new" });
  });
  it("sends only the fields that differ", () => {
    const before = formOf(aChannel({ id: 7 }));
    const after: ChannelForm = { ...before, models: ["gpt-4o"], weight: "3", auto_ban: false };
    expect(updateOf(7, before, after)).toEqual({
      id: 7,
      models: "gpt-4o",
      weight: 3,
      auto_ban: 0,
    });
    expect(changedNames(before, after)).toEqual(["models", "weight", "auto_ban"]);
  });
  it("knows the fields that would undo another user's change", () => {
    const before = formOf(aChannel({ id: 7, models: "gpt-4o", weight: 1 }));
    const mine: ChannelForm = { ...before, models: ["gpt-4o", "gpt-4.1"], weight: "3", key: "sk-new" };
    expect(clashesOf(before, mine, before)).toEqual([]);
    expect(clashesOf(before, mine, { ...before, models: ["gpt-4o", "o3"], name: "renamed" })).toEqual(["models"]);
    expect(clashesOf(before, mine, { ...before, weight: "3" })).toEqual([]);
    expect(clashesOf(before, before, { ...before, weight: "5" })).toEqual([]);
  });
  it("sends of the settings what the relay follows, and nothing else", () => {
    const stored = '{"other":1,"force_format":true,"max_concurrency":3,"proxy":"http://p:1","allow_service_tier":true}';
    const setting = parseSetting(stored);
    expect(setting).toEqual({
      proxy: "http://p:1",
      force_format: true,
      thinking_to_content: false,
      max_concurrency: "3",
      first_byte_timeout_stream_seconds: "",
      allow_service_tier: true,
      others: {},
    });
    const changed = { ...setting, proxy: " socks5://p:1 ", force_format: false, thinking_to_content: true };
    expect(settingText(changed)).toBe(
      '{"proxy":"socks5://p:1","max_concurrency":3,"allow_service_tier":true,"thinking_to_content":true}',
    );
    expect(settingText({ ...parseSetting(""), max_concurrency: "0" })).toBe('{"max_concurrency":0}');
    const waits = '{"first_byte_timeout_stream_seconds":600}';
    expect(settingText(parseSetting(waits))).toBe(waits);
    for (const text of ["", '{"proxy":5}', '{"thinking_to_content":false,"force_format":"x"}', "[]"])
      expect(settingText(parseSetting(text))).toBe("");
  });
  it("sends nothing of a setting that was only read", () => {
    const stored = '{"force_format":true,"thinking_to_content":true,"max_concurrency":3}';
    const before = formOf(aChannel({ id: 7, setting: stored }));
    expect(updateOf(7, before, before)).toEqual({ id: 7 });
    const setting = { ...before.setting, thinking_to_content: false };
    expect(updateOf(7, before, { ...before, setting })).toEqual({
      id: 7,
      setting: '{"max_concurrency":3,"force_format":true}',
    });
  });
  it("sends a limit of input as a number, and null where the field was emptied", () => {
    const before = formOf(aChannel({ id: 7, max_input_tokens: 4096 }));
    expect(before.max_input_tokens).toBe("4096");
    expect(updateOf(7, before, { ...before, max_input_tokens: " 8000 " })).toEqual({ id: 7, max_input_tokens: 8000 });
    expect(updateOf(7, before, { ...before, max_input_tokens: "" })).toEqual({ id: 7, max_input_tokens: null });
  });
  it("puts a refusal of the server on its field, and of unknown fields on none", () => {
    expect([fieldOf("base_url"), fieldOf("group"), fieldOf("status"), fieldOf(undefined)]).toEqual([
      "base_url",
      "groups",
      undefined,
      undefined,
    ]);
  });
});

describe("models", () => {
  it("are added from commas and lines, each once, and what was there is named", () => {
    expect(addModels(["a"], ["b, a\nc", "b"])).toEqual({ models: ["a", "b", "c"], added: 2, known: ["a"] });
  });
  it("are offered by beginning first, without those chosen", () => {
    expect(suggestModels(["x-gpt", "gpt-4o", "gpt-4o-mini", "claude"], ["gpt-4o"], "GPT")).toEqual([
      "gpt-4o-mini",
      "x-gpt",
    ]);
  });
});

describe("share of a tier", () => {
  it("follows the relay's chance: 10 is added to each weight", () => {
    expect(formatPercent(tierShare(8, { others: 2, weight: 7 }))).toBe("40%");
    expect(tierShare(0, { others: 0, weight: 0 })).toBe(1);
  });
});
