/** How the tests run: one project for each stage of `npm test`, so that a stage can be run and timed alone. */
import { defineConfig } from "vitest/config";

/** Two cores serve every stage; the stages that own a browser or count descriptors run one file after the other. */
const unit = [
  "contract/**/*.test.ts",
  "server/**/*.test.ts",
  "web/**/*.test.{ts,tsx}",
  "tools/**/*.test.ts",
  "bench/**/*.test.ts",
];
const relayTests = [
  "server/src/{relay,dialects,upstream,channels,providers}/**/*.test.ts",
  "tests/{fake-upstream,sdk}/**/*.test.ts",
];

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // What is waited for comes at once, but not on a machine that is busy.
    expect: { poll: { timeout: 15_000 } },
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [...unit, "tests/*.test.ts", "tests/architecture/*.test.ts"],
          exclude: relayTests,
        },
      },
      { extends: true, test: { name: "engines", include: ["tests/engines/**/*.test.ts"], fileParallelism: false } },
      { extends: true, test: { name: "relay", include: relayTests } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["tests/{e2e,faults,scale}/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
