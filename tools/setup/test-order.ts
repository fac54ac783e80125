/** The order in which test files start: whole projects, the slow ones first. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * A worker is kept, with its modules and its browser, only when the next file is of its project: projects follow each other as a whole,
 * from the last that vitest.config.ts names to the first, which has the shortest files.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return this.ctx.projects.toReversed().flatMap((project) => sorted.filter((file) => file.project === project));
  }
}
