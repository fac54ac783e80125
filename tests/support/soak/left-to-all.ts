/** What the short form of the tests leaves to `npm test -- --all`; vitest.config.ts reads it, and tests/architecture/left-to-all.test.ts checks it. */

/**
 * Of the levels that start a browser or whole processes for each file, the files that the short form runs, by folder: every page opened once,
 * the journeys through the most used ones, the parts that every page has, the faults of a call, a stream, a balance and a disk, and the attacks
 * that take little time. All others are left; what they hold of one page, one fault or one attack more has tests of a faster level beside its code.
 */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "tests/e2e": [
    "channel-form",
    "journeys-member",
    "journeys-operator",
    "lists",
    "login",
    "logs",
    "options/page",
    "pages",
    "playground",
    "register",
    "script-payloads",
    "setup",
    "tokens",
    "weight",
  ],
  "tests/parts": ["buttons", "dialogs", "fields", "filters", "form-drawer", "tables", "toasts"],
  "tests/faults": [
    "broken-disk",
    "kill",
    "names",
    "no-database",
    "overspend",
    "realtime",
    "reverse-proxy",
    "stream-death",
    "two-processes",
    "uploads",
  ],
  "tests/attacks": [
    "account-by-odd-profile",
    "account-without-a-way-in",
    "becomes-root-by-options",
    "beyond-the-permissions",
    "cheaper-videos",
    "cookies-and-files",
    "fill-disk",
    "fill-memory",
    "guess-a-password",
    "many-addresses-of-one-network",
    "name-like-an-administrator",
    "passkey-of-another-port",
    "reads-upstream-keys",
    "refunded-tasks",
    "sign-in-by-forged-id-token",
    "stay-in-an-account",
    "take-over-with-a-borrowed-key",
  ],
};

/** The files of a folder that the short form runs, as paths from the root. */
export const keptIn = (folder: string): string[] => (KEPT[folder] ?? []).map((name) => `${folder}/${name}.test.ts`);

export const KEPT_FOLDERS: readonly string[] = Object.keys(KEPT);

interface LeftFile {
  /** The test file that holds the rule in the short form. */
  heldBy: string;
  /** What the file left out adds to that. */
  adds: string;
}

/** Files of faster levels that are left, by path from the root. */
export const LEFT_TO_ALL: Readonly<Record<string, LeftFile>> = {
  "server/src/console/any-input.test.ts": {
    heldBy: "server/src/console/http/mount.test.ts",
    adds: "every field of every endpoint with what no field takes, on every engine",
  },
  "server/src/console/logs/export-size.test.ts": {
    heldBy: "server/src/console/logs/export-clear.test.ts",
    adds: "exports of 50,000 rows, and of a caller who left",
  },
  "server/src/command-line/config.test.ts": {
    heldBy: "server/src/console/configuration/configuration.test.ts",
    adds: "the same configuration exported, planned and applied by the command line",
  },
  "tests/document-commands.test.ts": {
    heldBy: "tests/architecture/documents.test.ts",
    adds: "the commands of the documents, run as they are printed",
  },
  "tests/engines/deferred-indexes.test.ts": {
    heldBy: "tests/engines/migrations.test.ts",
    adds: "indexes that an import leaves away and builds at its end",
  },
  "tests/engines/clickhouse-tls.test.ts": {
    heldBy: "server/src/db/engines/clickhouse/client.test.ts",
    adds: "a real ClickHouse that is reached over TLS, with its certificate checked",
  },
  "tests/relay/agent-doctor.test.ts": {
    heldBy: "tests/relay/doctor-texts.test.ts",
    adds: "each planted fault for every family of programs, found against a real relay",
  },
  "tools/agents/install.test.ts": {
    heldBy: "tools/agents/report.test.ts",
    adds: "how the programs of tests/agents are fetched, which the short form does not run",
  },
  "tools/seed/fill.test.ts": {
    heldBy: "tools/seed/bulk-month.test.ts",
    adds: "the demo's people, orders and channels, and a call of its token",
  },
  "tools/setup/closing-reporter.test.ts": {
    heldBy: "tools/setup/second-run.test.ts",
    adds: "runs of vitest inside of a run, and what their last lines say of failures and skips",
  },
};
