/** A chat as a share link shows it, made of a conversation and made into one again. Pure. */
import {
  CHAT_SHARE_BYTES_MAX,
  CHAT_SHARE_TITLE_MAX,
  type SharedChat,
  type SharedMessage,
} from "../../../../../contract/src/features/playground.ts";
import { attachmentKind } from "./attachments.ts";
import { type Attachment, type Conversation, type Message, newId, newMessageId, titleOf } from "./conversation.ts";
import { thinkingApart } from "./stream.ts";

/** Room in the bound for what stands beside the pictures: commas, brackets and the marks around each. */
const PICTURE_MARKS = 4;

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** The server takes no zero characters. */
const storable = (text: string): string => text.replaceAll("\0", "");

function shownMessage(message: Message): SharedMessage[] {
  const { role, model, toolCalls = [], attachments = [] } = message;
  if (role === "divider") return [];
  const { content, reasoning } = thinkingApart(message);
  const isEmpty = content === "" && toolCalls.length === 0 && reasoning === "";
  // A failed answer has nothing to show; its failure names request ids and balances.
  if (role === "assistant" && isEmpty) return [];
  return [
    {
      role,
      content: storable(content),
      ...(reasoning === "" ? {} : { reasoning: storable(reasoning) }),
      ...(role === "assistant" && model !== undefined ? { model } : {}),
      ...(attachments.length === 0 ? {} : { files: attachments.map(({ name }) => storable(name)) }),
      ...(toolCalls.length === 0
        ? {}
        : {
            tool_calls: toolCalls.map((call) => ({ name: storable(call.name), arguments: storable(call.arguments) })),
          }),
    },
  ];
}

export interface Snapshot {
  title: string;
  chat: SharedChat;
  /** Pictures that are in it, and that the bound leaves out. */
  pictures: number;
  leftOut: number;
  /** Its words alone are longer than a link may show. */
  isTooLong: boolean;
}

/** What a link to this conversation would show: the versions that are shown now, and as many pictures as the bound has room for, in their order. */
export function snapshotOf(conversation: Conversation, hasSystem: boolean): Snapshot {
  const threads = conversation.lanes.map(({ model, messages }) => ({
    model,
    messages: messages.flatMap((message) =>
      shownMessage(message).map((shown) => ({ shown, images: message.images ?? [] })),
    ),
  }));
  const lanes = threads.filter(({ messages }) => messages.length > 0);
  const bare = lanes.map(({ model, messages }) => ({ model, messages: messages.map(({ shown }) => shown) }));
  const system = hasSystem && conversation.system.trim() !== "" ? { system: storable(conversation.system) } : {};
  let left = CHAT_SHARE_BYTES_MAX - bytesOf({ ...system, lanes: bare });
  const isTooLong = left < 0;
  const count = { pictures: 0, leftOut: 0 };
  const isTaken = (url: string): boolean => {
    const bytes = url.length + PICTURE_MARKS + '"images":[],'.length;
    const fits = bytes <= left;
    if (fits) left -= bytes;
    count[fits ? "pictures" : "leftOut"] += 1;
    return fits;
  };
  const chat = {
    ...system,
    lanes: lanes.map(({ model, messages }) => ({
      model,
      messages: messages.map(({ shown, images }) => {
        const kept = images.filter(isTaken);
        return kept.length === 0 ? shown : { ...shown, images: kept };
      }),
    })),
  };
  return { title: storable(titleOf(conversation)).slice(0, CHAT_SHARE_TITLE_MAX), chat, ...count, isTooLong };
}

/** A file of which the link has the name alone. */
const namedAlone = (name: string): Attachment => ({
  kind: attachmentKind({ name, type: "" }) ?? "pdf",
  name,
  bytes: 0,
  tokens: 0,
});

/** The chat as a new conversation of this person; whom its models are asked for is theirs to pay. */
export function conversationOf(
  { title, chat }: { title: string; chat: SharedChat },
  userId: number,
  nowMs: number,
): Conversation {
  const id = newId();
  const messageOf = ({ role, content, images, files, reasoning, model, tool_calls }: SharedMessage): Message => ({
    id: newMessageId(id),
    role,
    content,
    createAt: nowMs,
    status: "complete",
    ...(images === undefined ? {} : { images }),
    ...(files === undefined ? {} : { attachments: files.map(namedAlone) }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(model === undefined ? {} : { model }),
    // Without ids no result belongs to them: they are shown, and not sent again.
    ...(tool_calls === undefined ? {} : { toolCalls: tool_calls.map((call) => ({ ...call, id: newId() })) }),
  });
  return {
    id,
    userId,
    system: chat.system ?? "",
    tools: "",
    lanes: chat.lanes.map(({ model, messages }) => ({
      id: newId(),
      group: "",
      model,
      messages: messages.map(messageOf),
    })),
    updatedAt: nowMs,
    name: title,
  };
}

/** The models that wrote the answers, each once; those that were asked where no answer names one. */
export function modelsIn({ lanes }: SharedChat): string[] {
  const wrote = lanes.flatMap(({ messages }) => messages.flatMap(({ model = "" }) => (model === "" ? [] : [model])));
  return [...new Set(wrote.length > 0 ? wrote : lanes.map(({ model }) => model))];
}
