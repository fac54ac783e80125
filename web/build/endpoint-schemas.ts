/**
 * Leaves out of the console's scripts what only the server needs: the English sentences of the log's events, which the console has as texts, and
 * of an endpoint its summary and its schemas. Of an endpoint the browser has
 * method, path and access, so that texts and schemas which nothing else uses are dropped. Used by vite.config.ts; zod itself is left out by
 * src/lib/no-schemas.ts.
 */
import type { Plugin } from "vite";

const LEFT_OUT = new Set(["summary", "params", "query", "body", "bodyBytes", "data", "extra"]);
/** File with the events of the log, and the property of their English sentences. */
const EVENTS = /contract[\\/]src[\\/]logs[\\/]events\.ts$/;
const ENGLISH = "english";
const DECLARING = new Set(["endpoint", "streamEndpoint", "callbackEndpoint"]);

/** The parts of a syntax tree (ESTree) that are read here. */
interface Node {
  type: string;
  start: number;
  end: number;
  callee?: { name?: string };
  arguments?: Node[];
  properties?: Node[];
  key?: { name?: string };
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

/** Every node of the tree, parents first. */
function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* nodesOf(each);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

const isLeftOut = ({ type, key }: Node): boolean => type === "Property" && LEFT_OUT.has(key?.name ?? "");

/** The properties to leave out of the declarations in this tree. */
function leftOut(tree: unknown): Node[] {
  return [...nodesOf(tree)]
    .filter(({ type, callee }) => type === "CallExpression" && DECLARING.has(callee?.name ?? ""))
    .flatMap((call) => call.arguments?.[0]?.properties ?? [])
    .filter(isLeftOut);
}

/** Code of the contract's endpoints without those properties. */
function stripped(code: string, properties: readonly Node[]): string {
  return properties.reduceRight((rest, { start, end }) => {
    const comma = /^\s*,/.exec(rest.slice(end))?.[0].length ?? 0;
    return rest.slice(0, start) + rest.slice(end + comma);
  }, code);
}

const sentencesOf = (tree: unknown): Node[] =>
  [...nodesOf(tree)].filter(({ type, key }) => type === "Property" && key?.name === ENGLISH);

export const withoutEndpointSchemas = (): Plugin => ({
  name: "without-endpoint-schemas",
  apply: "build",
  transform: {
    filter: { id: /contract[\\/]src[\\/]/ },
    handler(code, id) {
      const tree = this.parse(code);
      const properties = EVENTS.test(id) ? sentencesOf(tree) : leftOut(tree);
      return properties.length === 0 ? undefined : { code: stripped(code, properties), map: null };
    },
  },
});
