/** The type of a program on the page that connects programs: files, environment, fields, code and link, as functions of one connection. Pure. */

/** The wire formats that programs speak, by the calls that the doctor plays. */
export type Family = "messages" | "responses" | "gemini" | "chat";

/** macOS and Linux have the same paths. */
export type System = "unix" | "windows";
export type Shell = "bash" | "fish" | "powershell";
export type CodeLanguage = "shell" | "python" | "javascript";

export interface Connection {
  /** The gateway's address, without a path and without a trailing slash. */
  origin: string;
  /** With sk-. */
  key: string;
  model: string;
  operation: "chat" | "embeddings";
}

export interface ConfigFile {
  /** From the home folder, or from the project's folder where it begins with `./`. */
  paths: Readonly<Record<System, string>>;
  /** Whole file. Programs that merge say so in their words. */
  content: (connection: Connection) => string;
}

/** What a program asks for in a form of its own, by the name that the field has there. */
export interface Field {
  name: string;
  value: (connection: Connection) => string;
  isSecret?: boolean;
}

export interface Code {
  id: string;
  title: string;
  language: CodeLanguage;
  code: (connection: Connection) => string;
}

export interface Program {
  id: string;
  title: string;
  kind: "agent" | "editor" | "chat" | "library";
  family: Family;
  /** The vendor's page that says this. */
  page: string;
  /** Models that the program is made for; the first that fits is offered first. */
  prefers?: RegExp;
  /** True where it also shows embeddings. */
  embeds?: boolean;
  /** What runs first, once. */
  install?: string;
  files?: readonly ConfigFile[];
  environment?: (connection: Connection) => readonly (readonly [name: string, value: string])[];
  /** The variables stand for the file; elsewhere both are needed. */
  isEnvironmentEnough?: boolean;
  /** The command that starts it, by shell quotes. */
  run?: (connection: Connection, quote: (text: string) => string) => string;
  fields?: readonly Field[];
  codes?: readonly Code[];
  /** A link that hands address and key to the program; only followed after the person has seen where it goes. */
  links?: readonly { title: string; link: (connection: Connection) => string }[];
  /** Begins the `user-agent` of its calls; absent where it has none of its own. */
  userAgent?: RegExp;
  /** Its own servers ask the gateway: a private address does not reach. */
  needsPublicAddress?: boolean;
}

export const versioned = ({ origin }: Connection): string => `${origin}/v1`;

/** The same file below the home folder on every system. */
export const atHome = (path: string): Readonly<Record<System, string>> => ({
  unix: `~/${path}`,
  windows: `%USERPROFILE%\\${path.replaceAll("/", "\\")}`,
});

/** The same file in the project's folder. */
export const inProject = (path: string): Readonly<Record<System, string>> => ({
  unix: `./${path}`,
  windows: `.\\${path.replaceAll("/", "\\")}`,
});

export const json = (value: object): string => JSON.stringify(value, undefined, 2);
