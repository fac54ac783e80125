/** The list of programs to connect, and look-ups in it. Pure. */
import { CHAT_PROGRAMS } from "./chat-programs.ts";
import { CODING_AGENTS } from "./coding-agents.ts";
import { EDITORS } from "./editors.ts";
import { LIBRARIES } from "./libraries.ts";
import type { Connection, Family, Program } from "./program.ts";

export const PROGRAMS: readonly Program[] = [...CODING_AGENTS, ...EDITORS, ...CHAT_PROGRAMS, ...LIBRARIES];

const EMBEDDING = /embed|(?:^|[-/])(?:bge|gte|e5|m3e)(?:-|$)/i;

/** Which call a model is for, judged by its name as vendors write it. */
export const operationOf = (model: string): Connection["operation"] => (EMBEDDING.test(model) ? "embeddings" : "chat");

/** The program of an id; undefined where there is none. */
export const programOf = (id: string): Program | undefined => PROGRAMS.find((program) => program.id === id);

/** Whether a program can use a model of this operation. */
export const canUse = (program: Program, operation: Connection["operation"]): boolean =>
  operation === "chat" || program.embeds === true;

/** The model that is offered first: one that the program is made for, then one that chats; "" where there is none. */
export function firstModel(program: Program, models: readonly string[]): string {
  const chats = models.filter((model) => operationOf(model) === "chat");
  return chats.find((model) => program.prefers?.test(model) === true) ?? chats[0] ?? models[0] ?? "";
}

/** The path that each family's calls come in at, as the log has it. */
const PATHS: Readonly<Record<Family, RegExp>> = {
  messages: /^\/v1\/messages$/,
  responses: /^\/v1\/responses$/,
  gemini: /^\/v1(?:beta\d?|alpha)?\/.*models\/.+:\w+$/,
  chat: /^\/v1\/(?:chat\/completions|embeddings)$/,
};

/** What the log says of a call: the path it came in at, and the program by its `user-agent` where that is known. */
export interface SeenCall {
  endpoint: string;
  client: string;
}

/** Whether a call is one of the program: by its `user-agent`; of a program that has none of its own, a call of an unknown one in its format. */
export function isCallOf(program: Program, { endpoint, client }: SeenCall): boolean {
  if (client !== "") return client === program.id;
  return program.userAgent === undefined && PATHS[program.family].test(endpoint);
}

/** The longest `user-agent` that is looked at, in characters. */
const USER_AGENT_CHARACTERS = 256;

const NAMED_PROGRAMS = PROGRAMS.filter(({ userAgent }) => userAgent !== undefined);

/** The id of the program that sends this `user-agent`; "" where it is none of the table. */
export function programOfUserAgent(userAgent: string): string {
  if (userAgent === "") return "";
  const text = userAgent.slice(0, USER_AGENT_CHARACTERS);
  return NAMED_PROGRAMS.find((program) => program.userAgent?.test(text) === true)?.id ?? "";
}
