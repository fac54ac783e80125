/** Text files attached to a prompt: which are accepted, how they are sent, and their maximum cost. Pure. */
import type { Attachment, Conversation, Lane } from "./conversation.ts";
import { context } from "./edits.ts";
import { estimated, type PricedModel } from "./prompt-set.ts";
import { apiMessages } from "./request.ts";

export interface TextFile {
  name: string;
  text: string;
}

export const FILES_MOST = 5;
export const FILE_BYTES_MOST = 256 * 1024;

const TEXT_TYPE = /^(?:text\/|application\/(?:json|xml|x-yaml|yaml|toml|sql|javascript|x-sh)$)/;
const TEXT_NAME =
  /\.(?:txt|md|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|log|html?|css|[cm]?[jt]sx?|py|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|sql|tex)$/i;

/** Endings and types for a file chooser. */
export const TEXT_ACCEPT = "text/*,.md,.csv,.json,.jsonl,.xml,.yaml,.yml,.toml,.log,.ts,.tsx,.py,.go,.rs,.sql,.tex";

/** Whether a file is text by its type, or by its name where browsers know no type. */
export const isText = ({ name, type }: { name: string; type: string }): boolean =>
  !type.startsWith("image/") && (TEXT_TYPE.test(type) || TEXT_NAME.test(name));

/** A fence longer than any in the text. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  return "`".repeat(longest + 1);
}

/** The prompt with its files behind it, each under its name. */
export function withFiles(prompt: string, files: readonly TextFile[]): string {
  const parts = files.map(({ name, text }) => {
    const fence = fenceFor(text);
    return `${name}\n${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
  });
  return [prompt, ...parts].filter((part) => part !== "").join("\n\n");
}

const CHARACTERS_PER_TOKEN = 4;

const tokensOf = (attachments: readonly Attachment[], kind: Attachment["kind"]): number =>
  attachments.reduce((sum, file) => sum + (file.kind === kind ? file.tokens : 0), 0);

/** Characters of what a lane has said so far and is sent again; pictures are none, and attached files are counted apart. */
function charactersBefore({ system }: Conversation, { messages }: Lane): number {
  const before = messages.map((message) => ({ ...message, images: [], attachments: [] }));
  return apiMessages(system, before).reduce(
    (sum, { content }) => sum + (typeof content === "string" ? content.length : 0),
    0,
  );
}

export interface InputEstimate {
  tokens: number;
  usd: number;
  isWhole: boolean;
}

/** What a prompt is taken to cost with everything said before, over all models that it goes to. */
export function inputEstimate(
  conversation: Conversation,
  prompt: string,
  priced: readonly PricedModel[],
  attachments: readonly Attachment[] = [],
): InputEstimate {
  const lanes = conversation.lanes.map((lane, index) => {
    const sent = [...context(lane.messages).flatMap((message) => message.attachments ?? []), ...attachments];
    const model = priced[index];
    const words = Math.ceil((charactersBefore(conversation, lane) + prompt.length) / CHARACTERS_PER_TOKEN);
    const [documents, sound] = [tokensOf(sent, "pdf"), tokensOf(sent, "audio")];
    // Sound costs a multiple of words where its price says so.
    const counted = words + documents + sound * (model?.entry?.audio_ratio ?? 1);
    const price = estimated(
      [" ".repeat(Math.ceil(counted * CHARACTERS_PER_TOKEN))],
      "",
      priced.slice(index, index + 1),
    );
    return { tokens: words + documents + sound, ...price };
  });
  return {
    tokens: lanes.reduce((sum, { tokens }) => sum + tokens, 0),
    usd: lanes.reduce((sum, { usd }) => sum + usd, 0),
    isWhole: lanes.every(({ isWhole }) => isWhole),
  };
}
