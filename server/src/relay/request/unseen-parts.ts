/** Parts of a request that its vendor reads and that cannot be counted here: stored conversations, files, addresses, results of its tools; and media in requests that are no chats. */
import { JsonFault, type JsonField, type JsonTop, fieldOf, readTopLevel, valueOf } from "../../dialects/json/bytes.ts";
import { objectOf, ownOf } from "../../dialects/json/fields.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import type { Operation } from "../../providers/provider.ts";
import { type Accepted, requestField } from "./accepted.ts";
import { entriesOf, headOf, parsedValue, valuesNamed } from "./named-values.ts";
import { hasUnseenTool } from "./offered-tools.ts";

const [QUOTE, OPEN_LIST, OPEN_OBJECT] = [34, 91, 123];
const ID = Buffer.from('"id"');

/** Fields in which an item says something itself, by its type; those of all others stand last (api-reference/responses/create, "input"). */
const OWN_CONTENT: Readonly<Record<string, readonly string[]>> = {
  // A summary is none of the thoughts.
  reasoning: ["encrypted_content", "content"],
};
const CONTENT =
  "content encrypted_content arguments input output action actions operation result results code tools".split(" ");

/** Of a call without arguments the name is all there is to say. */
const CALLED = ["call_id", "name"];

const NOTHING = /^(?:null|""|\[\s*\]|\{\s*\})$/;
/** `{}` with blanks, at most; longer values are something. */
const SHORT_BYTES = 64;

function hasValue(body: Buffer, top: JsonTop, name: string): boolean {
  const field = fieldOf(top, name);
  if (field === undefined) return false;
  const { valueStart, valueEnd } = field;
  return valueEnd - valueStart > SHORT_BYTES || !NOTHING.test(body.toString("latin1", valueStart, valueEnd));
}

function isStored(item: Buffer): boolean {
  const top = readTopLevel(item.toString("latin1"), Number.POSITIVE_INFINITY);
  const has = (name: string): boolean => hasValue(item, top, name);
  if (!has("id")) return false;
  const type = valueOf(item, top, "type");
  const content = (typeof type === "string" ? ownOf(OWN_CONTENT, type) : undefined) ?? CONTENT;
  return !content.some(has) && !CALLED.every(has);
}

/** An entry that is no object is none to any reader. */
function isStoredEntry(entry: Buffer): boolean {
  if (entry[0] !== OPEN_OBJECT || !entry.includes(ID)) return false;
  try {
    return isStored(entry);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    // It is the upstream's to refuse.
    return true;
  }
}

/** True where an item has an id, and no content of its own. */
function hasStoredItem(body: Buffer, top: JsonTop): boolean {
  const field = fieldOf(top, "input");
  if (field === undefined || !body.includes(ID)) return false;
  return entriesOf(body, field).some(({ start, end }) => isStoredEntry(body.subarray(start, end)));
}

export interface UnseenParts {
  /** Only the model's context window bounds the input. */
  readonly isUnbounded: boolean;
  /** What is unseen, or the recordings that came along, may be sound, which costs more than words. */
  readonly maySound: boolean;
  /** Pictures, by their addresses too: what they count depends on their size, not on their bytes. */
  readonly pictures: number;
  /** Parts of the conversation may be written to a cache, which costs more than reading them. */
  readonly isCached: boolean;
}

/** Names of fields and kinds as they stand in the body, quotes included: inside a text quotes are escaped, so no words look like them. */
const quoted = (words: string): readonly Buffer[] => words.split(" ").map((word) => Buffer.from(`"${word}"`));

interface FormatMarks {
  /** Fields of the request itself, where they hold something. */
  fields: readonly string[];
  /** Anywhere but among the tools, where they may be names of a client's own parameters. */
  parts: readonly Buffer[];
  sounds: readonly Buffer[];
  pictures: readonly Buffer[];
  /** How often a picture's mark stands in one picture. */
  marksPerPicture: number;
  /** Fields with a picture's media type, or with its address, where that may be data with a type: they may be of something else. */
  types: readonly Buffer[];
  areAddresses: boolean;
  /** The conversation, where it may be of plain words; absent where Google reads an entry for a list of one. */
  plain?: "messages" | "input";
}

/** By the client's format. */
const FORMATS: Readonly<Record<DialectName, FormatMarks>> = {
  "openai-chat": {
    plain: "messages",
    fields: ["web_search_options", "plugins", "search_parameters", "enable_search", "data_sources", "conversation_id"],
    parts: quoted("file file_id file_url video_url video document"),
    sounds: quoted("input_audio audio_url"),
    pictures: quoted("image_url"),
    marksPerPicture: 2,
    types: quoted("url image_url"),
    areAddresses: true,
  },
  "openai-responses": {
    plain: "input",
    fields: ["previous_response_id", "conversation", "prompt", "plugins"],
    parts: quoted("file_id file_url input_file item_reference"),
    sounds: quoted("input_audio"),
    pictures: quoted("input_image computer_screenshot"),
    marksPerPicture: 1,
    types: quoted("image_url"),
    areAddresses: true,
  },
  "anthropic-messages": {
    plain: "messages",
    fields: ["container", "mcp_servers", "plugins"],
    parts: quoted("document file_id container_upload"),
    sounds: [],
    pictures: quoted("image"),
    marksPerPicture: 1,
    types: quoted("media_type"),
    areAddresses: false,
  },
  gemini: {
    fields: ["cachedContent", "cached_content"],
    parts: quoted("fileData file_data"),
    sounds: [],
    pictures: quoted("inlineData inline_data"),
    marksPerPicture: 1,
    types: quoted("mimeType mime_type"),
    areAddresses: false,
  },
};

/**
 * Letters, digits and the marks of names and addresses that are escaped for no reason: names may hide behind them. Programs that escape
 * for browsers (Go, .NET, PHP) escape other characters.
 */
const ESCAPED_NAME = /\\u00(?:[46][1-9a-f]|[57][0-9a]|5f|2[def]|3[0-9a])/gi;
const ESCAPE = Buffer.from("\\u00");
const BACKSLASH = "\\";

/** A backslash that is escaped itself is one of the words. */
function hidesNames(body: Buffer): boolean {
  if (!body.includes(ESCAPE)) return false;
  const text = body.toString("latin1");
  return text.matchAll(ESCAPED_NAME).some(({ index }) => {
    let before = 0;
    while (text[index - 1 - before] === BACKSLASH) before += 1;
    return before % 2 === 0;
  });
}

const CACHE_MARK = Buffer.from('"cache_control"');
const AUDIO = Buffer.from('"audio"');

const PLAIN: UnseenParts = { isUnbounded: false, maySound: false, pictures: 0, isCached: false };
const HIDDEN: UnseenParts = { isUnbounded: true, maySound: false, pictures: 0, isCached: true };

/** Where a mark stands outside of one field; below 0 for nowhere. */
function indexOutside(body: Buffer, mark: Buffer, field: JsonField | undefined): number {
  const at = body.indexOf(mark);
  if (at < 0 || field === undefined || at < field.valueStart || at >= field.valueEnd) return at;
  return body.indexOf(mark, field.valueEnd);
}

function countOf(body: Buffer, marks: readonly Buffer[]): number {
  let count = 0;
  for (const mark of marks)
    for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) count += 1;
  return count;
}

/** Words that stand for a file in messages of Qwen-Long (alibabacloud.com/help/en/model-studio/long-context-qwen-long), with or without slashes that are escaped. */
const FILE_IN_WORDS = ["fileid://", "fileid:\\/\\/", "fileid:/\\/", "fileid:\\//"].map((text) => Buffer.from(text));
const FILE_SCHEME = Buffer.from("fileid:");

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== "";

/** Whether the request itself names what its vendor reads, or its words do. */
function namesStored({ body, info, form, dialect }: Accepted, { fields }: FormatMarks): boolean {
  return (
    info.top.fields.some(({ name }) => fields.includes(name) && isSet(requestField({ body, info, form }, name))) ||
    (dialect.name === "openai-chat" && body.includes(FILE_SCHEME) && FILE_IN_WORDS.some((mark) => body.includes(mark)))
  );
}

/** An answer that was spoken before stands in a conversation by its id (platform.openai.com/docs/guides/audio, "Multi-turn conversations"). */
const hasStoredSound = (body: Buffer): boolean =>
  valuesNamed(body, AUDIO).some(
    (range) => body[range.start] === OPEN_OBJECT && isSet(objectOf(parsedValue(body, range))["id"]),
  );

function hasUnseenPart({ body, info, dialect }: Accepted, marks: FormatMarks): boolean {
  const tools = fieldOf(info.top, "tools");
  if (marks.parts.some((mark) => indexOutside(body, mark, tools) >= 0)) return true;
  if (dialect.name === "openai-chat") return hasStoredSound(body);
  return dialect.name === "openai-responses" && hasStoredItem(body, info.top);
}

const DATA_TYPE = /^data:([\w.+-]+\/[\w.+-]+)[^\s,]*,/;

/** The media type of what an address stands for; undefined where that is to be fetched, empty for data of no type and Google's store of files. */
const typeBehind = (address: string): string | undefined =>
  address.startsWith("data:") ? (DATA_TYPE.exec(address)?.[1] ?? "") : address.startsWith("gs:") ? "" : undefined;

export interface ForeignTypes {
  /** Something that only the window bounds: a document, a film. */
  readonly isForeign: boolean;
  readonly isSound: boolean;
}

/** Whether what stands in a picture's place is something else, by the types in fields of these names. */
function foreignTypes(
  { body, info }: Accepted,
  { types, areAddresses }: Pick<FormatMarks, "types" | "areAddresses">,
): ForeignTypes {
  const tools = fieldOf(info.top, "tools");
  const found = { isForeign: false, isSound: false };
  for (const name of types)
    for (const range of valuesNamed(body, name, tools)) {
      const head = headOf(body, range);
      const type = head === undefined || !areAddresses ? head : typeBehind(head);
      if (type === undefined || type.startsWith("image/")) continue;
      if (type.startsWith("audio/")) found.isSound = true;
      else found.isForeign = true;
    }
  return found;
}

const NOTHING_FOREIGN: ForeignTypes = { isForeign: false, isSound: false };

/** True where the conversation is a text, or messages that hold neither lists nor objects: there is no place for a part. Items of Responses may be parts themselves. */
function isPlain({ body, info: { top } }: Accepted, { plain }: FormatMarks): boolean {
  const field = plain === undefined ? undefined : fieldOf(top, plain);
  if (field === undefined || fieldOf(top, "tools") !== undefined) return false;
  const first = body[field.valueStart];
  if (first === QUOTE) return top.lists === 0;
  return plain === "messages" && first === OPEN_LIST && top.lists === 1 && top.deepest <= 2;
}

/** The unseen parts of a chat request, in its client's format; `mediaParts` is that of other operations. */
export function unseenParts(accepted: Accepted): UnseenParts {
  const { body, form, operation, dialect } = accepted;
  if (form !== undefined || operation !== "chat") return PLAIN;
  const marks = FORMATS[dialect.name];
  if (hidesNames(body)) return HIDDEN;
  const isStored = namesStored(accepted, marks);
  const isCached = body.includes(CACHE_MARK);
  if (isPlain(accepted, marks)) return { ...PLAIN, isUnbounded: isStored, isCached };
  const pictures = Math.ceil(countOf(body, marks.pictures) / marks.marksPerPicture);
  const { isForeign, isSound } = pictures === 0 ? NOTHING_FOREIGN : foreignTypes(accepted, marks);
  return {
    isUnbounded: isStored || isForeign || hasUnseenPart(accepted, marks) || hasUnseenTool(accepted),
    maySound: isSound || marks.sounds.some((mark) => body.includes(mark)),
    pictures,
    isCached,
  };
}

export interface MediaParts {
  readonly pictures: number;
  /** Films, documents and stored files: only the model's window bounds each of them. */
  readonly films: number;
  readonly hasSound: boolean;
}

const NO_MEDIA: MediaParts = { pictures: 0, films: 0, hasSound: false };

/** Names as the vendors have them: Jina, Voyage, Cohere, Alibaba, Google. */
const PICTURES = quoted("image images image_url image_base64 inlineData inline_data");
const FILMS = quoted("video video_url video_base64 multi_images pdf file_id file_url fileData file_data");
const SOUNDS = quoted("audio audio_url input_audio");
const ADDRESSES = { types: quoted("url image image_url"), areAddresses: true };
const MEDIA_TYPES = { types: quoted("mimeType mime_type"), areAddresses: false };

/** Of edits: lists of pictures, and the fields by which one of them is named. */
const [EDITED, NAMED] = [quoted("image images"), quoted("image_url file_id")];

/** Values under these names, of a list its entries. */
function countNamed(body: Buffer, names: readonly Buffer[]): number {
  let count = 0;
  for (const name of names)
    for (const { start, end } of valuesNamed(body, name))
      count += body[start] === OPEN_LIST ? [...entriesOf(body, { valueStart: start, valueEnd: end })].length : 1;
  return count;
}

/** Pictures to edit and their masks, in a form or as JSON. */
function editedPictures({ body, form }: Accepted): MediaParts {
  const pictures =
    form === undefined
      ? Math.max(countNamed(body, EDITED), countNamed(body, NAMED))
      : form.parts.filter(({ isFile }) => isFile).length;
  return { ...NO_MEDIA, pictures };
}

function embeddedMedia(accepted: Accepted): MediaParts {
  const { body } = accepted;
  if (hidesNames(body)) return { ...NO_MEDIA, films: 1 };
  const pictures = countNamed(body, PICTURES);
  const [found, typed] = [foreignTypes(accepted, ADDRESSES), foreignTypes(accepted, MEDIA_TYPES)];
  const foreign = found.isForeign || typed.isForeign ? Math.max(1, pictures) : 0;
  return {
    pictures,
    films: countNamed(body, FILMS) + foreign,
    hasSound: found.isSound || typed.isSound || countNamed(body, SOUNDS) > 0,
  };
}

const READERS: Readonly<Partial<Record<Operation, (accepted: Accepted) => MediaParts>>> = {
  embeddings: embeddedMedia,
  rerank: embeddedMedia,
  image_edits: editedPictures,
  images: editedPictures,
};

/** What a request has of media; nothing where its operation reads words alone. */
export const mediaParts = (accepted: Accepted): MediaParts => READERS[accepted.operation]?.(accepted) ?? NO_MEDIA;
