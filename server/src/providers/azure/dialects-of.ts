/** Formats of a channel: Responses are part of the v1 surface; with dated versions only previews have them. */
import type { Provider } from "../provider.ts";
import { isDated, versionOf } from "./endpoint.ts";

export const dialectsOf: NonNullable<Provider["dialectsOf"]> = (_model, channel) =>
  isDated(versionOf(channel)) ? ["openai-chat"] : ["openai-chat", "openai-responses"];
