/** Gemini 2.5 at Vertex AI: the developers' format without ids of calls. */
import { geminiVendor } from "../../../fake-upstream/gemini/gemini.ts";
import { fieldsOf } from "../../clients/client-formats.ts";
import { jsonIn } from "../hosted.ts";
import { OF_GEMINI, vertexVendor } from "../vertex.ts";

const MODEL = "gemini-2.5-flash";
const TARGET = `publishers/google/models/${MODEL}:`;
const ACTIONS = ["generateContent", "streamGenerateContent?alt=sse"];

/** Also of results, in both spellings. */
const CALL_ID = /"function(?:_c|_r|C|R)(?:all|esponse)":\{"id"/;

export const vendor = vertexVendor(
  {
    name: "Vertex AI with Gemini",
    model: MODEL,
    takesTools: true,
    takesPictures: true,
    thinks: true,
    takesSchemas: true,
    counted: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64 },
  },
  "v1",
  OF_GEMINI,
  (target, request) => {
    const action = target.startsWith(TARGET) ? target.slice(TARGET.length) : "";
    if (!ACTIONS.includes(action)) return `there is no ${target}`;
    if (CALL_ID.test(request.body.toString("utf8")))
      return `Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`;
    const json = jsonIn(request);
    // Clients of chat cannot ask for what was thought; it is shown to them all the same, so that its way is driven for all.
    const { thinkingConfig } = fieldsOf(json["generationConfig"]);
    return {
      vendor: geminiVendor,
      path: `/v1beta/models/${MODEL}:${action}`,
      headers: { "x-goog-api-key": "let-in" },
      json,
      usage: { promptTokenCount: 100, cachedContentTokenCount: 64, candidatesTokenCount: 20, totalTokenCount: 120 },
      asksThinking: thinkingConfig !== undefined,
    };
  },
);
