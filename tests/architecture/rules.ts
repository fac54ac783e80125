/** The rules of the house as data: who may import whom, which files and features must exist, which exceptions were reviewed. */

/** A part of the tree and what it may import beside itself. The longest matching folder decides, the first of equal length. */
export interface Zone {
  /** Folder or file from the root. `*` stands for one folder, `*.ts` for one file; each is a zone of its own: a/x may not import a/y. */
  at: string;
  /** Folders or files it may import; `*` as above. */
  imports: readonly string[];
  /** The same, for `import type` only. */
  types?: readonly string[];
  /** npm packages: all, or these. */
  npm: "all" | readonly string[];
  /** Modules of Node: all, or these. */
  node: "all" | readonly string[];
}

const SERVER = "server/src";
const EVERY_SERVER_PART = [SERVER, "contract/src"];
const STORAGE = ["contract/src", `${SERVER}/db`, `${SERVER}/cache`, `${SERVER}/observe`];
const ACTORS = [
  ...STORAGE,
  ...["snapshot", "billing", "channels", "notify", "prices"].map((room) => `${SERVER}/${room}`),
];
/** The type of what config.ts read: whoever is handed a part of it may name it. */
const CONFIG_TYPE = [`${SERVER}/config.ts`];
/** The composition root: what starts, joins and stops the parts. Only this knows every part. */
const COMPOSITION = ["main.ts", "app.ts", "composition"];
/** Pure code: no I/O, no clock, no random. */
const PURE_NODE = ["node:buffer", "node:string_decoder"];

/** What all vendors share: the other files of server/src/providers are one vendor each, and registry.ts lists them. */
const PROVIDER_HUB = ["provider", "define", "native-formats", "balance", "outgoing", "provider-fault", "key-parts"].map(
  (name) => `${SERVER}/providers/${name}.ts`,
);

/** Rooms of the relay from the ground up: each imports from those before it alone, and relay.ts and router.ts stand on top of all. */
const RELAY_FLOORS = [
  "call",
  "request",
  "metering",
  "admission",
  "reply",
  "routing",
  "attempt",
  "probe",
  "realtime",
  "tasks",
  "listings",
];
const RELAY = {
  imports: [
    "contract/src",
    `${SERVER}/dialects`,
    `${SERVER}/providers/registry.ts`,
    `${SERVER}/providers/provider-fault.ts`,
    `${SERVER}/upstream`,
    `${SERVER}/snapshot`,
    `${SERVER}/billing`,
    `${SERVER}/channels`,
    `${SERVER}/cache`,
    `${SERVER}/observe`,
    `${SERVER}/tasks/kinds`,
  ],
  types: [`${SERVER}/providers/provider.ts`, `${SERVER}/providers/outgoing.ts`, ...CONFIG_TYPE],
  npm: ["undici", "ipaddr.js", "busboy", "music-metadata", "ws"],
  node: "all" as const,
};

export const ZONES: readonly Zone[] = [
  { at: "contract/src", imports: [], npm: ["zod"], node: [] },

  ...COMPOSITION.map((name) => ({
    at: `${SERVER}/${name}`,
    imports: EVERY_SERVER_PART,
    npm: "all" as const,
    node: "all" as const,
  })),
  {
    at: `${SERVER}/stores`,
    imports: [...STORAGE],
    types: ["idempotency-store.ts", "call-counter.ts", "key-counter.ts", "access-tokens.ts"].map(
      (file) => `${SERVER}/relay/call/${file}`,
    ),
    npm: ["kysely"],
    node: ["node:buffer", "node:timers/promises"],
  },
  { at: `${SERVER}/config.ts`, imports: ["contract/src"], npm: "all", node: "all" },
  { at: `${SERVER}/http`, imports: ["contract/src", `${SERVER}/observe`], types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/dialects`, imports: ["contract/src"], npm: [], node: PURE_NODE },
  // What all formats share knows none of them.
  {
    at: `${SERVER}/dialects/neutral`,
    imports: ["contract/src", `${SERVER}/dialects/json`],
    npm: [],
    node: PURE_NODE,
  },
  { at: `${SERVER}/dialects/json`, imports: ["contract/src", `${SERVER}/dialects/neutral`], npm: [], node: PURE_NODE },
  {
    at: `${SERVER}/dialects/stream`,
    imports: ["contract/src", `${SERVER}/dialects/neutral`, `${SERVER}/dialects/json`],
    npm: [],
    node: PURE_NODE,
  },
  ...PROVIDER_HUB.map((file) => ({
    at: file,
    imports: ["contract/src", `${SERVER}/dialects`, ...PROVIDER_HUB],
    types: [`${SERVER}/upstream`],
    npm: [],
    node: [],
  })),
  { at: `${SERVER}/providers/registry.ts`, imports: [`${SERVER}/providers`], npm: [], node: [] },
  // A vendor knows the hub and no other vendor, whether it is one file or a folder.
  ...["*.ts", "*"].map((vendor) => ({
    at: `${SERVER}/providers/${vendor}`,
    imports: [...PROVIDER_HUB, `${SERVER}/dialects`],
    types: [`${SERVER}/upstream`],
    npm: "all" as const,
    node: [...PURE_NODE, "node:crypto"],
  })),
  { at: `${SERVER}/upstream`, imports: ["contract/src/fault.ts"], npm: "all", node: "all" },
  { at: `${SERVER}/cache`, imports: [], npm: "all", node: "all" },
  { at: `${SERVER}/observe`, imports: [], npm: "all", node: "all" },
  { at: `${SERVER}/db`, imports: ["contract/src"], types: CONFIG_TYPE, npm: ["kysely", "pg", "mysql2"], node: "all" },
  { at: `${SERVER}/billing`, imports: STORAGE, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/snapshot`, imports: STORAGE, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/prices`, imports: STORAGE, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/channels`, imports: STORAGE, types: CONFIG_TYPE, npm: "all", node: "all" },
  { ...RELAY, at: `${SERVER}/relay` },
  ...RELAY_FLOORS.map((floor, index) => ({
    ...RELAY,
    at: `${SERVER}/relay/${floor}`,
    imports: [...RELAY.imports, ...RELAY_FLOORS.slice(0, index).map((below) => `${SERVER}/relay/${below}`)],
  })),
  ...["console", "console/*"].map((room) => ({
    at: `${SERVER}/${room}`,
    imports: [...ACTORS, `${SERVER}/console`],
    types: CONFIG_TYPE,
    npm: "all" as const,
    node: "all" as const,
  })),
  // What the console mounts: its features, and the logs of tasks.
  { at: `${SERVER}/console/features.ts`, imports: [`${SERVER}/console`, `${SERVER}/tasks/console`], npm: [], node: [] },
  {
    at: `${SERVER}/tasks/*.ts`,
    imports: [...ACTORS, `${SERVER}/tasks/*.ts`, `${SERVER}/tasks/kinds`, `${SERVER}/dialects/json`],
    types: [...CONFIG_TYPE, `${SERVER}/relay/call/task-desk.ts`],
    npm: ["kysely"],
    node: ["node:crypto"],
  },
  // What upstreams of tasks say, as pure as the dialects.
  {
    at: `${SERVER}/tasks/kinds`,
    imports: ["contract/src", `${SERVER}/dialects/json`],
    types: [`${SERVER}/db/task-table.ts`, `${SERVER}/dialects/neutral/neutral.ts`],
    npm: ["kysely"],
    node: [],
  },
  {
    at: `${SERVER}/tasks/console`,
    imports: [...ACTORS, `${SERVER}/tasks/*.ts`, `${SERVER}/tasks/kinds`, `${SERVER}/console`],
    npm: ["kysely"],
    node: [],
  },
  { at: `${SERVER}/jobs`, imports: ACTORS, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/notify`, imports: ACTORS, types: CONFIG_TYPE, npm: "all", node: "all" },

  { at: "web/vite.config.ts", imports: ["web/build"], npm: "all", node: "all" },
  { at: "web/build", imports: [], npm: "all", node: [] },
  { at: "web/postcss.config.mjs", imports: [], npm: "all", node: "all" },
  { at: "web/scenes", imports: ["contract/src", "web/src"], npm: "all", node: [] },
  { at: "web/src/locales", imports: [], npm: [], node: [] },
  { at: "web/src/lib", imports: ["contract/src", "web/src/locales"], npm: "all", node: [] },
  { at: "web/src/ui", imports: ["contract/src", "web/src/lib"], npm: "all", node: [] },
  {
    at: "web/src/features/*",
    imports: ["contract/src", "web/src/ui", "web/src/lib", "web/src/locales"],
    npm: "all",
    node: [],
  },
  {
    at: "web/src/app",
    imports: ["contract/src", "web/src/features", "web/src/ui", "web/src/lib", "web/src/locales"],
    npm: "all",
    node: [],
  },

  { at: "tests", imports: ["contract/src", SERVER, "web", "tests", "tools"], npm: "all", node: "all" },
  { at: "tools", imports: ["contract/src", SERVER, "tests", "tools"], npm: "all", node: "all" },
  { at: "bench", imports: ["contract/src", SERVER, "tests", "tools"], npm: "all", node: "all" },
  { at: "vitest.config.ts", imports: ["tools/setup/test-order.ts"], npm: "all", node: "all" },
];

/** Folders of which every room has a row of its own above: one without would import whatever its neighbours may. */
export const NAMED_ROOMS = [`${SERVER}/relay`];

/** Folders beside code that hold no code. */
export const PLAIN_FOLDERS = ["docs", "deploy", ".ci", "web/public", "web/src/styles"];

/** An import outside the table that was looked at and let stand. */
export interface ImportException {
  from: string;
  to: string;
  reason: string;
}

export const IMPORT_EXCEPTIONS: readonly ImportException[] = [];

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
  "users",
  "personal",
  "groups",
  "options",
  "prices",
  "channels",
  "routing",
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
export const CONSOLE_ROOMS: readonly string[] = ["http", "openapi", "accounts"];

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
    feature: "playground",
    missing: ["contract", "server"],
    reason: "its call is one of the relay's; chats stay in the browser",
  },
  { feature: "chat", missing: ["contract", "server"], reason: "frames and links to sites that the option Chats names" },
];

/** Locale files that belong to no feature. */
export const SHARED_LOCALES: readonly { name: string; reason: string }[] = [
  { name: "channel-editor", reason: "the words of a channel's form, loaded with its drawer" },
  { name: "channel-impact", reason: "what an act on channels takes from callers, loaded when it does" },
  { name: "channel-keys", reason: "the words of the keys of channels, loaded when a drawer shows them" },
  { name: "errors", reason: "what the console says of failures on any page" },
  { name: "error-codes", reason: "one sentence for each code of contract/errors.ts, loaded when one is shown" },
  { name: "palette", reason: "the words of web/src/app/shell/palette, loaded when it is opened" },
  { name: "shell", reason: "the words of web/src/app/shell" },
  { name: "step-up", reason: "the question that confirms who one is, loaded when it is asked" },
  { name: "ui", reason: "the words of web/src/ui" },
];

/** Names that say nothing about what is inside. */
export const EMPTY_NAMES = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff"];

/** Code longer than this is cut in two. */
export const MAX_LINES = 400;

/** A folder with more files of code than this, tests not counted, is cut into rooms. */
export const MAX_FILES = 30;

/** Folders that may hold more. */
export const FULL_FOLDERS: readonly { folder: string; reason: string }[] = [
  { folder: `${SERVER}/providers`, reason: "one file a vendor, all of one form" },
];

/** Only these may read the environment; everything else is handed what it needs. */
export const ENVIRONMENT_READERS = [
  `${SERVER}/config.ts`,
  `${SERVER}/composition/run.ts`,
  // hands the whole environment on to its thread, with a compile cache of the thread's own
  `${SERVER}/db/engines/sqlite-thread.ts`,
];

/** Calls that make a pure file impure. */
export const IMPURE =
  /\b(?:Date\.now|new Date\(|Math\.random|performance\.now|setTimeout|setInterval|setImmediate|fetch\(|process\.)/;
export const PURE_FOLDERS = [`${SERVER}/dialects/`, "contract/src/"];
