/** Aggregates the events of a streamed answer into one buffered answer: the inverse of eventsOf. Part of the hub. */
import { addAll, listOf } from "../json/fields.ts";
import type {
  Citation,
  FinishReason,
  JsonObject,
  NeutralAnswer,
  NeutralEvent,
  NeutralPart,
  ToolCallPart,
} from "../neutral/neutral.ts";

type ChoiceEvent = Extract<NeutralEvent, { choice: number }>;
type Of<Kind extends ChoiceEvent["kind"]> = Extract<ChoiceEvent, { kind: Kind }>;

interface OpenChoice {
  answer: { parts: NeutralPart[]; finish: FinishReason; stopSequence?: string; logprobs?: JsonObject };
  /** Those of the parts that are calls of tools. */
  calls: ToolCallPart[];
  /** Content of its log probabilities. */
  tokens: unknown[];
}

/** Thoughts and the signatures behind them: a signature without thoughts stands alone. */
function addReasoning(parts: NeutralPart[], event: Of<"reasoning" | "signature">): void {
  const last = parts.at(-1);
  const open = last?.kind === "reasoning" && last.signature === undefined ? last : undefined;
  if (event.kind === "reasoning") {
    if (open === undefined) parts.push({ kind: "reasoning", text: event.text });
    else open.text += event.text;
    return;
  }
  const { signature, isRedacted } = event;
  if (isRedacted === true) parts.push({ kind: "reasoning", text: "", signature, isRedacted });
  else if (open === undefined) parts.push({ kind: "reasoning", text: "", signature });
  else open.signature = signature;
}

/** Text, and the sources of the text before them. */
function addText(parts: NeutralPart[], event: Of<"text" | "refusal" | "citation">): void {
  if (event.kind !== "citation") {
    const last = parts.at(-1);
    if (last?.kind === event.kind) last.text += event.text;
    else parts.push({ kind: event.kind, text: event.text });
    return;
  }
  const text = parts.findLast((part) => part.kind === "text");
  if (text === undefined) return;
  // The list was made here and is not shared yet.
  if (text.citations === undefined) text.citations = [event.citation];
  else (text.citations as Citation[]).push(event.citation);
}

function addCall({ answer, calls }: OpenChoice, event: Of<"tool_call" | "tool_arguments">): void {
  if (event.kind === "tool_arguments") {
    const open = calls[event.index];
    if (open !== undefined) open.arguments += event.text;
    return;
  }
  const { id, name, signature } = event;
  const call: ToolCallPart = {
    kind: "tool_call",
    id,
    name,
    arguments: "",
    ...(signature === undefined ? {} : { signature }),
  };
  answer.parts.push(call);
  calls.push(call);
}

function addLogprobs({ answer, tokens }: OpenChoice, { logprobs }: Of<"logprobs">): void {
  addAll(tokens, listOf(logprobs["content"]));
  answer.logprobs = answer.logprobs === undefined ? logprobs : { ...logprobs, content: tokens };
}

function addEvent(choice: OpenChoice, event: ChoiceEvent): void {
  const { answer } = choice;
  switch (event.kind) {
    case "text":
    case "refusal":
    case "citation":
      return addText(answer.parts, event);
    case "reasoning":
    case "signature":
      return addReasoning(answer.parts, event);
    case "tool_call":
    case "tool_arguments":
      return addCall(choice, event);
    case "image":
    case "audio":
      return void answer.parts.push({ kind: event.kind, source: event.source });
    case "search":
      return void answer.parts.push(event.search);
    case "logprobs":
      return addLogprobs(choice, event);
    case "finish":
      answer.finish = event.reason;
      if (event.stopSequence !== undefined) answer.stopSequence = event.stopSequence;
  }
}

/** Takes events in their order; what they have made so far is the answer. */
export class AnswerAggregator {
  readonly #choices: OpenChoice[] = [];
  #head: Pick<NeutralAnswer, "id" | "fingerprint"> = { id: "" };
  #rawUsage: unknown = undefined;

  take(event: NeutralEvent): void {
    if (event.kind === "start") this.#start(event);
    else if (event.kind === "usage") this.#rawUsage = event.raw;
    else if ("choice" in event) addEvent(this.#choice(event.choice), event);
  }

  #start({ id, fingerprint }: Extract<NeutralEvent, { kind: "start" }>): void {
    this.#head = { id, ...(fingerprint === undefined ? {} : { fingerprint }) };
  }

  #choice(index: number): OpenChoice {
    let last = this.#choices[index];
    while (last === undefined) {
      this.#choices.push({ answer: { parts: [], finish: "stop" }, calls: [], tokens: [] });
      last = this.#choices[index];
    }
    return last;
  }

  get answer(): NeutralAnswer {
    const choices = this.#choices.map(({ answer }) => answer);
    const none = { parts: [], finish: "stop" as const };
    return { ...this.#head, choices: choices.length === 0 ? [none] : choices, rawUsage: this.#rawUsage };
  }
}
