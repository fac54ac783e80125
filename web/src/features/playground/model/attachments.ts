/** Files that go to a model as they are, PDF and sound: which are accepted, their size, how they are sent, and how much of them a chat stores. Pure. */
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { readsImages } from "./choices.ts";
import type { Attachment, Conversation, Message } from "./conversation.ts";

export const ATTACHMENTS_MOST = 4;
export const ATTACHMENT_BYTES_MOST = 8 * 1024 * 1024;
/** Characters of data URLs that one chat keeps in the browser, its newest files first; of the others it keeps the names. */
export const KEPT_CHARACTERS = 24 * 1024 * 1024;

type Kind = Attachment["kind"];

const SOUNDS: Readonly<Record<string, "wav" | "mp3">> = {
  "audio/wav": "wav",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/vnd.wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};
const BY_NAME: Readonly<Record<string, string>> = { pdf: "application/pdf", wav: "audio/wav", mp3: "audio/mpeg" };

/** Endings and types for a file chooser. */
export const ATTACHMENT_ACCEPT: Readonly<Record<Kind, string>> = { pdf: ".pdf", audio: ".wav,.mp3" };

/** Media type by what the browser says, or by the ending where it says nothing. */
const typeOf = ({ name, type }: { name: string; type: string }): string =>
  type === "" ? (BY_NAME[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? "") : type;

/** What a file is attached as; undefined where it is neither a PDF nor sound in a form that the chat format has (WAV and MP3). */
export function attachmentKind(file: { name: string; type: string }): Kind | undefined {
  const type = typeOf(file);
  if (type === "application/pdf") return "pdf";
  return Object.hasOwn(SOUNDS, type) ? "audio" : undefined;
}

/** Sound in another form, which is refused by its own sentence. */
export const isOtherSound = (file: { name: string; type: string }): boolean =>
  typeOf(file).startsWith("audio/") && attachmentKind(file) === undefined;

/**
 * Whether the model reads it. Models that see pictures read PDF (developers.openai.com/api/docs/guides/file-inputs). Where the price list does
 * not say what goes in, it may be tried.
 */
export const readsAttachment = (entry: Pick<PricingEntry, "input_modalities"> | undefined, kind: Kind): boolean =>
  kind === "pdf" ? readsImages(entry) : (entry?.input_modalities?.includes("audio") ?? true);

/** A page counts 1,500 to 3,000 tokens by its text alone (platform.claude.com/docs/en/build-with-claude/pdf-support). */
const TOKENS_PER_PAGE = 2_000;
/** Of a PDF whose pages are packed and cannot be counted. */
const BYTES_PER_PAGE = 50_000;
/** ai.google.dev/gemini-api/docs/audio */
const TOKENS_PER_SECOND = 32;
/** MP3 at 128 kbit/s. */
const MP3_BYTES_PER_SECOND = 16_000;
const WAV_HEAD_BYTES = 44;
const BYTE_RATE_AT = 28;

function pagesOf(bytes: Uint8Array): number {
  // Each page is a dictionary of this type; `/Pages` is the tree above them.
  const text = new TextDecoder("latin1").decode(bytes);
  const pages = text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  return pages > 0 ? pages : Math.max(1, Math.ceil(bytes.length / BYTES_PER_PAGE));
}

function secondsOf(bytes: Uint8Array, type: string): number {
  if (SOUNDS[type] !== "wav" || bytes.length < WAV_HEAD_BYTES) return bytes.length / MP3_BYTES_PER_SECOND;
  const rate = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(BYTE_RATE_AT, true);
  return rate === 0 ? 0 : bytes.length / rate;
}

/** About what a file counts as input. Vendors count differently: it is a guess before sending, never a price. */
export function attachmentTokens(file: { name: string; type: string }, bytes: Uint8Array): number {
  if (attachmentKind(file) === "pdf") return pagesOf(bytes) * TOKENS_PER_PAGE;
  return Math.ceil(secondsOf(bytes, typeOf(file)) * TOKENS_PER_SECOND);
}

/** The file as a data URL under the media type that it was taken for: `text/plain` from a browser is no PDF to a vendor. */
export function withType(file: { name: string; type: string }, url: string): string {
  const type = attachmentKind(file) === "pdf" ? "application/pdf" : `audio/${SOUNDS[typeOf(file)] ?? "mp3"}`;
  return `data:${type};base64,${url.slice(url.indexOf(",") + 1)}`;
}

export type AttachmentPart =
  | { type: "text"; text: string }
  | { type: "file"; file: { filename: string; file_data: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } };

/** As the chat format has it; of a file that this browser did not keep the model gets the name. */
export function partOf({ kind, name, url }: Attachment): AttachmentPart {
  if (url === undefined) return { type: "text", text: `[The file ${name} is no longer attached.]` };
  if (kind === "pdf") return { type: "file", file: { filename: name, file_data: url } };
  const data = url.slice(url.indexOf(",") + 1);
  return { type: "input_audio", input_audio: { data, format: url.startsWith("data:audio/wav") ? "wav" : "mp3" } };
}

/** The conversation as it is stored: its newest files whole, for as long as KEPT_CHARACTERS have room, and the names of the others. */
export function withinKept(conversation: Conversation): Conversation {
  let left = KEPT_CHARACTERS;
  const kept = (file: Attachment): Attachment => {
    const { url = "", ...named } = file;
    if (url.length > left) return named;
    left -= url.length;
    return file;
  };
  const keptThread = (thread: readonly Message[]): Message[] => thread.toReversed().map(keptMessage).toReversed();
  const keptMessage = (message: Message): Message => {
    const { attachments, versions } = message;
    return {
      ...message,
      ...(attachments === undefined ? {} : { attachments: attachments.map(kept) }),
      ...(versions === undefined ? {} : { versions: { ...versions, others: versions.others.map(keptThread) } }),
    };
  };
  return {
    ...conversation,
    lanes: conversation.lanes.map((lane) => ({ ...lane, messages: keptThread(lane.messages) })),
  };
}
