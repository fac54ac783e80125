/** Test files that the short form leaves to `npm test -- --all`, each with the file that covers its page there and what it adds; vitest.config.ts excludes them. */

interface LeftFile {
  /** The test file that holds the page or the rule in the short form. */
  heldBy: string;
  /** What the file left out adds to that. */
  adds: string;
}

/** By path from the root. A page keeps a journey in the short form: `heldBy` is never left out itself (tests/architecture/left-to-all.test.ts). */
export const LEFT_TO_ALL: Readonly<Record<string, LeftFile>> = {
  "tests/e2e/channel-acts.test.ts": {
    heldBy: "tests/e2e/lists.test.ts",
    adds: "acts on all that match, as lists.test.ts has them on tokens, on channels and their tags",
  },
  "tests/e2e/channel-balances.test.ts": {
    heldBy: "tests/e2e/channel-grid.test.ts",
    adds: "a failed and a stale balance beside the one that is read and stored",
  },
  "tests/e2e/channel-health.test.ts": {
    heldBy: "tests/e2e/channel-grid.test.ts",
    adds: "waits, ranges and a failed read on the page of a channel's health",
  },
  "tests/e2e/channel-impact.test.ts": {
    heldBy: "tests/e2e/channel-form.test.ts",
    adds: "the questions about models that a change would leave without a channel",
  },
  "tests/e2e/channel-keys.test.ts": {
    heldBy: "tests/e2e/channel-grid.test.ts",
    adds: "refused keys, their tests and unsaved input beside the drawer of keys",
  },
  "tests/e2e/channel-saved-lists.test.ts": {
    heldBy: "tests/e2e/channel-form.test.ts",
    adds: "lists of models and tags that are saved and filled in again, and the version of HTTP",
  },
  "tests/e2e/channel-states.test.ts": {
    heldBy: "tests/e2e/channels.test.ts",
    adds: "a lost network, an overtaken save and an ended session, as options/page.test.ts and odd-states.test.ts have them",
  },
  "tests/e2e/chat-apps.test.ts": {
    heldBy: "tests/e2e/chat-frames.test.ts",
    adds: "the menu of chat apps by keyboard and on a phone",
  },
  "tests/e2e/chat-links.test.ts": {
    heldBy: "tests/e2e/options/page.test.ts",
    adds: "rows, preview and JSON of one list of settings",
  },
  "tests/e2e/dashboard-calls.test.ts": {
    heldBy: "tests/e2e/dashboard.test.ts",
    adds: "what leads from the dashboard to the log, comparisons, the hours of a month and the first steps",
  },
  "tests/e2e/log-search.test.ts": {
    heldBy: "tests/e2e/logs.test.ts",
    adds: "an id that is pasted, Live and kept views",
  },
  "tests/e2e/name-room.test.ts": {
    heldBy: "tests/parts/tables.test.ts",
    adds: "a user name and a name of a channel that have their room in the logs",
  },
  "tests/e2e/names.test.ts": {
    heldBy: "tests/parts/tables.test.ts",
    adds: "long names and turning marks in the lists of the console",
  },
  "tests/e2e/options/catalogue.test.ts": {
    heldBy: "tests/e2e/options/page.test.ts",
    adds: "each option typed into its own field, stored, read back and in force in a second process",
  },
  "tests/e2e/own-tasks.test.ts": {
    heldBy: "tests/e2e/tasks.test.ts",
    adds: "small pictures, players and times in the logs of an owner",
  },
  "tests/e2e/playground-more.test.ts": {
    heldBy: "tests/e2e/playground.test.ts",
    adds: "several models, pictures, tools, programs and formulas",
  },
  "tests/e2e/price-tables.test.ts": {
    heldBy: "tests/e2e/prices.test.ts",
    adds: "the same prices as pasted tables",
  },
  "tests/e2e/route-explainer.test.ts": {
    heldBy: "tests/e2e/channel-grid.test.ts",
    adds: "the explainer by keyboard, its refusals, and the way there from a receipt",
  },
  "tests/e2e/site-cards.test.ts": {
    heldBy: "tests/e2e/dashboard.test.ts",
    adds: "the cards of a site that has questions, announcements and addresses",
  },
  "tests/e2e/site-logo.test.ts": {
    heldBy: "tests/e2e/settings-special.test.ts",
    adds: "a logo that is uploaded, previewed and shown by theme",
  },
  "tests/faults/import-litellm-kills.test.ts": {
    heldBy: "tests/faults/import.test.ts",
    adds: "a LiteLLM's import that is killed or runs twice at once",
  },
  "tests/faults/otlp-metrics.test.ts": {
    heldBy: "server/src/observe/otlp/metric-exporter.test.ts",
    adds: "metrics by OTLP of whole processes, of several workers and beside a collector that is away",
  },
  "tests/faults/periodic-checks.test.ts": {
    heldBy: "server/src/jobs/periodic-runs.test.ts",
    adds: "the same by two processes, one of which is killed",
  },
  "tests/faults/traces.test.ts": {
    heldBy: "server/src/observe/tracing/exporter.test.ts",
    adds: "a whole process that ends while its collector hangs, and spans of several workers",
  },
};
