/** The rules of the house as data: who may import whom, which files and features must exist, which exceptions were reviewed. */

/** A part of the tree and what it may import beside itself. The longest matching folder decides. */
export interface Zone {
  /** Folder or file from the root. `*` stands for one name, which counts as a zone of its own: a/x may not import a/y. */
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
const BOOKS = ["contract/src", `${SERVER}/db`, `${SERVER}/cache`, `${SERVER}/observe`];
const ACTORS = [...BOOKS, `${SERVER}/snapshot`, `${SERVER}/billing`, `${SERVER}/channels`];
/** The type of what config.ts read: whoever is handed a part of it may name it. */
const CONFIG_TYPE = [`${SERVER}/config.ts`];
/** The composition root, in several files: what starts, joins and stops the parts. Only these know every part. */
const COMPOSITION = [
  "main",
  "run",
  "workers",
  "program",
  "terminal",
  "app",
  "foundation",
  "channel-tools",
  "metrics-listener",
  "memory",
];
/** Pure code: no I/O, no clock, no random. */
const PURE_NODE = ["node:buffer", "node:string_decoder"];

export const ZONES: readonly Zone[] = [
  { at: "contract/src", imports: [], npm: ["zod"], node: [] },

  ...COMPOSITION.map((name) => ({
    at: `${SERVER}/${name}.ts`,
    imports: EVERY_SERVER_PART,
    npm: "all" as const,
    node: "all" as const,
  })),
  { at: `${SERVER}/quota-totals.ts`, imports: [...BOOKS], npm: ["kysely"], node: [] },
  {
    at: `${SERVER}/idempotency-store.ts`,
    imports: [...BOOKS],
    types: [`${SERVER}/relay/idempotency.ts`],
    npm: ["kysely"],
    node: [],
  },
  { at: `${SERVER}/peers.ts`, imports: [...BOOKS], npm: ["kysely"], node: [] },
  { at: `${SERVER}/config.ts`, imports: ["contract/src"], npm: "all", node: "all" },
  {
    at: `${SERVER}/listener.ts`,
    imports: ["contract/src", `${SERVER}/observe`, `${SERVER}/request-id.ts`],
    types: CONFIG_TYPE,
    npm: "all",
    node: "all",
  },
  { at: `${SERVER}/request-id.ts`, imports: [], npm: [], node: "all" },
  { at: `${SERVER}/dialects`, imports: ["contract/src"], npm: [], node: PURE_NODE },
  {
    at: `${SERVER}/providers`,
    imports: ["contract/src", `${SERVER}/dialects`, `${SERVER}/providers`],
    types: [`${SERVER}/upstream`],
    npm: [],
    node: "all",
  },
  {
    at: `${SERVER}/providers/*`,
    imports: [`${SERVER}/providers/provider.ts`, `${SERVER}/dialects`],
    types: [`${SERVER}/upstream`],
    npm: "all",
    node: PURE_NODE,
  },
  { at: `${SERVER}/upstream`, imports: [], npm: "all", node: "all" },
  { at: `${SERVER}/cache`, imports: [], npm: "all", node: "all" },
  { at: `${SERVER}/observe`, imports: [], npm: "all", node: "all" },
  { at: `${SERVER}/db`, imports: ["contract/src"], types: CONFIG_TYPE, npm: ["kysely", "pg", "mysql2"], node: "all" },
  { at: `${SERVER}/billing`, imports: BOOKS, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/snapshot`, imports: BOOKS, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/prices`, imports: BOOKS, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/channels`, imports: BOOKS, types: CONFIG_TYPE, npm: "all", node: "all" },
  {
    at: `${SERVER}/relay`,
    imports: [
      "contract/src",
      `${SERVER}/dialects`,
      `${SERVER}/providers/registry.ts`,
      `${SERVER}/upstream`,
      `${SERVER}/snapshot`,
      `${SERVER}/billing`,
      `${SERVER}/channels`,
      `${SERVER}/cache`,
      `${SERVER}/observe`,
    ],
    types: [`${SERVER}/providers/provider.ts`, ...CONFIG_TYPE],
    npm: ["undici", "ipaddr.js", "busboy", "music-metadata", "ws"],
    node: "all",
  },
  { at: `${SERVER}/console`, imports: [...ACTORS, `${SERVER}/console`], types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/console/*`, imports: [...ACTORS, `${SERVER}/console`], types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/tasks`, imports: ACTORS, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/jobs`, imports: ACTORS, types: CONFIG_TYPE, npm: "all", node: "all" },
  { at: `${SERVER}/notify`, imports: ACTORS, types: CONFIG_TYPE, npm: "all", node: "all" },

  { at: "web/vite.config.ts", imports: [], npm: "all", node: "all" },
  { at: "web/postcss.config.mjs", imports: [], npm: "all", node: "all" },
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
  { at: "vitest.config.ts", imports: [], npm: "all", node: "all" },
];

/** Folders beside code that hold no code. */
export const PLAIN_FOLDERS = ["docs", "deploy", ".ci", "web/public", "web/src/styles"];

/** An import outside the table that was looked at and let stand. */
export interface ImportException {
  from: string;
  to: string;
  reason: string;
}

export const IMPORT_EXCEPTIONS: readonly ImportException[] = [];

/** Files every provider folder holds; `{slug}` is the folder's name. A file that one provider has, all have. */
export const PROVIDER_FILES = ["manifest.ts", "endpoint.ts", "quirks.ts", "errors.ts", "models.ts", "{slug}.test.ts"];

/** The features of the product: the same names in contract, server, web and locales. */
export const FEATURES = [
  "setup",
  "status",
  "sessions",
  "users",
  "personal",
  "groups",
  "options",
  "channels",
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

export type Side = "contract" | "server" | "web" | "locales";

/** A feature that stands on some sides only. */
export const FEATURE_EXCEPTIONS: readonly { feature: string; missing: readonly Side[]; reason: string }[] = [
  { feature: "options", missing: ["web", "locales"], reason: "its settings screens are not there yet" },
  {
    feature: "personal",
    missing: ["web", "locales"],
    reason: "the shell reads the own account; its page is not there yet",
  },
  {
    feature: "users",
    missing: ["web", "locales"],
    reason: "found from the command palette and seen in the usage log; its page is not there yet",
  },
  { feature: "groups", missing: ["web", "locales"], reason: "choices inside the drawers of tokens and channels" },
];

/** Locale files that belong to no feature. */
export const SHARED_LOCALES: readonly { name: string; reason: string }[] = [
  { name: "errors", reason: "what the console says of failures on any page" },
  { name: "error-codes", reason: "one sentence for each code of contract/errors.ts, loaded when one is shown" },
  { name: "shell", reason: "the words of web/src/app/shell" },
  { name: "ui", reason: "the words of web/src/ui" },
];

/** Names that say nothing about what is inside. */
export const EMPTY_NAMES = ["utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff"];

/** Code longer than this is cut in two. */
export const MAX_LINES = 400;

/** Only these may read the environment; everything else is handed what it needs. */
export const ENVIRONMENT_READERS = [
  `${SERVER}/config.ts`,
  `${SERVER}/run.ts`,
  // hands the whole environment on to its thread, with a compile cache of the thread's own
  `${SERVER}/db/engines/sqlite-thread.ts`,
];

/** Calls that make a pure file impure. */
export const IMPURE =
  /\b(?:Date\.now|new Date\(|Math\.random|performance\.now|setTimeout|setInterval|setImmediate|fetch\(|process\.)/;
export const PURE_FOLDERS = [`${SERVER}/dialects/`, "contract/src/"];
