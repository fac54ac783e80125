/** Finds import cycles in the whole tree, imports of types and lazy ones included: a cycle can be neither read nor moved in parts. */
import { posix } from "node:path";
import { importsOf } from "./import-rules.ts";
import { type Breach, isCode, type SourceFile } from "./tree.ts";

type Graph = ReadonlyMap<string, readonly string[]>;

/** Routes of the console name their page, which is loaded when it is opened and reads the route's search schema: this pair stands in one feature. */
const ROUTE = /^web\/src\/features\/\w+\/route\.ts$/;

/** Which file of the tree imports which; the lazy page of a route is left out. */
function graphOf(files: readonly SourceFile[]): Graph {
  const paths = new Set(files.map(({ path }) => path));
  const targetsOf = ({ path, text }: SourceFile): string[] =>
    importsOf(text)
      .filter(({ specifier, isLazy }) => specifier.startsWith(".") && !(isLazy && ROUTE.test(path)))
      .map(({ specifier }) => posix.join(posix.dirname(path), specifier.replace(/\?\w+$/, "")))
      .filter((target) => paths.has(target));
  return new Map(files.map((file) => [file.path, targetsOf(file)]));
}

/** Strongly connected components, by Tarjan's algorithm (SIAM Journal on Computing 1, 1972). */
class Components {
  readonly found: string[][] = [];
  readonly #graph: Graph;
  readonly #order = new Map<string, number>();
  readonly #stack: string[] = [];

  constructor(graph: Graph) {
    this.#graph = graph;
    for (const path of graph.keys()) this.#visit(path);
  }

  /** The earliest file that is still on the stack and can be reached from this one. */
  #visit(path: string): number {
    const known = this.#order.get(path);
    if (known !== undefined) return this.#stack.includes(path) ? known : Number.POSITIVE_INFINITY;
    const own = this.#order.size;
    this.#order.set(path, own);
    this.#stack.push(path);
    const lowest = Math.min(own, ...(this.#graph.get(path) ?? []).map((target) => this.#visit(target)));
    if (lowest === own) this.found.push(this.#stack.splice(this.#stack.indexOf(path)));
    return lowest;
  }
}

/** One breach for each group of files that import each other in a circle. */
export function checkCycles(files: readonly SourceFile[]): Breach[] {
  const graph = graphOf(files.filter(({ path }) => isCode(path)));
  return new Components(graph).found
    .filter(([first = "", ...rest]) => rest.length > 0 || graph.get(first)?.includes(first) === true)
    .map((group) => {
      const [first = "", ...rest] = group.toSorted();
      const others = rest.length === 0 ? "itself" : rest.join(", ");
      return { path: first, rule: "cycles", message: `is in an import cycle with ${others}` };
    });
}
