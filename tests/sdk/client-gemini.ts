/** Google's own library as a client. */
import { type Content, type GenerateContentConfig, GoogleGenAI, type Part } from "@google/genai";
import {
  ANSWER_SCHEMA,
  type Client,
  type Conversation,
  MAX_TOKENS,
  PIXEL,
  type Reply,
  SYSTEM,
  THINKING_TOKENS,
  type Turn,
  WEATHER,
} from "./matrix.ts";

function configOf(turn: Turn): GenerateContentConfig {
  const { name, description, schema } = WEATHER;
  return {
    systemInstruction: SYSTEM,
    maxOutputTokens: MAX_TOKENS,
    ...(turn.offersTools === true
      ? { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }] }
      : {}),
    ...(turn.isStructured === true ? { responseMimeType: "application/json", responseJsonSchema: ANSWER_SCHEMA } : {}),
    ...(turn.thinks === true ? { thinkingConfig: { includeThoughts: true, thinkingBudget: THINKING_TOKENS } } : {}),
  };
}

interface Counts {
  promptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
}

function replyOf(parts: readonly Part[], usage: Counts | undefined): Reply {
  const words = (isThought: boolean): string =>
    parts.flatMap((part) => ((part.thought === true) === isThought ? [part.text ?? ""] : [])).join("");
  return {
    text: words(false),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? "", input: functionCall.args }],
    ),
    thinking: words(true),
    inputTokens: usage?.promptTokenCount ?? -1,
    outputTokens: (usage?.candidatesTokenCount ?? -1) + (usage?.thoughtsTokenCount ?? 0),
  };
}

function userParts(turn: Turn, calls: readonly Part[]): Part[] {
  const results = (turn.results ?? []).map((result, index): Part => {
    const { id, name } = calls[index]?.functionCall ?? {};
    return {
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        ...(name === undefined ? {} : { name }),
        response: { result },
      },
    };
  });
  const picture: Part = { inlineData: { mimeType: "image/png", data: PIXEL } };
  const text: Part[] = turn.text === "" ? [] : [{ text: turn.text }];
  return [...results, ...text, ...(turn.hasImage === true ? [picture] : [])];
}

export const gemini: Client = {
  name: "@google/genai",
  keepsThinking: true,
  open(url, key, model): Conversation {
    const library = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
    const contents: Content[] = [];
    let calls: Part[] = [];
    return {
      async ask(turn) {
        contents.push({ role: "user", parts: userParts(turn, calls) });
        const request = { model, contents: [...contents], config: configOf(turn) };
        const parts: Part[] = [];
        let usage: Counts | undefined;
        if (turn.isStream) {
          for await (const chunk of await library.models.generateContentStream(request)) {
            parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
            usage = (chunk.usageMetadata as Counts | undefined) ?? usage;
          }
        } else {
          const answer = await library.models.generateContent(request);
          parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
          usage = answer.usageMetadata as Counts | undefined;
        }
        contents.push({ role: "model", parts });
        calls = parts.filter((part) => part.functionCall !== undefined);
        return replyOf(parts, usage);
      },
    };
  },
};
