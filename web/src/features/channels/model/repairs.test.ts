/** Tests of the table of repairs: each failure leads to the field that is likely wrong, or to none, and has a text in both languages. */
import { describe, expect, it } from "vitest";
import type { TestFailure } from "../../../../../contract/src/channels/channel-tests.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import en from "../../../locales/en/channel-editor.json" with { type: "json" };
import zh from "../../../locales/zh/channel-editor.json" with { type: "json" };
import { repairOf } from "./repairs.ts";

const provider = { fields: [{ name: "base_url" }] } as unknown as ProviderRow;
const status = (code: number, message = "no"): TestFailure => ({
  code: "upstream_status",
  values: { status: code, message },
});
const other = (code: TestFailure["code"], values: TestFailure["values"] = {}): TestFailure => ({ code, values });
const connect = (reason: string) => other("connect", { reason });

describe("where a failure is repaired", () => {
  it.each([
    ["a refused key", status(401), "key", ["key"], true],
    ["a forbidden key", status(403), "forbidden", ["key"], false],
    ["no such path", status(404), "path", ["base_url", "models"], false],
    [
      "a model of OpenAI",
      status(404, "The model `gpt-9` does not exist or you do not have access to it."),
      "model",
      ["models"],
      false,
    ],
    ["a model of Anthropic", status(404, "model: claude-9"), "model", ["models"], false],
    [
      "an account of OpenAI",
      status(429, "You exceeded your current quota, please check your plan"),
      "account",
      ["key"],
      true,
    ],
    [
      "an account of Anthropic",
      status(400, "Your credit balance is too low to access the API"),
      "account",
      ["key"],
      true,
    ],
    ["an account of DeepSeek", status(402, "Insufficient Balance"), "account", ["key"], true],
    [
      "a gateway without a channel",
      status(503, "No channel is available for the model x."),
      "model",
      ["models"],
      false,
    ],
    ["a gateway without a price", status(400, "模型 x 倍率或价格未配置"), "model", ["models"], false],
    ["a refused connection", connect("ECONNREFUSED"), "address", ["base_url"], true],
    ["a certificate", connect("CERT_HAS_EXPIRED"), "certificate", ["base_url"], true],
    ["an address without TLS", connect("EPROTO"), "no_tls", ["base_url"], true],
    ["an address that is not allowed", other("address_refused"), "address", ["base_url"], true],
    ["another format", other("unreadable_answer"), "format", ["base_url"], false],
    ["a kind that the provider lacks", other("operation_not_served"), "operation", ["models"], false],
    ["no answer in time", other("timeout", { seconds: 60 }), "timeout", ["setting"], false],
    ["a gateway's time-out", status(504), "timeout", ["setting"], false],
    ["a limit", status(429), "limit", [], false],
    ["a fault of the upstream", status(500), "unknown", [], false],
    ["no call of the tool", other("no_tool_call"), "ability", [], false],
  ] as const)("%s", (_, failure, kind, fields, concernsAll) => {
    expect(repairOf(failure, provider)).toEqual({ failure: kind, fields, concernsAll });
    const words: readonly Record<string, string>[] = [en.matrix.words, zh.matrix.words];
    for (const texts of words) expect(texts[kind] ?? "").toMatch(kind === "unknown" ? /^$/ : /\S/);
  });

  it("names no field that the form does not show", () => {
    expect(repairOf(other("connect"), undefined).fields).toEqual([]);
    expect(repairOf(status(404), undefined).fields).toEqual(["models"]);
  });
});
