/** Exports a conversation as a file, and searches conversations: both by what is shown, without data of the browser's own. Pure. */
import { type Conversation, type Message, titleOf } from "./conversation.ts";
import { thinkingApart } from "./stream.ts";

export const EXPORTS = ["markdown", "json"] as const;
export type ExportFormat = (typeof EXPORTS)[number];

/** Who speaks, in the reader's language. */
export type RoleNames = Readonly<Record<"user" | "assistant" | "tool", string>>;

interface ExportedFile {
  name: string;
  type: string;
  text: string;
}

const headOf = ({ role, model }: Message, names: RoleNames): string =>
  role === "assistant" && model !== undefined ? `${names.assistant} (${model})` : names[role as keyof RoleNames];

function messageText(message: Message, names: RoleNames): string {
  if (message.role === "divider") return "---";
  const pictures = (message.images ?? []).map((url) => `![](${url})`);
  const files = (message.attachments ?? []).map(({ name }) => `[${name}]`);
  const calls = (message.toolCalls ?? []).map(({ name, arguments: text }) => `\`${name}(${text})\``);
  const { content } = thinkingApart(message);
  const parts = [
    `**${headOf(message, names)}**`,
    ...pictures,
    ...files,
    content,
    ...calls,
    message.failure?.message ?? "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** What is shown, as Markdown: each model beside others under a head of its own. */
function markdownOf(conversation: Conversation, names: RoleNames): string {
  const { system, lanes } = conversation;
  const title = titleOf(conversation);
  const head = [
    title === "" ? "" : `# ${title.replaceAll(/\s+/g, " ")}`,
    system === "" ? "" : `> ${system.replaceAll("\n", "\n> ")}`,
  ];
  const threads = lanes.flatMap(({ model, messages }) => [
    lanes.length > 1 ? `## ${model}` : "",
    ...messages.map((message) => messageText(message, names)),
  ]);
  return `${[...head, ...threads].filter((part) => part !== "").join("\n\n")}\n`;
}

/** Everything of it but whose it is, with all versions. */
function jsonOf(conversation: Conversation): string {
  const { userId: _userId, ...rest } = conversation;
  return `${JSON.stringify(rest, null, 2)}\n`;
}

const FILES = { markdown: { ending: "md", type: "text/markdown" }, json: { ending: "json", type: "application/json" } };
const FILE_NAME_MOST = 60;

/** The conversation as a file, named by its title. */
export function exported(conversation: Conversation, format: ExportFormat, names: RoleNames): ExportedFile {
  const { ending, type } = FILES[format];
  const words = titleOf(conversation)
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, FILE_NAME_MOST);
  const text = format === "json" ? jsonOf(conversation) : markdownOf(conversation, names);
  return { name: `${words || "chat"}.${ending}`, type, text };
}

const wordsIn = (conversation: Conversation): string =>
  [titleOf(conversation), ...conversation.lanes.flatMap(({ messages }) => messages.map(({ content }) => content))]
    .join("\n")
    .toLowerCase();

/** Conversations in which each of the words stands, pinned ones first; all for no words. */
export function found(list: readonly Conversation[], search: string): Conversation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting =
    words.length === 0
      ? list
      : list.filter((each) => ((text) => words.every((word) => text.includes(word)))(wordsIn(each)));
  return [
    ...fitting.filter(({ isPinned }) => isPinned === true),
    ...fitting.filter(({ isPinned }) => isPinned !== true),
  ];
}
