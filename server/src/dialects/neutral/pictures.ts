/** Pictures in conversations: the check of image parts, and pictures of a model for formats whose assistant can hold none; part of the hub. */
import { addAll } from "../json/fields.ts";
import type { ImagePart, MediaSource, NeutralMessage } from "./neutral.ts";

/** Behind the name of the field, for the client. */
export const NO_PICTURE = "must be a picture, of a media type that begins with image/: send anything else as a file";

/**
 * True for an image part that holds an image: documents and videos count as many times its tokens. An address may be of anything until it
 * was fetched.
 */
export const isPicture = (source: MediaSource): boolean =>
  source.kind === "url" || source.mimeType.trim().toLowerCase().startsWith("image/");

/**
 * Moves pictures that a model made in earlier turns into the next user message. Returns the same messages if no assistant has pictures;
 * those after the last user message become a message of their own.
 */
export function withCarriedImages(messages: readonly NeutralMessage[]): readonly NeutralMessage[] {
  if (!messages.some(({ role, parts }) => role === "assistant" && parts.some(({ kind }) => kind === "image")))
    return messages;
  const carried: ImagePart[] = [];
  const moved = messages.map((message) => {
    const { role, parts } = message;
    if (role === "assistant") {
      addAll(
        carried,
        parts.filter((part) => part.kind === "image"),
      );
      return { ...message, parts: parts.filter(({ kind }) => kind !== "image") };
    }
    if (role !== "user" || carried.length === 0) return message;
    const results = parts.filter(({ kind }) => kind === "tool_result");
    const rest = parts.filter(({ kind }) => kind !== "tool_result");
    return { ...message, parts: [...results, ...carried.splice(0), ...rest] };
  });
  return carried.length === 0 ? moved : [...moved, { role: "user", parts: carried }];
}
