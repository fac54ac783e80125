/** The order in which test files start: whole projects, the slow ones first, and in between what has a process of its own, so that waiting and computing overlap. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The few between the many, at equal distances, the first of them first of all. */
export function spread<T>(few: readonly T[], many: readonly T[]): T[] {
  const distance = Math.ceil(many.length / Math.max(1, few.length));
  const groups = few.map((each, place) => [each, ...many.slice(place * distance, (place + 1) * distance)]);
  return [...groups.flat(), ...many.slice(few.length * distance)];
}

/**
 * A worker is kept, with its modules and its browser, only when the next file is of its project: projects follow each other as a whole,
 * from the last that vitest.config.ts names to the first, which has the shortest files. Files with processes of their own, which wait for
 * databases and time limits, stand between those of the first project, whose browsers compute.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alone = sorted.filter(({ project }) => project.config.isolate);
    const shared = this.ctx.projects
      .toReversed()
      .map((project) => sorted.filter((file) => file.project === project && !project.config.isolate))
      .filter(({ length }) => length > 0);
    return [...spread(alone, shared[0] ?? []), ...shared.slice(1).flat()];
  }
}
