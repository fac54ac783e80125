/** The format of Coze's agents (coze.cn/docs/developer_guides/chat_v3): a conversation there, and always events back; answers in one piece would have to be asked for again and again. */
import { checkForApp, wordsIn } from "../../dialects/app-request.ts";
import type { JsonObject, NeutralPart, NeutralRequest, Warn } from "../../dialects/neutral/neutral.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { ProviderChannel } from "../provider.ts";
import { createDecoder } from "./format-stream.ts";

/** A part of a message of several kinds: a file by its address or with its data, which before-send.ts uploads. */
function objectOfPart(part: NeutralPart): JsonObject[] {
  if (part.kind === "text" || part.kind === "refusal") return [{ type: "text", text: part.text }];
  if (part.kind !== "image" && part.kind !== "file" && part.kind !== "audio") return [];
  const { source, kind } = part;
  if (source.kind === "url") return [{ type: kind, file_url: source.url }];
  const name = part.kind === "file" && part.name !== undefined ? { name: part.name } : {};
  return [{ type: kind, data: source.data, mime_type: source.mimeType, ...name }];
}

const isFile = ({ kind }: NeutralPart): boolean => kind === "image" || kind === "file" || kind === "audio";

/** Its words, or the list of its parts, which goes as text once its files have ids. */
const contentOf = (parts: readonly NeutralPart[]): JsonObject =>
  parts.some(isFile)
    ? { content: parts.flatMap(objectOfPart), content_type: "object_string" }
    : { content: wordsIn(parts), content_type: "text" };

/** Instructions come as words of the user: there is no other place for those of a call. */
function messagesOf({ system, messages }: NeutralRequest): JsonObject[] {
  const head = system.map(({ text }) => ({ role: "user", type: "question", content: text, content_type: "text" }));
  const turns = messages
    .map(({ role, parts }) => ({
      ...(role === "assistant" ? { role, type: "answer" } : { role: "user", type: "question" }),
      ...contentOf(parts),
    }))
    .filter((message) => (message as JsonObject)["content"] !== "");
  return [...head, ...turns];
}

function encodeRequest(agentId: string, request: NeutralRequest, warn: Warn): JsonObject {
  checkForApp(request, "Coze", warn);
  if (request.system.length > 0 || request.messages.some(({ role }) => role === "system"))
    warn("messages", "instructions are given to the Coze app as words of the user");
  return {
    bot_id: agentId,
    user_id: request.user ?? "",
    stream: true,
    // Every call brings all of its turns, and the vendor keeps none of them.
    auto_save_history: false,
    additional_messages: messagesOf(request),
  };
}

export const format = ({ other }: ProviderChannel) =>
  vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(other, request, warn),
    // Every answer is asked for as events; a body in one piece is an error or nothing of theirs.
    decodeAnswer: () => undefined,
    isErrorBody: ({ code }) => typeof code === "number" && code !== 0,
    createDecoder,
  });
