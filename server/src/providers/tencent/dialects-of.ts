/** Formats of Hunyuan's chat by the key: a pair of secrets signs the vendor's own, an API key has OpenAI's. */
import type { FormatName } from "../../dialects/dialect.ts";
import { keyParts } from "../key-parts.ts";
import type { ProviderChannel } from "../provider.ts";

export const dialectsOf = (_model: string, { key }: ProviderChannel): readonly FormatName[] =>
  keyParts(key).length > 1 ? ["vendor"] : ["openai-chat"];
