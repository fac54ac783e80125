/** The order in which test files start: those with a process of their own first, one of each project in turn, so that waiting and computing overlap. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** One of each list in turn, for as long as it lasts. */
export function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat();
}

/**
 * Browsers compute and faults wait for databases to come back, so side by side they take the time of the longer. The others follow
 * project by project, because their workers are kept only for files of their own project; the last to start are small.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isAlone = ({ project }: TestSpecification): boolean => project.config.isolate;
    const byProject = Map.groupBy(sorted.filter(isAlone), ({ project }) => project.name);
    return [...inTurn([...byProject.values()]), ...sorted.filter((file) => !isAlone(file))];
  }
}
