/** Bedrock by its documentation: names and areas, addresses, signatures, envelopes, counts and failures by their names. */
import { describe, expect, test } from "vitest";
import { signedBy } from "../../../../tests/support/providers/sigv4.ts";
import { parseOptions } from "../../../../contract/src/options/options.ts";
import type { Operation, ProviderCall } from "../provider.ts";
import { ProviderFault } from "../provider-fault.ts";
import { foundationId, modelId } from "./models.ts";
import { aws, signed } from "./aws.ts";
import { providerFixture } from "../../../../tests/support/providers/fixtures.ts";

const { beforeSend, endpoint, failure, isFailure, manifest, modelNames, models, ownOperations, quirks } = aws;

const [ACCESS, SECRET] = ["AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"] as const;
const channel = { baseUrl: "", key: `${ACCESS}|${SECRET}|eu-west-1`, other: "", openaiOrganization: "" };
const call: ProviderCall = {
  operation: "chat",
  dialect: "anthropic-messages",
  path: "/v1/messages",
  model: "claude-sonnet-4-5-20250929",
  isStream: false,
  headers: {},
};
const NOW = Date.UTC(2015, 7, 30, 12, 36);

const UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test.each([
  ["get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  ["post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    "/?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  ["get-unreserved", "GET", `/${UNRESERVED}`, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"],
  [
    "get-vanilla-query-unreserved",
    "GET",
    `/?${UNRESERVED}=${UNRESERVED}`,
    "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
  ],
] as const)(
  "AWS's vector %s has AWS's signature, as tests and calls work it out",
  async (_name, method, target, expected) => {
    const url = new URL(`https://example.amazonaws.com${target}`);
    const request = { method: method as "POST", url: url.href, headers: [], body: Buffer.alloc(0) };
    const signing = { accessKey: ACCESS, secretKey: SECRET, region: "us-east-1", service: "service" };
    const query = url.search.slice(1).split("&").toSorted().join("&");
    const parts = { method, path: url.pathname, query, host: url.host, date: "20150830T123600Z", body: request.body };
    const ours = (await signed(signing, request, NOW)).at(-1);
    expect(ours?.endsWith(`Signature=${expected}`)).toBe(true);
    expect(signedBy(ACCESS, SECRET, "us-east-1", "service", parts)).toBe(ours);
  },
);

describe("a request as it is sent", () => {
  const tools = { nowMs: NOW, ask: () => Promise.reject(new Error("asked")), accessToken: () => Promise.resolve("") };
  const sent = async (body: object, change: Partial<ProviderCall> = {}, key = channel.key) => {
    const asked = { ...call, ...change };
    const { url, headers } = endpoint({ ...channel, key }, asked);
    const request = { method: "POST", url, headers, body: Buffer.from(JSON.stringify(body)) } as const;
    if (beforeSend === undefined) throw new Error("Bedrock has no last step");
    return beforeSend(request, { ...channel, key }, asked, tools);
  };
  const headersOf = ({ headers }: { headers: string[] }): Record<string, string> =>
    Object.fromEntries(headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])));

  test("is signed with the colon of its model encoded twice, over the bytes that are sent", async () => {
    const request = await sent({ model: "x", max_tokens: 5, messages: [] });
    const { pathname, host } = new URL(request.url);
    expect(pathname).toBe("/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke");
    const date = "20150830T123600Z";
    const parts = { method: "POST", path: pathname, query: "", host, date, body: request.body };
    expect(headersOf(request)).toEqual({
      "x-amz-date": date,
      authorization: signedBy(ACCESS, SECRET, "eu-west-1", "bedrock", parts),
    });
  });

  test("has the model and the stream in its address and the version in its body, every other byte untouched", async () => {
    const body = { model: "x", stream: true, max_tokens: 5, ä: 1.0, messages: [] };
    const request = await sent(body, { isStream: true });
    expect(request.url.endsWith("/invoke-with-response-stream")).toBe(true);
    expect(request.body.toString()).toBe(
      '{"max_tokens":5,"ä":1,"messages":[],"anthropic_version":"bedrock-2023-05-31"}',
    );
  });

  test("has the betas that Bedrock knows, and the client is warned of the others", async () => {
    const headers = { "anthropic-beta": "claude-code-20250219, context-1m-2025-08-07" };
    const request = await sent({ messages: [] }, { headers });
    expect(JSON.parse(request.body.toString())).toMatchObject({ anthropic_beta: ["context-1m-2025-08-07"] });
    expect(request.warnings).toEqual(["anthropic-beta: Bedrock has no claude-code-20250219"]);
    const options = {
      ...parseOptions(new Map()),
      "claude.model_headers_settings": { m: { "anthropic-beta": ["x-1"] } },
    };
    const site = { options: options as ReturnType<typeof parseOptions>, requestedModel: "m", isTranslated: false };
    const ofSite = await sent({ messages: [] }, { headers, site });
    expect(JSON.parse(ofSite.body.toString())).toMatchObject({ anthropic_beta: ["x-1"] });
  });

  test("has a Bedrock API key as a bearer token", async () => {
    const request = await sent({ messages: [] }, {}, "ABSKexample|ap-northeast-1");
    expect(headersOf(request)).toEqual({ authorization: "Bearer ABSKexample" });
    expect(request.url).toContain("https://bedrock-runtime.ap-northeast-1.amazonaws.com/model/jp.anthropic.");
  });

  test.each(["", "onlykey", "a|b|c|d", "a||us-east-1", "a|b|evil.example/", "a|b|us-east-1.evil.example"])(
    "is not made with the key %j",
    async (key) => {
      await expect(sent({ messages: [] }, {}, key)).rejects.toBeInstanceOf(ProviderFault);
      expect(endpoint({ ...channel, key }, call).url).toMatch(
        /^https:\/\/bedrock-runtime\.us-east-1\.amazonaws\.com\//,
      );
    },
  );
});

test.each([
  ["claude-sonnet-4-5", "us-east-1", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["claude-sonnet-4-5-20250929", "ca-central-1", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  ["claude-haiku-4-5-20251001", "ap-northeast-3", "jp.anthropic.claude-haiku-4-5-20251001-v1:0"],
  ["claude-sonnet-4-6", "ap-southeast-2", "au.anthropic.claude-sonnet-4-6"],
  ["claude-opus-4-6", "ap-south-1", "global.anthropic.claude-opus-4-6-v1"],
  ["claude-sonnet-4-20250514", "ap-northeast-1", "apac.anthropic.claude-sonnet-4-20250514-v1:0"],
  ["claude-3-5-sonnet-20241022", "eu-west-1", "anthropic.claude-3-5-sonnet-20241022-v2:0"],
  ["claude-3-haiku-20240307", "us-gov-west-1", "anthropic.claude-3-haiku-20240307-v1:0"],
  ["claude-2.1", "us-east-1", "anthropic.claude-v2:1"],
  ["eu.anthropic.claude-new-v9:0", "us-east-1", "eu.anthropic.claude-new-v9:0"],
  ["amazon.nova-2-lite-v1:0", "ap-northeast-1", "jp.amazon.nova-2-lite-v1:0"],
  ["openai.gpt-oss-120b-1:0", "us-east-1", "openai.gpt-oss-120b-1:0"],
  ["constructor", "us-east-1", "constructor"],
])("%s in %s is %s", (name, region, expected) => {
  expect(modelId(name, region)).toBe(expected);
});

test("each operation has its address, and a model's ARN cannot escape its place in the path", () => {
  const urlOf = (operation: Operation, model = call.model, baseUrl = "") =>
    endpoint({ ...channel, baseUrl }, { ...call, operation, model }).url;
  expect(urlOf("count_tokens")).toBe(
    "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens",
  );
  expect(urlOf("models")).toBe("https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT");
  expect(urlOf("chat", "arn:aws:bedrock:x:1:inference-profile/y", "https://vpce.example/")).toBe(
    "https://vpce.example/model/arn%3Aaws%3Abedrock%3Ax%3A1%3Ainference-profile%2Fy/invoke",
  );
});

test("tokens are counted for the call that would be made", () => {
  const { count_tokens: count } = ownOperations ?? {};
  const fields = { model: "m", messages: [{ role: "user", content: "hi" }] };
  const made = count?.encodeRequest({ fields, files: {} }, () => undefined) as {
    input: { invokeModel: { body: string } };
  };
  expect(JSON.parse(Buffer.from(made.input.invokeModel.body, "base64").toString())).toEqual({
    max_tokens: 1,
    messages: fields.messages,
    anthropic_version: "bedrock-2023-05-31",
  });
  expect(count?.decodeAnswer({ inputTokens: 7 }, { fields, files: {} })).toEqual({ input_tokens: 7 });
  expect(count?.decodeAnswer({ message: "no" }, { fields, files: {} })).toBeUndefined();
});

test("its list has the names that stand for an id with its area", () => {
  const ids = [
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic.claude-next-v1:0",
    "meta.llama4-scout-17b-instruct-v1:0",
  ];
  const list = { modelSummaries: ids.map((modelId) => ({ modelId })) };
  expect(modelNames?.(list)).toEqual([
    "claude-sonnet-4-5-20250929",
    "anthropic.claude-next-v1:0",
    "meta.llama4-scout-17b-instruct-v1:0",
  ]);
});

test("a tier of service stands elsewhere", () => {
  const removed = quirks
    .filter((quirk) => quirk.appliesTo(call.model, "chat", "anthropic-messages"))
    .flatMap((quirk) => quirk.patch({ service_tier: "auto" }, parseOptions(new Map()), call.model).remove ?? []);
  expect(removed).toEqual(["service_tier"]);
});

const fixture = (name: string): string => providerFixture("aws", `${name}.json`);

test.each([
  ["403-denied", "AccessDeniedException", "auth", true],
  ["403-client", "UnrecognizedClientException", "auth", true],
  ["403-signature", "InvalidSignatureException", "auth", true],
  ["429-throttled", "ThrottlingException", "rate", true],
  ["429-throttled", "ModelNotReadyException", "overloaded", true],
  ["400-quota", "ServiceQuotaExceededException", "quota", true],
  ["400-validation", "ValidationException", "invalid", false],
  ["400-profile", "ValidationException", "invalid", true],
  ["404-missing", "ResourceNotFoundException", "invalid", true],
  ["408-timeout", "ModelTimeoutException", "timeout", false],
  ["424-model", "ModelErrorException", "overloaded", true],
  ["500-server", "InternalServerException", "overloaded", true],
  ["503-unavailable", "ServiceUnavailableException", "overloaded", true],
] as const)("%s as %s is a failure of kind %s", (name, type, kind, isRetryable) => {
  const status = Number.parseInt(name, 10);
  const headers = { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` };
  expect(failure(status, fixture(name), headers)).toMatchObject({ kind, status, isRetryable, code: type });
});

test("a status alone determines the kind too", () => {
  expect(failure(424, fixture("424-model"))).toMatchObject({ kind: "overloaded", isRetryable: true });
  expect(failure(403, fixture("403-denied"))).toMatchObject({ kind: "auth" });
});

test("an exception inside a stream is a failure, and an answer that speaks of one is none", () => {
  const data = '{"message":"slow down","__type":"throttlingException"}';
  expect(isFailure?.(`event: throttlingException\ndata: ${data}\n\n`)).toBe(true);
  expect(failure(200, data)).toMatchObject({ kind: "rate", status: 429, code: "ThrottlingException" });
  expect(failure(200, '{"message":"m","__type":"modelStreamErrorException"}')).toMatchObject({ kind: "overloaded" });
  for (const text of [
    `event: content_block_delta\ndata: {"delta":${JSON.stringify(data)}}\n\n`,
    `{"content":[{"input":${data}}]}`,
  ])
    expect(isFailure?.(text)).toBe(false);
});

test("its manifest is type 33, and each of its models has an id of its own or of its newest date", () => {
  expect(manifest).toMatchObject({ id: 33, slug: "aws", dialects: ["anthropic-messages", "vendor"] });
  expect(new Set(models).size).toBe(models.length);
  expect(models.filter((name) => !foundationId(name).startsWith("anthropic."))).toEqual([]);
});
