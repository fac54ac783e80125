/** Test files that the short form leaves to `npm test -- --all`, each with the file that covers its page there and what it adds; vitest.config.ts excludes them. */

interface LeftFile {
  /** The test file that holds the page or the rule in the short form. */
  heldBy: string;
  /** What the file left out adds to that. */
  adds: string;
}

/** By path from the root. A page keeps a journey in the short form: `heldBy` is never left out itself (tests/architecture/left-to-all.test.ts). */
export const LEFT_TO_ALL: Readonly<Record<string, LeftFile>> = {
  "server/src/console/any-input.test.ts": {
    heldBy: "server/src/console/http/mount.test.ts",
    adds: "every field of every endpoint with what no field takes, on every engine",
  },
  "server/src/console/logs/export-size.test.ts": {
    heldBy: "server/src/console/logs/export-clear.test.ts",
    adds: "exports of 50,000 rows, and of a caller who left",
  },
  "tests/e2e/auto-top-up.test.ts": {
    heldBy: "server/src/console/wallet/stripe/auto-top-up.test.ts",
    adds: "the card of automatic top-up in a browser: saved, refused and removed",
  },
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
  "tests/e2e/channel-matrix.test.ts": {
    heldBy: "tests/e2e/channel-form.test.ts",
    adds: "the matrix of what a model can, and the way from its failures to the fields",
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
  "tests/e2e/cross-site.test.ts": {
    heldBy: "server/src/console/http/mount.test.ts",
    adds: "what a real browser sends from the pages of another site",
  },
  "tests/e2e/dashboard-calls.test.ts": {
    heldBy: "tests/e2e/dashboard.test.ts",
    adds: "what leads from the dashboard to the log, comparisons, the hours of a month and the first steps",
  },
  "tests/e2e/frames-while-loading.test.ts": {
    heldBy: "tests/e2e/pages.test.ts",
    adds: "that nothing of a page moves when late contents come",
  },
  "tests/e2e/keyboard-walk.test.ts": {
    heldBy: "tests/e2e/pages.test.ts",
    adds: "every page walked by Tab: all of it reached, in its order, in view and marked",
  },
  "tests/e2e/log-endless.test.ts": {
    heldBy: "tests/e2e/logs.test.ts",
    adds: "a list of hundreds of entries: each once, few of them drawn, and the way back to its place",
  },
  "tests/e2e/log-instrument.test.ts": {
    heldBy: "tests/e2e/logs.test.ts",
    adds: "the bars above the log, groups, and what a failed receipt advises",
  },
  "tests/e2e/log-search.test.ts": {
    heldBy: "tests/e2e/logs.test.ts",
    adds: "an id that is pasted, Live and kept views",
  },
  "tests/e2e/main-job.test.ts": {
    heldBy: "tests/e2e/journeys-operator.test.ts",
    adds: "the first call from a fresh copy of the tree, with its installation and build",
  },
  "tests/e2e/margin.test.ts": {
    heldBy: "tests/e2e/channel-page.test.ts",
    adds: "margins on receipts and pages, and that no one below an administrator reads them",
  },
  "tests/e2e/member-balance.test.ts": {
    heldBy: "tests/e2e/journeys-member.test.ts",
    adds: "a balance that is too low for a prompt, and the first steps of a member",
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
  "tests/e2e/page-states.test.ts": {
    heldBy: "tests/e2e/pages.test.ts",
    adds: "late, failed, refused, empty and huge states of the pages of single things",
  },
  "tests/e2e/playground-more.test.ts": {
    heldBy: "tests/e2e/playground.test.ts",
    adds: "several models, pictures, tools, programs and formulas",
  },
  "tests/e2e/playground-start.test.ts": {
    heldBy: "tests/e2e/playground.test.ts",
    adds: "the playground before the first prompt",
  },
  "tests/e2e/playground-versions.test.ts": {
    heldBy: "tests/e2e/playground.test.ts",
    adds: "earlier answers and questions, a stopped answer that goes on, names and files",
  },
  "tests/e2e/price-list.test.ts": {
    heldBy: "tests/e2e/settings-special.test.ts",
    adds: "the section of the price list: fetched, failed, accepted and undone",
  },
  "tests/e2e/price-tables.test.ts": {
    heldBy: "tests/e2e/prices.test.ts",
    adds: "the same prices as pasted tables",
  },
  "tests/e2e/pricing.test.ts": {
    heldBy: "tests/e2e/model-page.test.ts",
    adds: "groups, search, selection and visitors of the price list",
  },
  "tests/e2e/route-explainer.test.ts": {
    heldBy: "tests/e2e/channel-grid.test.ts",
    adds: "the explainer by keyboard, its refusals, and the way there from a receipt",
  },
  "tests/e2e/script-payloads-chat.test.ts": {
    heldBy: "tests/e2e/script-payloads.test.ts",
    adds: "payloads in what a model says, thinks, calls and cites",
  },
  "tests/e2e/shown-currency.test.ts": {
    heldBy: "tests/e2e/wallet.test.ts",
    adds: "a currency that is chosen in the settings, on every page that shows money",
  },
  "tests/e2e/site-cards.test.ts": {
    heldBy: "tests/e2e/dashboard.test.ts",
    adds: "the cards of a site that has questions, announcements and addresses",
  },
  "tests/e2e/site-logo.test.ts": {
    heldBy: "tests/e2e/settings-special.test.ts",
    adds: "a logo that is uploaded, previewed and shown by theme",
  },
  "tests/e2e/unpaid-orders.test.ts": {
    heldBy: "server/src/console/wallet/unpaid-orders.test.ts",
    adds: "orders that are continued and cancelled in a browser",
  },
  "tests/faults/background-responses.test.ts": {
    heldBy: "tests/relay/background-responses.test.ts",
    adds: "the same on whole processes: a kill, a stop, and two of them",
  },
  "tests/faults/backup.test.ts": {
    heldBy: "server/src/jobs/backups.test.ts",
    adds: "backups of every engine while calls go on, copies between engines, and kills",
  },
  "tests/faults/command-line.test.ts": {
    heldBy: "tests/document-commands.test.ts",
    adds: "every command beside a running server and without one, on every engine",
  },
  "tests/faults/hostile-user.test.ts": {
    heldBy: "tests/attacks/fill-memory.test.ts",
    adds: "every attack of one user without quota at once, on a whole process",
  },
  "tests/faults/import-indexes.test.ts": {
    heldBy: "tests/engines/deferred-indexes.test.ts",
    adds: "imports that are killed while they build indexes",
  },
  "tests/faults/import-litellm-kills.test.ts": {
    heldBy: "tests/faults/import.test.ts",
    adds: "a LiteLLM's import that is killed or runs twice at once",
  },
  "tests/faults/import-switch.test.ts": {
    heldBy: "tests/faults/import.test.ts",
    adds: "the move without a gap behind nginx",
  },
  "tests/faults/log-database.test.ts": {
    heldBy: "tests/engines/log-database.test.ts",
    adds: "a log database that is killed under calls",
  },
  "tests/faults/otlp-metrics.test.ts": {
    heldBy: "server/src/observe/otlp/metric-exporter.test.ts",
    adds: "metrics by OTLP of whole processes, of several workers and beside a collector that is away",
  },
  "tests/faults/paid-groups-kill.test.ts": {
    heldBy: "server/src/console/wallet/paid-groups.test.ts",
    adds: "servers that are killed while payments raise groups",
  },
  "tests/faults/payments.test.ts": {
    heldBy: "server/src/console/wallet/stripe/stripe.test.ts",
    adds: "payments that are reported many times, to several processes and over a kill",
  },
  "tests/faults/periodic-checks.test.ts": {
    heldBy: "server/src/jobs/periodic-runs.test.ts",
    adds: "the same by two processes, one of which is killed",
  },
  "tests/faults/power-cut.test.ts": {
    heldBy: "server/src/billing/unsynced-batches.test.ts",
    adds: "a power cut under a stalled disk, which is played by a library in the place of the disk's calls",
  },
  "tests/faults/redemption-kill.test.ts": {
    heldBy: "server/src/console/redemptions/redemptions.test.ts",
    adds: "two servers that are killed while codes are redeemed",
  },
  "tests/faults/responses-sockets.test.ts": {
    heldBy: "tests/relay/responses-socket.test.ts",
    adds: "the same on whole processes: a kill, a stop, and a change that comes into force on an open socket",
  },
  "tests/faults/retention-kill.test.ts": {
    heldBy: "server/src/console/logs/retention.test.ts",
    adds: "a retention that is killed and goes on in the next server",
  },
  "tests/faults/rolling-upgrade.test.ts": {
    heldBy: "tests/engines/migrations.test.ts",
    adds: "an upgrade and a way back of whole processes while calls go on",
  },
  "tests/faults/rude-clients.test.ts": {
    heldBy: "tests/relay/aborts.test.ts",
    adds: "clients of a whole server that die, read nothing, or disconnect while they are charged",
  },
  "tests/faults/shared-metrics.test.ts": {
    heldBy: "server/src/observe/metrics.test.ts",
    adds: "metrics of several workers, one of which is killed",
  },
  "tests/faults/task-kill.test.ts": {
    heldBy: "tests/engines/task-money.test.ts",
    adds: "servers that are killed while songs and videos are submitted and refunded",
  },
  "tests/faults/traces.test.ts": {
    heldBy: "server/src/observe/tracing/exporter.test.ts",
    adds: "a whole process that ends while its collector hangs, and spans of several workers",
  },
  "tests/relay/agent-doctor.test.ts": {
    heldBy: "tests/relay/doctor-texts.test.ts",
    adds: "each planted fault for every family of programs, found against a real relay",
  },
};
