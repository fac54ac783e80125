/** Moves pictures that a model made in earlier turns into the next user message, for formats whose assistant can hold none; part of the hub. */
import { addAll } from "../json/fields.ts";
import type { ImagePart, NeutralMessage } from "./neutral.ts";

/** Returns the same messages if no assistant has pictures. Those after the last user message become a message of their own. */
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
