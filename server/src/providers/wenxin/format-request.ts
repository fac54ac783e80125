/** Neutral requests -> Wenxin's chat (cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t): turns alternate, each call has its result after it. */
import { defined } from "../../dialects/json/fields.ts";
import {
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  toolNames,
  type ToolCallPart,
  type ToolResultPart,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import {
  conversationOf,
  refuseImpossible,
  resultText,
  type Turn,
  warnOfUnsupported,
  joinedText,
} from "../../dialects/vendor-turns.ts";

const MIN_TOKENS = 2;
const MAX_STOPS = 4;

type Message = { role: "user" | "assistant" | "function"; content: string } & Readonly<Record<string, unknown>>;

function refuseMedia(parts: readonly NeutralPart[]): void {
  const media = parts.find(({ kind }) => kind === "image" || kind === "file" || kind === "audio");
  if (media !== undefined) throw new TranslationFault("messages", `this model takes text only, no ${media.kind} parts`);
}

const callMessage = ({ name, arguments: json }: ToolCallPart, content: string): Message => ({
  role: "assistant",
  content,
  function_call: { name, arguments: json },
});

/** One turn with calls and the results of the next: the vendor takes them in pairs. */
class Writer {
  readonly messages: Message[] = [];
  readonly #names: ReadonlyMap<string, string>;
  readonly #warn: Warn;
  /** Calls whose results have not come. */
  #waiting: ToolCallPart[] = [];

  constructor(names: ReadonlyMap<string, string>, warn: Warn) {
    this.#names = names;
    this.#warn = warn;
  }

  write({ role, parts }: Turn): void {
    refuseMedia(parts);
    if (role === "assistant") this.#assistant(parts);
    else this.#user(parts);
  }

  #assistant(parts: readonly NeutralPart[]): void {
    if (parts.some(({ kind }) => kind === "reasoning"))
      this.#warn("reasoning", "this model takes no thinking of earlier turns");
    const [first, ...more] = parts.filter((part) => part.kind === "tool_call");
    const text = joinedText(parts);
    if (first === undefined) this.messages.push({ role: "assistant", content: text });
    else this.messages.push(callMessage(first, text));
    this.#waiting = first === undefined ? [] : [first, ...more];
  }

  #result(result: ToolResultPart, isFirst: boolean): void {
    if (result.isError === true) this.#warn("messages", "this model cannot be told that a tool's result is an error");
    const call = this.#waiting.find(({ id }) => id === result.id);
    if (!isFirst && call !== undefined) this.messages.push(callMessage(call, ""));
    const name = result.name ?? this.#names.get(result.id) ?? "";
    this.messages.push({ role: "function", name, content: resultText(result.parts) });
  }

  #user(parts: readonly NeutralPart[]): void {
    const results = parts.filter((part) => part.kind === "tool_result");
    const [first] = this.#waiting;
    // The first call stands already: its result comes first.
    const ordered = results.toSorted((a, b) => Number(b.id === first?.id) - Number(a.id === first?.id));
    for (const [at, result] of ordered.entries()) this.#result(result, at === 0);
    this.#waiting = [];
    const text = joinedText(parts);
    const last = this.messages.at(-1);
    if (results.length === 0) this.messages.push({ role: "user", content: text });
    else if (text !== "" && last !== undefined) {
      this.#warn("messages", "this model takes words behind a tool's result as part of it");
      this.messages.splice(-1, 1, { ...last, content: `${last.content}\n\n${text}` });
    }
  }
}

function toolFields({ tools, toolChoice }: NeutralRequest): JsonObject {
  const functions = tools.filter((tool) => tool.kind === "function");
  if (functions.length === 0 || toolChoice?.kind === "none") return {};
  const fields = {
    functions: functions.map(({ name, description, parameters }) => ({
      name,
      description: description ?? name,
      parameters,
    })),
  };
  if (toolChoice === undefined || toolChoice.kind === "auto") return fields;
  const [only] = functions;
  const name = toolChoice.kind === "tool" ? toolChoice.name : functions.length === 1 ? only?.name : undefined;
  if (name === undefined)
    throw new TranslationFault("tool_choice", "this model can be made to call one certain tool only");
  return { ...fields, tool_choice: { type: "function", function: { name } } };
}

function formatOf({ responseFormat }: NeutralRequest): string | undefined {
  if (responseFormat?.kind === "json_schema")
    throw new TranslationFault("response_format", "this model answers in JSON, but not in the form of a schema");
  return responseFormat === undefined ? undefined : "json_object";
}

function temperatureOf({ temperature }: NeutralRequest, warn: Warn): number | undefined {
  if (temperature === undefined || (temperature > 0 && temperature <= 1)) return temperature;
  warn("temperature", "this model takes temperatures above 0 and up to 1");
  return temperature > 1 ? 1 : 0.01;
}

function stopOf({ stop }: NeutralRequest, warn: Warn): readonly string[] | undefined {
  if (stop !== undefined && stop.length > MAX_STOPS) warn("stop", `this model takes ${MAX_STOPS} stop sequences`);
  return stop?.slice(0, MAX_STOPS);
}

/** Throws TranslationFault where the API cannot do what was asked. */
export function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  refuseImpossible(request, { takesTools: true, takesFormats: true }, warn);
  warnOfUnsupported(request, ["maxTokens", "temperature", "topP", "stop", "user"], warn);
  const { system, turns } = conversationOf(request, warn);
  const writer = new Writer(toolNames(request.messages), warn);
  for (const turn of turns) writer.write(turn);
  const { maxTokens, topP, user } = request;
  return {
    messages: writer.messages,
    stream: request.isStream,
    ...defined({
      system: system === "" ? undefined : system,
      temperature: temperatureOf(request, warn),
      top_p: topP,
      stop: stopOf(request, warn),
      max_output_tokens: maxTokens === undefined ? undefined : Math.max(maxTokens, MIN_TOKENS),
      response_format: formatOf(request),
      user_id: user,
    }),
    ...toolFields(request),
  };
}
