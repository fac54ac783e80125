/** The order in which test files start: whole projects, the slow ones first. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files whose size does not show how long they take; a fresh clone, which knows no durations yet, would start one at the very end and wait for it alone. */
const STARTS_FIRST = /\/(?:any-input|pages|backup|command-line|matrix|opencode|gemini-cli)\.test\.ts$/;

const startingFirst = (files: readonly TestSpecification[]): TestSpecification[] => [
  ...files.filter(({ moduleId }) => STARTS_FIRST.test(moduleId)),
  ...files.filter(({ moduleId }) => !STARTS_FIRST.test(moduleId)),
];

/**
 * A worker is kept, with its modules and its browser, only when the next file is of its project: projects follow each other as a whole,
 * from the last that vitest.config.ts names to the first, which has the shortest files.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = startingFirst(await super.sort(files));
    return this.ctx.projects.toReversed().flatMap((project) => sorted.filter((file) => file.project === project));
  }
}
