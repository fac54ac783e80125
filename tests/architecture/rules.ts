/** The import rules as data: who may import whom, and which exceptions were reviewed. Names, sizes and features are in structure-table.ts. */

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
/** What every part of the server may import, but the pure ones that are listed with their zones. */
const UTIL = `${SERVER}/util`;
const EVERY_SERVER_PART = [SERVER, "contract/src"];
const STORAGE = ["contract/src", `${SERVER}/db`, `${SERVER}/cache`, `${SERVER}/observe`];
const ACTORS = [
  ...STORAGE,
  ...["snapshot", "billing", "channels", "notify", "prices"].map((room) => `${SERVER}/${room}`),
];
/** The type of what config.ts read: code that gets a part of it may name it. */
const CONFIG_TYPE = [`${SERVER}/config.ts`];
/** The composition root: what starts, joins and stops the parts. Only this knows every part. */
const COMPOSITION = ["main.ts", "app.ts", "composition", "command-line"];
/** Pure code: no I/O, no clock, no random. */
const PURE_NODE = ["node:buffer", "node:string_decoder"];

/** What all vendors share: the other files of server/src/providers are one vendor each, and registry.ts lists them. */
const PROVIDER_HUB = [
  "provider",
  "define",
  "native-formats",
  "balance",
  "stored-models",
  "outgoing",
  "provider-fault",
].map((name) => `${SERVER}/providers/${name}.ts`);

/** Rooms of the relay from the ground up: each imports from those before it alone, and relay.ts and router.ts stand on top of all. */
const RELAY_FLOORS = [
  "call",
  "request",
  "metering",
  "admission",
  "reply",
  "routing",
  "attempt",
  "realtime",
  "responses-socket",
  "responses",
  "tasks",
];
const RELAY = {
  imports: [
    "contract/src",
    `${SERVER}/dialects`,
    `${SERVER}/providers/registry.ts`,
    `${SERVER}/providers/provider-fault.ts`,
    `${SERVER}/upstream`,
    `${SERVER}/web-search`,
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

/** Zones of the server stand on util, but for the wire formats: those know no clock and no timer. */
const onUtil = (zone: Zone): Zone =>
  zone.at.startsWith(`${SERVER}/`) && zone.at !== UTIL && !zone.at.startsWith(`${SERVER}/dialects`)
    ? { ...zone, imports: [...zone.imports, UTIL] }
    : zone;

const TABLE: readonly Zone[] = [
  { at: "contract/src", imports: [], npm: ["re2js", "zod"], node: [] },

  ...COMPOSITION.map((name) => ({
    at: `${SERVER}/${name}`,
    imports: EVERY_SERVER_PART,
    npm: "all" as const,
    node: "all" as const,
  })),
  {
    at: `${SERVER}/stores`,
    imports: [...STORAGE],
    types: [`${SERVER}/relay/call/ports.ts`],
    npm: ["kysely"],
    node: ["node:buffer", "node:timers/promises"],
  },
  { at: UTIL, imports: [], npm: [], node: [] },
  // Reads the files that `_FILE` variables name, for config.ts alone.
  { at: `${UTIL}/secret-files.ts`, imports: [], npm: [], node: ["node:fs"] },
  // The kinds of variables that config.ts alone reads.
  { at: `${UTIL}/backup-variables.ts`, imports: [`${UTIL}/environment-kinds.ts`], npm: ["zod"], node: [] },
  { at: `${UTIL}/environment-kinds.ts`, imports: [], npm: ["zod"], node: ["node:net"] },
  { at: `${UTIL}/telemetry-variables.ts`, imports: [`${UTIL}/environment-kinds.ts`], npm: ["zod"], node: [] },
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
  // Searches of the web for models without one: providers of searches, asked through the guarded client.
  { at: `${SERVER}/web-search`, imports: ["contract/src", `${SERVER}/upstream`], npm: [], node: PURE_NODE },
  { at: `${SERVER}/cache`, imports: [], npm: "all", node: "all" },
  { at: `${SERVER}/observe`, imports: [], npm: "all", node: "all" },
  {
    at: `${SERVER}/db`,
    // ClickHouse is asked over HTTP.
    imports: ["contract/src", `${SERVER}/upstream/undici.ts`],
    types: CONFIG_TYPE,
    npm: ["kysely", "pg", "mysql2", "undici"],
    node: "all",
  },
  { at: `${SERVER}/billing`, imports: STORAGE, types: CONFIG_TYPE, npm: "all", node: "all" },
  {
    at: `${SERVER}/archive`,
    imports: [`${SERVER}/db`],
    types: CONFIG_TYPE,
    npm: ["kysely", "mysql2", "zod", "aws4fetch"],
    node: "all",
  },
  {
    at: `${SERVER}/import`,
    imports: [...ACTORS, `${SERVER}/console`, `${SERVER}/providers/registry.ts`],
    npm: ["kysely", "mysql2", "pg"],
    node: "all",
  },
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
    types: [...CONFIG_TYPE, `${SERVER}/relay/call/ports.ts`],
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
  { at: `${SERVER}/jobs`, imports: [...ACTORS, `${SERVER}/archive`], types: CONFIG_TYPE, npm: "all", node: "all" },
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

  { at: "site", imports: ["site", `${SERVER}/console/openapi/schema-rows.ts`], npm: "all", node: "all" },

  { at: "tests", imports: ["contract/src", SERVER, "web", "tests", "tools", "site"], npm: "all", node: "all" },
  { at: "bin", imports: ["tools/setup"], npm: [], node: [] },
  { at: "tools", imports: ["contract/src", SERVER, "tests", "tools", "web/src/locales"], npm: "all", node: "all" },
  { at: "bench", imports: ["contract/src", SERVER, "tests", "tools"], npm: "all", node: "all" },
  { at: "vitest.config.ts", imports: ["tools/setup/test-order.ts", "tests/support/soak"], npm: "all", node: "all" },
];

export const ZONES: readonly Zone[] = TABLE.map(onUtil);

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
