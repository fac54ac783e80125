/** The order in which test files start: what has a process of its own first, then whole projects, the slow ones first. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files of one project follow each other, the last project's first; before them all stand those whose project gives each a process of its own.
 * @param projects as vitest.config.ts names them, with what they say of `isolate`
 */
export function byProject<Project extends { config: { isolate: boolean } }, File extends { project: Project }>(
  files: readonly File[],
  projects: readonly Project[],
): File[] {
  const alone = files.filter(({ project }) => project.config.isolate);
  const shared = projects.toReversed().filter(({ config }) => !config.isolate);
  return [...alone, ...shared.flatMap((project) => files.filter((file) => file.project === project))];
}

/**
 * A worker is kept, with its modules and its browser, only when the next file of the queue is of its project: vitest's pool looks at no
 * other. A file with a process of its own between two others would end a worker each time, and with it two seconds of the processor's
 * time and a browser that has compiled the console. Such files come first, since they wait longest for time limits.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return byProject(await super.sort(files), this.ctx.projects);
  }
}
