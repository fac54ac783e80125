/** The names, sizes and features of the tree, as data: structure-rules.ts holds every file to it. A change here is a decision, reviewed as one. */

const SERVER = "server/src";

/** The names of the files that a folder of one kind holds; `{slug}` is the folder's own name. Tests beside them are named freely. */
export interface FileVocabulary {
  required: readonly string[];
  /** What some of them have no need of; a name that is in neither list is a breach. */
  optional: readonly string[];
}

/** Files of a vendor whose provider is a folder; `{slug}.ts` defines it, and has what is not in a file of its own. */
export const PROVIDER_FILES: FileVocabulary = {
  required: ["{slug}.ts"],
  optional: [
    // models in families, and what differs by family
    "models.ts",
    "quirks.ts",
    "errors.ts",
    // the halves of a format of its own, and the parts of a request's messages where they are many
    "format-request.ts",
    "format-content.ts",
    "format-answer.ts",
    "format-stream.ts",
    // the signature of a request, and the exchange of a key for a token
    "signature.ts",
    "token.ts",
  ],
};

/** Rooms of server/src/dialects that are no wire format: what all formats share. */
export const DIALECT_ROOMS = ["neutral", "json", "stream"];

/** Files of a wire format. A concern that needs two files has one that decodes and one that encodes. */
export const DIALECT_FILES: FileVocabulary = {
  required: [
    "{slug}.ts",
    "request-info.ts",
    "request-decode.ts",
    "request-encode.ts",
    "messages-decode.ts",
    "messages-encode.ts",
    "tools.ts",
    "fields.ts",
    "answer.ts",
    "finish.ts",
    "citations.ts",
    "signature.ts",
    "usage.ts",
    "errors.ts",
    "stream/decoder.ts",
    "stream/encoder.ts",
    "stream/passthrough.ts",
  ],
  optional: [
    // the parts of a message, where they are more than its messages-* files hold
    "parts-decode.ts",
    "parts-encode.ts",
    // arguments of a call that come in pieces, each with its place
    "stream/partial-args.ts",
    // settings of a request that take a file of their own
    "settings-decode.ts",
    "reasoning.ts",
    "response-format.ts",
    "schema.ts",
    "logprobs.ts",
    // names of models and what they tell
    "models.ts",
    // tools that the client runs, and grouped ones (Responses)
    "client-tools.ts",
    "tool-names.ts",
    // a response object around its items (Responses)
    "answer-envelope.ts",
    "answer-parts.ts",
    // the channel setting thinking_to_content (chat completions)
    "thinking-in-content.ts",
    // answers of vendors whose thinking stands among the parts of the content (chat completions)
    "thinking-apart.ts",
    // what compatible vendors want otherwise (chat completions)
    "compatible.ts",
    // what all who serve the same models share: their differences, the site's settings, the envelope of cloud platforms
    "reasoning-models.ts",
    "vendors/site-settings.ts",
    "vendors/cloud.ts",
    "vendors/glm.ts",
    // what vendors of their own models take of the format (Messages, Responses)
    "vendors/compatible.ts",
    // what a stream is written of, and calls that arrive mixed
    "stream/frames.ts",
    "stream/items.ts",
    "stream/message.ts",
    "stream/tool-calls.ts",
    // calls beside chat
    "operations/embeddings.ts",
    "operations/images.ts",
    "operations/rerank.ts",
  ],
};

/** The features of the product: the same names in contract, server, web and locales. */
export const FEATURES = [
  "setup",
  "status",
  "sessions",
  "identities",
  "factors",
  "notifications",
  "audit",
  "users",
  "personal",
  "groups",
  "options",
  "prices",
  "channels",
  "configuration",
  "routing",
  "system",
  "health",
  "tokens",
  "redemptions",
  "wallet",
  "logs",
  "dashboard",
  "drawing",
  "tasks",
  "pricing",
  "playground",
  "chat",
] as const;

/** Rooms of the console beside its features. */
export const CONSOLE_ROOMS: readonly string[] = ["http", "openapi", "accounts", "kit", "telegram-bot"];

export type Side = "contract" | "server" | "web" | "locales";

/** A feature that stands on some sides only. */
export const FEATURE_EXCEPTIONS: readonly { feature: string; missing: readonly Side[]; reason: string }[] = [
  {
    feature: "factors",
    missing: ["web", "locales"],
    reason: "its parts stand on the pages of sessions and personal",
  },
  {
    feature: "drawing",
    missing: ["server", "web", "locales"],
    reason:
      "its routes stand in server/src/tasks/console, its page in web/src/features/tasks, both with those of the task log",
  },
  { feature: "tasks", missing: ["server"], reason: "its routes stand in server/src/tasks/console, with the rows" },
  { feature: "groups", missing: ["web", "locales"], reason: "choices inside the drawers of tokens and channels" },
  {
    feature: "configuration",
    missing: ["web", "locales"],
    reason: "files are applied by a command; the pages of what they manage show the marks",
  },
  { feature: "chat", missing: ["contract", "server"], reason: "frames and links to sites that the option Chats names" },
];

/** Locale files that belong to no feature. */
export const SHARED_LOCALES: readonly { name: string; reason: string }[] = [
  { name: "channel-editor", reason: "the words of a channel's form, loaded with its drawer" },
  {
    name: "availability",
    reason: "the public status page of the feature health, which visitors load without the console's texts",
  },
  { name: "channel-impact", reason: "what an act on channels takes from callers, loaded when it does" },
  { name: "connect", reason: "the words of the page that connects programs with a token, which the list does without" },
  { name: "member-steps", reason: "what a new member still needs, on two pages and loaded while there is something" },
  { name: "channel-keys", reason: "the words of the keys of channels, loaded when a drawer shows them" },
  { name: "errors", reason: "what the console says of failures on any page" },
  { name: "error-codes", reason: "one sentence for each code of contract/error-codes.ts, loaded when one is shown" },
  { name: "palette", reason: "the words of web/src/app/shell/palette, loaded when it is opened" },
  { name: "permissions", reason: "what an administrator may do, loaded with a drawer or where something is withheld" },
  { name: "shell", reason: "the words of web/src/app/shell" },
  { name: "step-up", reason: "the question that confirms who one is, loaded when it is asked" },
  { name: "ui", reason: "the words of web/src/ui" },
];

/** Names that say nothing about what is inside. */
export const EMPTY_NAMES = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff"];

/** Folders that may carry one of them. */
export const NAMED_ANYWAY: readonly { folder: string; reason: string }[] = [
  { folder: `${SERVER}/util`, reason: "the server's floor: each of its files says in its name what it holds" },
];

/** Code longer than this is cut in two. */
export const MAX_LINES = 400;

/** A folder with more files of code than this, tests not counted, is cut into rooms. */
export const MAX_FILES = 30;

/** Folders that may hold more. */
export const FULL_FOLDERS: readonly { folder: string; reason: string }[] = [
  { folder: `${SERVER}/providers`, reason: "one file a vendor, all of one form" },
  { folder: `${SERVER}/db/migrations`, reason: "one change of the schema a file, all of one form" },
];

/** Only these may read the environment; everything else is handed what it needs. */
export const ENVIRONMENT_READERS = [
  `${SERVER}/config.ts`,
  `${SERVER}/composition/run.ts`,
  `${SERVER}/command-line/main.ts`,
  // references of a configuration file name variables of the operator's terminal
  `${SERVER}/command-line/config.ts`,
  // the key of another program's database, which the server never has
  `${SERVER}/command-line/import.ts`,
  // hands the whole environment on to its thread, with a compile cache of the thread's own
  `${SERVER}/db/engines/sqlite-thread.ts`,
];

/** Calls that make a pure file impure. */
export const IMPURE =
  /\b(?:Date\.now|new Date\(|Math\.random|performance\.now|setTimeout|setInterval|setImmediate|fetch\(|process\.)/;
export const PURE_FOLDERS = [`${SERVER}/dialects/`, "contract/src/"];
