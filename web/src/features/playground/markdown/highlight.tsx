/** Colours code by lowlight's grammars; gives React elements, never HTML. */
import { common, createLowlight } from "lowlight";
import { Fragment, type ReactNode } from "react";

const lowlight = createLowlight(common);

/** Longer pieces stay plain: colouring them would hold up the page. Characters. */
const MOST = 8000;

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

const classOf = (names: unknown): string => (Array.isArray(names) ? names.join(" ") : "");

function drawn(nodes: readonly Node[]): ReactNode {
  return nodes.map((node, index) => {
    if (node.type === "text") return <Fragment key={index}>{node.value}</Fragment>;
    if (node.type !== "element") return null;
    return (
      <span key={index} className={classOf(node.properties["className"])}>
        {drawn(node.children as Node[])}
      </span>
    );
  });
}

/** The code in colours; as it is where the language is unknown or the piece too long. */
export function highlight(code: string, language: string): ReactNode {
  const name = language.toLowerCase();
  if (code.length > MOST || !lowlight.registered(name)) return code;
  return drawn(lowlight.highlight(name, code).children);
}
