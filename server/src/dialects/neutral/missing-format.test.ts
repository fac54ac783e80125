/** Failures of servers that lack a path, of models that need another format, and of a missing model or item. */
import { expect, test } from "vitest";
import { readFailure } from "./failure.ts";
import { refusesModel } from "./missing-format.ts";

const lackIn = (status: number, body: unknown): string | undefined =>
  readFailure(status, typeof body === "string" ? body : JSON.stringify(body)).missingFormat;

test.each([
  ["FastAPI (vLLM, SGLang, LiteLLM)", 404, { detail: "Not Found" }],
  ["llama.cpp", 404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } }],
  ["Go's router (Ollama)", 404, "404 page not found"],
  ["LM Studio", 200, { error: "Unexpected endpoint or method. (POST /v1/responses)" }],
  ["OpenAI and gateways of its family", 404, { error: { message: "Invalid URL (POST /v1/responses)", type: "x" } }],
  [
    "Groq",
    404,
    { error: { message: "Unknown request URL: POST /openai/v1/responses. Please check.", code: "unknown_url" } },
  ],
  ["Moonshot", 404, { code: 5, error: "url.not_found", message: "没找到对象", method: "POST" }],
  ["Azure", 404, { error: { code: "404", message: "Resource not found" } }],
  ["Fastify", 404, { message: "Route POST:/v1/responses not found", error: "Not Found", statusCode: 404 }],
  ["Kong", 404, { message: "no Route matched with those values" }],
  ["Spring", 404, { status: 404, error: "Not Found", path: "/v1/responses" }],
  ["Spring with words", 404, { status: 404, error: "Not Found", message: "No static resource v1/responses." }],
  ["Express", 404, "<!DOCTYPE html><html><body><pre>Cannot POST /v1/responses</pre></body></html>"],
  ["nginx", 404, "<html><head><title>404 Not Found</title></head></html>"],
  ["nobody", 404, ""],
  ["a method that is not allowed", 405, { detail: "Method Not Allowed" }],
  ["what is not implemented", 501, { error: { message: "API not implemented", code: "api_not_implemented" } }],
])("no such path: %s", (_name, status, body) => {
  expect(lackIn(status, body)).toBe("path");
});

const onlyResponses = "This model is only supported in v1/responses and not in v1/chat/completions.";
const noChat = "This is not a chat model and thus not supported in the v1/chat/completions endpoint.";
const noResponses = "The requested model 'gpt-4o-search-preview' is not supported with the Responses API.";

test.each([
  [404, { error: { message: onlyResponses, param: "model", code: null } }],
  [404, { error: { message: noChat, param: "model", code: null } }],
  [400, { error: { message: noResponses, param: "model", code: "model_not_found" } }],
  [500, { error: { message: "not implemented (request id: 1)", code: "convert_request_failed" } }],
])("the model has another format: %s %j", (status, body) => {
  expect(lackIn(status, body)).toBe("model");
});

test.each([
  [
    "OpenAI",
    404,
    { error: { message: "The model `x` does not exist or you do not have access to it.", code: "model_not_found" } },
  ],
  ["vLLM", 404, { object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 }],
  ["Ollama", 404, { error: { message: 'model "x" not found, try pulling it first', type: "api_error" } }],
  ["Ollama's own API", 404, { error: "model 'x' not found" }],
  [
    "Azure",
    404,
    { error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." } },
  ],
  ["a stored item", 404, { error: { message: "Item with id 'rs_1' not found.", param: "input" } }],
  ["a stored answer", 404, { error: { message: "Previous response with id 'resp_1' not found." } }],
  ["plain words", 404, "model not found"],
  ["a bad request", 400, { error: { message: "Invalid URL in image_url." } }],
  ["an overload", 503, { error: { message: "no available channel" } }],
  ["an error that came as a success", 200, { error: { message: "Not Found" } }],
])("something else is missing: %s", (_name, status, body) => {
  expect(lackIn(status, body)).toBeUndefined();
});

test.each([
  ["Moonshot", 404, "Not found the model kimi-k2 or Permission denied", ""],
  ["Model Studio", 404, "Unsupported model `qwen-mt` for OpenAI compatibility mode.", "model_not_supported"],
  ["Ark", 400, "The model doubao-seed does not support responses api.", "InvalidParameter"],
  ["Zhipu", 400, "模型不存在，请检查模型代码。", "model_not_found"],
  ["OpenAI's words", 404, "The model `m` does not exist or you do not have access to it.", ""],
])("%s refuses a model, which it may have in another format", (_name, status, message, code) => {
  expect(refusesModel({ status, message, code })).toBe(true);
});

test.each([
  [400, "Unsupported parameter: 'temperature' is not supported with this model.", "unsupported_parameter"],
  [400, "Encrypted content is not supported with this model.", ""],
  [400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"],
  [500, "The model is not available.", ""],
  [403, "No access to model m.", ""],
])("%i %j speaks of something else", (status, message, code) => {
  expect(refusesModel({ status, message, code })).toBe(false);
});

test("a page in place of an answer is a path that the server does not know", () => {
  expect(lackIn(200, "<!doctype html><html></html>")).toBe("path");
  expect(lackIn(200, "words")).toBeUndefined();
});
