/** Installs the programs of tests/agents once for a run; vitest calls it before them. What went wrong fails each of their files, and no other test. */
import type { TestProject } from "vitest/node";
import { installPrograms } from "../../tools/agents/install.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Why the programs are not here; empty where they are. */
    programsLack: string;
  }
}

/** Fills the cache where it is not whole, within the five minutes that install.mjs gives npm, and says how long that took. */
export function setup(project: TestProject): void {
  const startedMs = performance.now();
  try {
    const outcome = installPrograms();
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    process.stdout.write(`programs of tests/agents: ${outcome}, ${seconds} s\n`);
    project.provide("programsLack", "");
  } catch (error) {
    project.provide("programsLack", error instanceof Error ? error.message : String(error));
  }
}
