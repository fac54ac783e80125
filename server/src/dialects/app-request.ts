/** Requests for apps built at the vendor, such as bots and workflows: a conversation, and none of a model's settings. */
import {
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type TextPart,
  TranslationFault,
  type Warn,
} from "./neutral/neutral.ts";

const SETTINGS = [
  ["maxTokens", "max_tokens"],
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["topK", "top_k"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
  ["seed", "seed"],
  ["stop", "stop"],
  ["hasLogprobs", "logprobs"],
  ["topLogprobs", "top_logprobs"],
  ["logitBias", "logit_bias"],
  ["reasoning", "reasoning"],
  ["metadata", "metadata"],
  ["serviceTier", "service_tier"],
  ["verbosity", "verbosity"],
] as const;

const isOfTools = ({ kind }: NeutralPart): boolean => kind === "tool_call" || kind === "tool_result";

/**
 * Throws TranslationFault where an app of this vendor cannot do what was asked, and warns of the settings that are the app's own.
 * `vendor` is its name.
 */
export function checkForApp(request: NeutralRequest, vendor: string, warn: Warn): void {
  const { tools, messages, responseFormat, choices } = request;
  const refuse = (field: string, what: string): never => {
    throw new TranslationFault(field, `The ${vendor} app behind this name ${what}.`);
  };
  if (tools.length > 0) refuse("tools", "has tools of its own and takes none with a call");
  if (messages.some(({ parts }) => parts.some(isOfTools))) refuse("messages", "takes no calls of tools and no results");
  if (responseFormat !== undefined) refuse("response_format", "answers in its own form");
  if (choices !== undefined && choices > 1) refuse("n", "gives one answer at a time");
  for (const [name, field] of SETTINGS)
    if (request[name] !== undefined && request[name] !== false) warn(field, `is set in the ${vendor} app`);
}

/** The text of a message. */
export const textIn = (parts: readonly NeutralPart[]): string =>
  parts.flatMap((part) => (part.kind === "text" || part.kind === "refusal" ? [part.text] : [])).join("");

const ROLE_NAMES = { system: "SYSTEM", user: "USER", assistant: "ASSISTANT" } as const;

interface Turn {
  role: NeutralMessage["role"];
  text: string;
}

function turnsOf(system: readonly TextPart[], messages: readonly NeutralMessage[]): Turn[] {
  const head = system.map(({ text }): Turn => ({ role: "system", text }));
  return [...head, ...messages.map(({ role, parts }): Turn => ({ role, text: textIn(parts) }))].filter(
    ({ text }) => text !== "",
  );
}

/** A whole conversation as one text: the user's message if it is the only one, else every turn after its role. */
export function conversationText({ system, messages }: NeutralRequest): string {
  const turns = turnsOf(system, messages);
  const [only] = turns;
  if (turns.length === 1 && only?.role === "user") return only.text;
  return turns.map(({ role, text }) => `${ROLE_NAMES[role]}:\n${text}`).join("\n\n");
}
