/** Baidu's Wenxin as its documentation has it (cloud.baidu.com/doc/WENXINWORKSHOP): tokens that end, alternating turns, one call at a time, failures inside successes. */
import type { ServerResponse } from "node:http";
import { type Fields, fieldsOf, listOf } from "../../clients/client-formats.ts";
import { type ModelCall, type OwnVendor, type SeenVendorRequest, WORDS, startHttpVendor } from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const [API_KEY, SECRET_KEY] = ["apikeyofthetest012345678", "secretkeyofthetest0123456789abcd"];
const PATH = "/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro";
const TOKEN = "24.tokenofthetest.2592000";

const FAILURES = [
  ["a token that ended", "200-expired.json", "auth"],
  ["no permission", "200-permission.json", "auth"],
  ["the day's limit", "200-daily.json", "quota"],
  ["too many requests", "200-qps.json", "rate"],
  ["a busy model", "200-busy.json", "overloaded"],
  ["a wrong argument", "200-argument.json", "invalid"],
] as const;

const fixture = (name: string): object => JSON.parse(providerFixture("wenxin", name)) as object;

const FIELDS = new Set([
  "messages",
  "stream",
  "system",
  "temperature",
  "top_p",
  "stop",
  "max_output_tokens",
  "response_format",
  "user_id",
  "functions",
  "tool_choice",
]);

function faultOf(body: Fields, { name: called }: ModelCall): string | undefined {
  const strange = Object.keys(body).find((name) => !FIELDS.has(name));
  if (strange !== undefined) return strange;
  const messages = listOf(body["messages"]).map(fieldsOf);
  if (messages.length % 2 === 0) return "the length of messages must be an odd number";
  const wrong = messages.findIndex(({ role }, at) =>
    at % 2 === 0 ? role !== "user" && role !== "function" : role !== "assistant",
  );
  if (wrong >= 0) return `the role of message ${wrong}`;
  const empty = messages.find(({ content, function_call: call }) => content === "" && call === undefined);
  if (empty !== undefined) return "content is empty";
  const nameless = messages.find(({ role, name }) => role === "function" && name !== called);
  return nameless === undefined ? undefined : "the name of a function";
}

const HEAD = { id: "as-1", object: "chat.completion", created: 1_790_000_000 };
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const calledIn = ({ name, arguments: values }: ModelCall): object => ({
  function_call: { name, arguments: JSON.stringify(values), thoughts: "" },
});

const whole = (call: ModelCall | undefined): object => ({
  ...HEAD,
  result: call === undefined ? WORDS : "",
  ...(call === undefined ? {} : calledIn(call)),
  finish_reason: call === undefined ? "normal" : "function_call",
  is_truncated: false,
  need_clear_history: false,
  usage: USAGE,
});

const pieces = (call: ModelCall | undefined): object[] => [
  ...(call !== undefined ? [] : [{ ...HEAD, sentence_id: 0, is_end: false, result: WORDS.slice(0, 4), usage: USAGE }]),
  { ...whole(call), sentence_id: 1, is_end: true, ...(call !== undefined ? {} : { result: WORDS.slice(4) }) },
];

function send(response: ServerResponse, answer: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

/** The exchange of the key; undefined for other requests. */
function exchanged({ path }: SeenVendorRequest): [answer: object, status: number] | undefined {
  const { pathname, searchParams } = new URL(path, "http://vendor");
  if (pathname !== "/oauth/2.0/token") return undefined;
  const given = [searchParams.get("grant_type"), searchParams.get("client_id"), searchParams.get("client_secret")];
  const isRight = given.join() === ["client_credentials", API_KEY, SECRET_KEY].join();
  return isRight ? [{ access_token: TOKEN, expires_in: 2_592_000 }, 200] : [fixture("401-exchange.json"), 401];
}

export const vendor: OwnVendor = {
  name: "Baidu Wenxin",
  type: 15,
  key: `${API_KEY}|${SECRET_KEY}`,
  model: "ERNIE-4.0-8K",
  takesTools: true,
  takesPictures: false,
  thinks: false,
  takesSchemas: false,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES.map(([name, , kind]) => ({ name, kind })),
  start: () =>
    startHttpVendor((request, response, running) => {
      const token = exchanged(request);
      if (token !== undefined) return send(response, ...token);
      const { pathname, searchParams } = new URL(request.path, "http://vendor");
      if (searchParams.get("access_token") !== TOKEN) return send(response, fixture("200-token.json"));
      const body = fieldsOf(JSON.parse(request.body.toString()));
      const fault = pathname === PATH ? faultOf(body, running.call) : `path ${pathname}`;
      if (fault !== undefined) {
        running.complaints.push(fault);
        return send(response, { error_code: 336_003, error_msg: fault });
      }
      const failing = FAILURES[running.failing ?? -1];
      if (failing !== undefined) return send(response, fixture(failing[1]));
      const hasResult = listOf(body["messages"]).some((message) => fieldsOf(message)["role"] === "function");
      const call = running.deed === "call" && !hasResult ? running.call : undefined;
      if (body["stream"] !== true) return send(response, whole(call));
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of pieces(call)) response.write(`data: ${JSON.stringify(piece)}\n\n`);
      response.end();
    }),
};
