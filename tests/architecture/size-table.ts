/** Files and folders below the least size: by kind, with a reason of their own, or from before the rule. structure-rules.ts reads it. */

/** A file of the product with fewer lines needs a reason. */
export const MIN_LINES = 25;

/** Kinds of files that may be short, each by a pattern of its path. */
export const SHORT_KINDS: readonly { files: RegExp; reason: string }[] = [
  { files: /\/db\/migrations\/[^/]+\.ts$/, reason: "one change of the schema a file, never edited again" },
  { files: /-worker\.ts$|\/main\.tsx?$/, reason: "the entry of a thread, a process or a page" },
  { files: /^server\/src\/providers\/[^/]+\.ts$/, reason: "one vendor a file" },
  { files: /^server\/src\/dialects\/[^/]+\/.+\.ts$/, reason: "the same files in every wire format" },
  { files: /^server\/src\/console\/[^/]+\/(?:routes|store)\.ts$/, reason: "the same files in every feature" },
  { files: /^web\/src\/features\/[^/]+\/(?:route|queries)\.tsx?$/, reason: "the same files in every feature" },
  { files: /^web\/src\/locales\//, reason: "one language a file" },
  { files: /^server\/src\/util\//, reason: "one helper of the whole server a file" },
];

/** Short files with a reason of their own. */
export const SHORT_FILES: Readonly<Record<string, string>> = {
  "contract/src/channels/model-mapping.ts":
    "for relay and browser alike; its neighbours declare schemas, which the browser does without",
  "contract/src/common-passwords.ts": "a generated list on one line, which the browser loads apart from the rules",
  "contract/src/fault.ts": "the base of internal failures, all that the upstream client knows of the contract",
  "contract/src/payments/leave-page.ts": "one path for server and browser; its neighbours are endpoints and prices",
  "server/src/composition/program.ts": "what package.json and the build say of this program, read once",
  "server/src/console/http/same-secret.ts": "the one comparison of secrets, which seven files of six rooms use",
  "server/src/console/identities/providers/registry.ts": "the list of the sites that sign people in",
  "server/src/console/wallet/methods.ts": "the list of the payment methods",
  "server/src/db/session.ts": "the connection as migrations see it, for three engines that do not import each other",
  "server/src/dialects/registry.ts": "the list of the wire formats",
  "server/src/stores/quota-totals.ts": "one port of the relay a file, as those beside it",
  "server/src/notify/delivery-fault.ts": "what both ways of delivery throw, which do not import each other",
  "server/src/tasks/kinds/registry.ts": "the list of the kinds of tasks",
  "server/src/upstream/undici.ts": "the one place that loads undici, without the parts of it that nothing uses",
  "web/src/ui/content/terms-links.tsx": "two features share it: registering, and the step before every other page",
};

/** Short files from before the rule, to be merged into what uses them. Entries are only ever taken out. */
export const SHORT_BEFORE_THE_RULE: readonly string[] = [
  "server/src/dialects/format-quirk.ts",
  "web/src/app/data-and-kit.tsx",
  "web/src/app/providers.tsx",
  "web/src/app/shell/choose-language.ts",
  "web/src/app/shell/site-pages.tsx",
  "web/src/features/channels/balance-run.ts",
  "web/src/features/channels/model/share.ts",
  "web/src/features/chat/no-token.tsx",
  "web/src/features/options/fields/entries-field.tsx",
  "web/src/features/options/search-input.tsx",
  "web/src/features/personal/security/totp-dialog.tsx",
  "web/src/features/playground/markdown/stored.ts",
  "web/src/features/playground/thread/act-button.tsx",
  "web/src/features/pricing/group-switch.ts",
  "web/src/features/routing/channel-name.tsx",
  "web/src/features/routing/reason-text.ts",
  "web/src/features/sessions/invite-code.ts",
  "web/src/features/sessions/use-countdown.ts",
  "web/src/features/tasks/record-drawer.tsx",
  "web/src/features/tokens/loading-drawer.tsx",
  "web/src/features/wallet/leave.ts",
  "web/src/lib/address.ts",
  "web/src/lib/no-schemas.ts",
  "web/src/lib/nonce.ts",
  "web/src/lib/widths.ts",
  "web/src/ui/charts/bars.tsx",
  "web/src/ui/charts/series-choice.ts",
  "web/src/ui/data-table/list-search.ts",
  "web/src/ui/display/name.tsx",
  "web/src/ui/feedback/loading-bars.tsx",
  "web/src/ui/feedback/notice.tsx",
  "web/src/ui/feedback/toast-place.tsx",
  "web/src/ui/form/json-text.ts",
  "web/src/ui/identities/identity-mark.tsx",
  "web/src/ui/keys.ts",
  "web/src/ui/lazy-page.ts",
  "web/src/ui/option-rows.ts",
  "web/src/ui/passkey-support.ts",
  "web/src/ui/shortcuts/use-shortcuts.ts",
];

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
  { folders: /^web\/src\/locales\/base$/, reason: "what is loaded before any language" },
];

/** Small folders from before the rule. Entries are only ever taken out. */
export const SMALL_BEFORE_THE_RULE: readonly string[] = [
  "web/src/features/channels/keys",
  "web/src/features/options/rows",
  "web/src/features/playground/code",
  "web/src/features/playground/store",
  "web/src/features/playground/thread",
  "web/src/features/personal/model",
  "web/src/features/pricing/model",
  "web/src/features/redemptions/model",
  "web/src/features/tasks/model",
  "web/src/features/users/model",
  "web/src/ui/content",
  "web/src/ui/media",
  "web/src/ui/shortcuts",
  "web/src/ui/time-range",
];
