/** Files and folders below the least size: by kind or with a reason of their own. structure-rules.ts reads it. */

/** A file of the product with fewer lines needs a reason. */
export const MIN_LINES = 25;

/** Kinds of files that may be short, each by a pattern of its path. */
export const SHORT_KINDS: readonly { files: RegExp; reason: string }[] = [
  { files: /\/db\/migrations\/[^/]+\.ts$/, reason: "one change of the schema a file, never edited again" },
  { files: /-worker\.ts$|\/main\.tsx?$/, reason: "the entry of a thread, a process or a page" },
  { files: /^server\/src\/providers\/[^/]+\.ts$/, reason: "one vendor a file" },
  { files: /^server\/src\/web-search\/[^/]+\.ts$/, reason: "one provider of searches a file" },
  { files: /^server\/src\/dialects\/[^/]+\/.+\.ts$/, reason: "the same files in every wire format" },
  { files: /^server\/src\/console\/[^/]+\/(?:routes|store)\.ts$/, reason: "the same files in every feature" },
  { files: /^web\/src\/features\/[^/]+\/(?:route|queries)\.tsx?$/, reason: "the same files in every feature" },
  { files: /^server\/src\/notify\/ways\/[^/]+\.ts$/, reason: "one way of notifying a file" },
  { files: /^web\/src\/locales\//, reason: "one language a file" },
  { files: /^server\/src\/util\//, reason: "one helper of the whole server a file" },
  { files: /^web\/src\/(?:ui|lib)\//, reason: "one part or helper of the whole console a file" },
];

/** Short files with a reason of their own. */
export const SHORT_FILES: Readonly<Record<string, string>> = {
  "server/src/command-line/doctor/thread.ts": "the entry of a thread, which nothing may import",
  "server/src/console/system/tools.ts":
    "what the composition root fills; the page's service and the context of handlers both name it",
  "server/src/console/chat-share-store.ts":
    "what the own account and the administration of people both do when an account ends",
  "server/src/console/openapi/configuration-schema.ts":
    "another document than the API's, made by the console and by the generator",
  "server/src/console/security-log.ts": "read by the own account and by the page of a person, two features",
  "web/src/features/tokens/connect/browser-doctor.ts": "what is loaded once somebody runs the doctor",
  "web/src/features/logs/model/event-text.ts": "tested apart from the page, for every event in both languages",
  "contract/src/channels/model-mapping.ts":
    "for relay and browser alike; its neighbours declare schemas, which the browser does without",
  "contract/src/common-passwords.ts": "a generated list on one line, which the browser loads apart from the rules",
  "contract/src/family/endpoint-types.ts":
    "the words for the calls of a model, which relay and console answer alike; its neighbours are forms of requests",
  "contract/src/fault.ts": "the base of internal failures, all that the upstream client knows of the contract",
  "contract/src/payments/leave-page.ts": "one path for server and browser; its neighbours are endpoints and prices",
  "server/src/composition/program.ts": "what package.json and the build say of this program, read once",
  "server/src/console/http/same-secret.ts": "the one comparison of secrets, which seven files of six rooms use",
  "server/src/console/kit/permitted.ts":
    "the one refusal of what is withheld, which four rooms use; the browser does without its error",
  "server/src/console/identities/providers/registry.ts": "the list of the sites that sign people in",
  "server/src/console/wallet/methods.ts": "the list of the payment methods",
  "server/src/db/session.ts": "the connection as migrations see it, for three engines that do not import each other",
  "server/src/dialects/registry.ts": "the list of the wire formats",
  "server/src/stores/quota-totals.ts": "one port of the relay a file, as those beside it",
  "server/src/notify/delivery-fault.ts": "what both ways of delivery throw, which do not import each other",
  "server/src/tasks/kinds/registry.ts": "the list of the kinds of tasks",
  "server/src/upstream/undici.ts": "the one place that loads undici, without the parts of it that nothing uses",
  "server/src/dialects/format-quirk.ts": "the type of a deviation, which the vendors of every wire format declare",
  "web/src/app/data-and-kit.tsx": "loaded with the first page that has data or form controls, by five files",
  "web/src/app/shell/choose-language.ts": "menu and command palette share it and are loaded apart",
  "web/src/app/shell/site-pages.tsx": "one table for the top bar, the phone's menu and the command palette",
  "web/src/features/channels/balance-run.ts":
    "the run of balances, beside that of tests; the list loads it without the dialog",
  "web/src/features/channels/model/share.ts": "only the form loads it; numbers.ts is loaded by the list",
  "web/src/features/chat/no-token.tsx": "the same notice on two pages that are loaded apart",
  "web/src/features/logs/model/group-field.ts":
    "a filter that the list loads at once and a table that is loaded when it is asked for share it",
  "web/src/features/options/fields/entries-field.tsx": "loaded with the first list of entries",
  "web/src/features/sessions/invitation-note.tsx":
    "loaded for invited visitors alone: amounts are no part of the first load",
  "web/src/features/options/search-input.tsx": "shown at once; what searches is loaded behind it",
  "web/src/features/personal/security/totp-dialog.tsx":
    "loaded when it is opened; the required page has the form without a dialog",
  "web/src/features/playground/markdown/stored.ts": "a context between what is loaded at once and what is loaded later",
  "web/src/features/playground/thread/act-button.tsx": "one button for the thread, the reply and the panel",
  "web/src/features/sessions/use-countdown.ts": "one hook of two pages that are loaded apart",
  "web/src/features/tasks/record-drawer.tsx": "loaded when it is opened",
  "web/src/features/tokens/loading-drawer.tsx": "two drawers share it that are loaded apart",
};

/** A folder with fewer files of code than this is part of another one. */
export const MIN_FILES = 4;

/** Folders with fewer, and why. */
export const SMALL_FOLDERS: readonly { folders: RegExp; reason: string }[] = [
  { folders: /^(?:contract|server|web)\/src$/, reason: "the root of a part: its rooms are folders" },
  { folders: /^server\/src\/relay$/, reason: "the pipeline itself, above its rooms" },
  { folders: /^server\/src\/console\/[^/]+$/, reason: "a feature has a folder of its own, however small" },
  {
    folders: /^server\/src\/dialects\/[^/]+\//,
    reason: "the file names of wire formats are fixed, those of their rooms too",
  },
  { folders: /^web\/src\/features\/[^/]+$/, reason: "a feature has a folder of its own, however small" },
  { folders: /^web\/src\/features\/[^/]+\/model$/, reason: "the pure part of a feature, without React" },
  {
    folders: /^web\/src\/ui\/(?:content|media|shortcuts|time-range)$/,
    reason: "one part of the console with its styles",
  },
  {
    folders: /^web\/src\/features\/channels\/keys$/,
    reason: "the drawer of a channel's keys, 630 lines with its styles",
  },
  { folders: /^web\/src\/features\/options\/rows$/, reason: "one row of the settings, 700 lines with its styles" },
  {
    folders: /^web\/src\/features\/playground\/(?:code|store|thread)$/,
    reason: "a room of the largest feature, 400 lines and more",
  },
  { folders: /^web\/src\/locales\/base$/, reason: "what is loaded before any language" },
];
