/** A vendor of OpenAI's format by its documentation: the data that tests through the relay need. */
import type { Operation } from "../../../server/src/providers/provider.ts";

/** What a vendor's chat takes of a request; anything else is answered as its pages say. */
interface Taken {
  roles?: readonly string[];
  /** Top-level fields that it refuses, or that would be passed over although they mean something. */
  refuses?: readonly string[];
  /** Values of reasoning_effort; it refuses the field where there are none. */
  efforts?: readonly string[];
  /** What messages of a role may hold; anything where absent. */
  messages?: Readonly<Record<string, readonly string[]>>;
  /** How ids of calls look. */
  callId?: RegExp;
  /** Earlier calls need the thinking before them, unless the request switches it off where that is possible. */
  wantsThinking?: "always" | "unless_off";
}

export interface Counted {
  raw: Readonly<Record<string, unknown>>;
  /** As the receipt has it. */
  usage: Readonly<Record<string, number>>;
}

export interface CompatibleVendor extends Taken {
  name: string;
  type: number;
  model: string;
  chat: string;
  /** Where it serves the format of Responses itself. */
  responses?: string;
  /** Where it serves the format of Messages itself. */
  anthropicMessages?: string;
  /** Where it serves Gemini's format itself. */
  gemini?: RegExp;
  /** Header of the key of Messages; a bearer token where absent. */
  messagesKey?: "x-api-key";
  /** Operations in a format of its own, which have tests of their own. */
  besides?: readonly Operation[];
  /** Paths of other operations, with a model that has them. */
  embeddings?: { path: string; model: string; refuses?: readonly string[]; refusesBase64?: true };
  images?: { path: string; model: string; refuses?: readonly string[] };
  rerank?: { path: string; model: string };
  /** Field of the thinking; `parts` is a list of parts in the content. */
  thinking?: "reasoning_content" | "reasoning" | "parts";
  /** Where a stream has its usage, and whether it has to be asked for it. */
  streamUsage: "chunk_if_asked" | "in_last" | "in_choice";
  counted: Counted;
  takesTools: boolean;
  takesPictures: boolean;
  models?: string;
  completions?: string;
  /** Stands behind the fake's address in the channel's base URL. */
  basePath?: string;
  /** The channel's `other`. */
  other?: string;
  /** Calls beside chat in a format of its own, which operation-cases.ts has. */
  ownWords?: readonly Operation[];
  /** Speech and both ways of listening, at OpenAI's paths. */
  audio?: true;
}
