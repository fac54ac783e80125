/** What an expression of PromQL reads: the metrics, and the labels that it names of each. */
import { parser } from "@prometheus-io/lezer-promql";

type Node = ReturnType<typeof parser.parse>["topNode"];

export interface ReadMetric {
  name: string;
  /** Labels that it is chosen by, and those that what it is part of is grouped or joined by. */
  labels: Set<string>;
}

const ERROR = "⚠";

function descendants(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate(({ name: each, node: at }) => void (each === name && found.push(at)));
  return found;
}

/** The metrics of an expression, which is given without variables. Throws an Error of one line where its syntax is wrong. */
export function metricsIn(expression: string): ReadMetric[] {
  const { topNode } = parser.parse(expression);
  const textOf = ({ from, to }: Node): string => expression.slice(from, to);
  const [error] = descendants(topNode, ERROR);
  if (error !== undefined) throw new Error(`not PromQL at character ${error.from}: ${expression}`);
  const read = descendants(topNode, "VectorSelector").map((selector) => ({
    selector,
    name: descendants(selector, "Identifier").map(textOf)[0] ?? "",
    labels: new Set(descendants(selector, "LabelName").map(textOf)),
  }));
  for (const grouping of descendants(topNode, "GroupingLabels")) {
    // Of an aggregation the metrics inside it; of a join both sides.
    const whole = grouping.parent?.parent;
    for (const { selector, labels } of read)
      if (whole !== null && whole !== undefined && selector.from >= whole.from && selector.to <= whole.to)
        for (const label of descendants(grouping, "LabelName")) labels.add(textOf(label));
  }
  return read.map(({ name, labels }) => ({ name, labels }));
}
