/** FastGPT by its documentation: its address, its own conversation fields, settings of the app, and failures. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { fastgpt } from "./fastgpt.ts";

const { changed, failed, headers, isFailure, sent, url } = documentedProvider(fastgpt);

test("calls go to the site or the private address, with the key as it is", () => {
  expect(url("/v1/chat/completions")).toBe("https://api.fastgpt.in/api/v1/chat/completions");
  expect(url("/v1/chat/completions", { baseUrl: "http://10.0.0.5:3000/api/" })).toBe(
    "http://10.0.0.5:3000/api/v1/chat/completions",
  );
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("its own fields are passed on, and what the app sets is dropped with a warning", () => {
  const own = { model: "m", messages: [], chatId: "c-1", detail: true, variables: { name: "Ann" } };
  expect(sent({ ...own, temperature: 0, tools: [] })).toEqual(own);
  expect(changed({ ...own, temperature: 0, tools: [] })).toEqual(["temperature", "tools"]);
});

test.each([
  ["514-key", "auth"],
  ["403-key", "auth"],
  ["500-points", "quota"],
  ["500-server", "overloaded"],
])("the failure %s is of the kind %s", (name, kind) => {
  expect(failed(`${name}.json`)).toMatchObject({ kind, isRetryable: true });
});

test("events named error and bodies with their code are failures; events of a flow and text about errors are none", () => {
  expect(isFailure('event: error\ndata: {"message":"core.chat.Error"}\n\n')).toBe(true);
  expect(isFailure('{"code":514,"statusText":"unAuthApiKey","message":"Key is error","data":null}')).toBe(true);
  expect(isFailure('event: flowNodeStatus\ndata: {"status":"running","name":"AI"}\n\n')).toBe(false);
  expect(isFailure('data: {"choices":[{"delta":{"content":"event: error"}}]}\n\n')).toBe(false);
});
