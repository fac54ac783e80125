/** How the tests run: one run of seven projects that share its workers; each can be run and timed alone (`npm test -- --project faults`). */
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { keptIn, LEFT_TO_ALL } from "./tests/support/soak/left-to-all.ts";
import { LEAVES_TO_ALL, RUNS_PROGRAMS } from "./tests/support/soak/short-or-long.ts";
import { TestOrder } from "./tools/setup/test-order.ts";

/** Neither databases nor sockets, so that threads do and one worker's modules serve all files. */
const PURE = [
  "contract/**/*.test.ts",
  "web/**/*.test.{ts,tsx}",
  "server/src/{dialects,prices}/**/*.test.ts",
  "tests/architecture.test.ts",
  "tests/architecture/**/*.test.ts",
  "tests/surface/**/*.test.ts",
];
/** The relay with a ledger in memory, and what it stands on. */
const RELAY = [
  "server/src/{relay,upstream,channels,providers}/**/*.test.ts",
  "tests/{fake-upstream,relay,sdk}/**/*.test.ts",
];
/** Half of the time is spent waiting for databases, browsers and timers; each worker may need some 20 connections to one server. */
const WORKERS = Math.min(4, availableParallelism() * 2);
/** Faults that take a minute or more to come and go; what they stand on (journal, time limits, sweeper) has tests beside the code. */
const LONG_FAULTS = ["database-loss", "workers", "broken-journal", "frozen-database", "soak", "clear-restart"].map(
  (name) => `tests/faults/${name}.test.ts`,
);
/** What the short form leaves to the others. */
const LEFT = LEAVES_TO_ALL ? Object.keys(LEFT_TO_ALL) : [];
/** The test files of a folder that starts browsers or processes: all, in the short form those that it keeps. */
const keptOf = (folder: string): string[] => (LEAVES_TO_ALL ? keptIn(folder) : [`${folder}/**/*.test.ts`]);
const WITH_DATABASES = { globalSetup: "tests/support/databases/templates.ts" };
const WITH_SERVERS = { ...WITH_DATABASES, setupFiles: ["tests/support/systems/shared-worker.ts"] };
const WHOLE_SYSTEM = { ...WITH_SERVERS, testTimeout: 300_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    maxWorkers: WORKERS,
    sequence: { sequencer: TestOrder },
    // What one run has translated, the next one has.
    fsModuleCache: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // What is waited for comes at once, but not on a machine that is busy.
    expect: { poll: { timeout: 15_000 } },
    passWithNoTests: false,
    projects: [
      { extends: true, test: { name: "pure", include: PURE, pool: "threads", isolate: false } },
      { extends: true, test: { name: "relay", include: RELAY, exclude: LEFT, isolate: false } },
      {
        extends: true,
        test: {
          name: "server",
          include: ["{server,tools,bench}/**/*.test.ts", "tests/{engines,access}/**/*.test.ts", "tests/*.test.ts"],
          exclude: [...PURE, ...RELAY, ...LEFT],
          isolate: false,
          ...WITH_SERVERS,
        },
      },
      {
        extends: true,
        test: {
          name: "parts",
          include: keptOf("tests/parts"),
          isolate: false,
          globalSetup: "tests/support/systems/scenes-server.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: keptOf("tests/e2e"),
          isolate: false,
          ...WHOLE_SYSTEM,
        },
      },
      {
        extends: true,
        test: {
          name: "faults",
          include: [...keptOf("tests/faults"), ...keptOf("tests/attacks")],
          exclude: process.env["TEST_FORM"] === "long" ? [] : LONG_FAULTS,
          isolate: false,
          ...WHOLE_SYSTEM,
        },
      },
      {
        extends: true,
        test: {
          name: "agents",
          include: RUNS_PROGRAMS ? ["tests/agents/**/*.test.ts"] : [],
          isolate: false,
          globalSetup: "tests/agents/programs.ts",
          testTimeout: 300_000,
        },
      },
    ],
  },
});
