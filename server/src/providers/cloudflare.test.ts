/** Workers AI by its documentation: addresses of an account, its catalogue, roles, and failures by their codes. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { cloudflare } from "./cloudflare.ts";

const { endpoint, failed, isFailure, manifest, modelNames, models, sent } = documentedProvider(cloudflare);
const ACCOUNT = "0123456789abcdef0123456789abcdef";

test.each(["https://api.cloudflare.com", "https://api.cloudflare.com/client/v4/"])(
  "behind %s is the account",
  (baseUrl) => {
    const channel = { baseUrl, key: "k", other: ` ${ACCOUNT}`, openaiOrganization: "" };
    const call = { dialect: "openai-chat", model: "m", isStream: false, headers: {} } as const;
    const url = (operation: "chat" | "images" | "models", path: string) =>
      endpoint(channel, { ...call, operation, path }).url;
    const account = `https://api.cloudflare.com/client/v4/accounts/${ACCOUNT}`;
    expect(url("chat", "/v1/chat/completions")).toBe(`${account}/ai/v1/chat/completions`);
    expect(url("images", "/ai/run/@cf/a/b")).toBe(`${account}/ai/run/@cf/a/b`);
    expect(url("models", "/v1/models")).toBe(`${account}/ai/models/search?per_page=100`);
  },
);

test("the account's id is asked for, and checked by its form", () => {
  const field = manifest.fields.find(({ name }) => name === "other");
  expect(field).toMatchObject({ isRequired: true, label: "accountId" });
  const pattern = new RegExp(field?.pattern ?? "");
  expect([pattern.test(ACCOUNT), pattern.test("my account")]).toEqual([true, false]);
});

test("the catalogue is read", () => {
  const result = [{ id: "1", name: "@cf/openai/gpt-oss-120b", task: { name: "Text Generation" } }, {}];
  expect(modelNames({ success: true, result })).toEqual(["@cf/openai/gpt-oss-120b"]);
});

test("instructions and bounds have their older names, vectors are numbers", () => {
  const developer = { role: "developer", content: "be brief" };
  expect(sent({ model: "m", messages: [developer], max_completion_tokens: 5 })).toEqual({
    model: "m",
    messages: [{ role: "system", content: "be brief" }],
    max_tokens: 5,
  });
  const body = { model: "m", input: "x" };
  expect(sent({ ...body, encoding_format: "base64" }, { operation: "embeddings" })).toEqual(body);
});

test.each([
  ["401-token.json", "auth", true],
  ["400-account.json", "auth", true],
  ["400-model.json", "invalid", false],
  ["403-model.json", "auth", true],
  ["408-slow.json", "timeout", true],
  ["413-large.json", "invalid", false],
  ["429-neurons.json", "quota", true],
  ["429-capacity.json", "overloaded", true],
  ["500-server.json", "overloaded", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("a failure with a status of success is one, text about it is none", () => {
  expect(isFailure('{"result":null,"success": false,"errors":[]}')).toBe(true);
  expect(isFailure(JSON.stringify({ choices: [{ message: { content: '{"success":false}' } }] }))).toBe(false);
});

test("its manifest is type 39 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 39, slug: "cloudflare" });
  expect(new Set(models).size).toBe(models.length);
});
