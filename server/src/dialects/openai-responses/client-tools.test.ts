/** Tools with items of their own: offered as functions, called as their items, and decoded again to the same. */
import { expect, test } from "vitest";
import type { JsonObject, NeutralPart } from "../neutral/neutral.ts";
import { openAiResponsesDialect as dialect } from "./openai-responses.ts";
import {
  INFO,
  USAGE,
  answerOf,
  checkGrammar,
  encodeStream,
} from "../../../../tests/support/dialects/openai-responses.ts";

const PATH = { model: "", isStream: false };

const CASES: readonly (readonly [
  tool: JsonObject,
  input: JsonObject,
  fields: JsonObject,
  output: JsonObject,
  words: string,
])[] = [
  [
    { type: "local_shell" },
    { command: ["ls", "-l"], working_directory: "/repo", timeout_ms: 500 },
    { action: { type: "exec", command: ["ls", "-l"], env: {}, working_directory: "/repo", timeout_ms: 500 } },
    { type: "local_shell_call_output", output: "a.py" },
    "a.py",
  ],
  [
    { type: "shell", environment: { type: "local" } },
    { commands: ["ls", "pwd"], timeout_ms: 500, max_output_length: 9 },
    { action: { commands: ["ls", "pwd"], timeout_ms: 500, max_output_length: 9 } },
    {
      type: "shell_call_output",
      output: [
        { stdout: "a.py", stderr: "", outcome: { type: "exit", exit_code: 0 } },
        { stdout: "", stderr: "no", outcome: { type: "exit", exit_code: 2 } },
        { stdout: "", stderr: "", outcome: { type: "timeout" } },
      ],
    },
    "a.py\nno\n[exit code 2]\n[timed out]",
  ],
  [
    { type: "apply_patch" },
    { type: "update_file", path: "a.py", diff: "@@\n-a\n+b" },
    { operation: { type: "update_file", path: "a.py", diff: "@@\n-a\n+b" } },
    { type: "apply_patch_call_output", status: "completed" },
    "completed",
  ],
  [
    { type: "tool_search", execution: "client", parameters: { type: "object" } },
    { query: "issues" },
    { execution: "client", arguments: { query: "issues" } },
    { type: "tool_search_output", execution: "client", tools: [{ type: "function", name: "list" }] },
    '{"tools":[{"name":"list"}]}',
  ],
];

test.each(CASES)("%j", (tool, input, fields, output, text) => {
  const name = String(tool["type"]);
  const request = { model: "m", input: "go on", tools: [tool] };
  const offered = dialect.decodeRequest(request, PATH).tools;
  expect(offered).toMatchObject([{ kind: "function", name, parameters: { type: "object" } }]);

  const call: NeutralPart = { kind: "tool_call", id: "call_9", name, arguments: JSON.stringify(input) };
  const answer = dialect.encodeAnswer(answerOf([call], "tool_calls"), USAGE, { ...INFO, request });
  const [item] = answer["output"] as JsonObject[];
  expect(item).toEqual({ id: item?.["id"], type: `${name}_call`, status: "completed", call_id: "call_9", ...fields });

  const next = { ...request, input: [{ role: "user", content: "go on" }, item, { ...output, call_id: "call_9" }] };
  const { messages } = dialect.decodeRequest(next, PATH);
  expect(messages[1]?.parts).toEqual([call]);
  expect(messages[2]?.parts).toEqual([{ kind: "tool_result", id: "call_9", parts: [{ kind: "text", text }] }]);
});

test("as a stream the item keeps to the vendor's grammar; arguments that are no object call for nothing", () => {
  const request = { tools: [{ type: "local_shell" }] };
  for (const [text, command] of [
    ['{"command":"ls"}', ["ls"]],
    ["not JSON", []],
  ] as const) {
    const response = checkGrammar(
      encodeStream(
        [
          { kind: "tool_call", choice: 0, index: 0, id: "call_1", name: "local_shell" },
          { kind: "tool_arguments", choice: 0, index: 0, text },
          { kind: "finish", choice: 0, reason: "tool_calls" },
        ],
        { ...INFO, request },
      ),
    );
    expect(response["output"]).toMatchObject([{ type: "local_shell_call", action: { type: "exec", command } }]);
  }
});

test("a result may name the item instead of the call; searches the vendor made itself are left out", () => {
  const call = {
    type: "local_shell_call",
    id: "lsh_1",
    call_id: "call_1",
    status: "completed",
    action: { command: ["ls"] },
  };
  const server = { execution: "server", status: "completed" };
  const input = [
    { role: "user", content: "hi" },
    { type: "tool_search_call", id: "tsc_1", arguments: { paths: ["crm"] }, ...server },
    { type: "tool_search_output", id: "tso_1", tools: [{ type: "function", name: "late" }], ...server },
    call,
    { type: "local_shell_call_output", id: "lsh_1", output: "a.py" },
  ];
  const { messages, tools, unknownFields } = dialect.decodeRequest({ model: "m", input }, PATH);
  expect(messages[2]?.parts).toEqual([{ kind: "tool_result", id: "call_1", parts: [{ kind: "text", text: "a.py" }] }]);
  expect(tools).toMatchObject([{ name: "late" }]);
  expect(unknownFields).toEqual(["input[1]", "input[2]"]);
});
