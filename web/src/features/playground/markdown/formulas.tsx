/** A block of Markdown with formulas, set by KaTeX; loaded with the first formula. */
import "katex/dist/katex.min.css";
import katex from "katex";
import { useLayoutEffect, useRef } from "react";
import type { Components } from "react-markdown";
import remarkMath from "remark-math";
import { COMPONENTS, Fence, languageIn, Parsed, PLUGINS, textIn } from "./parsed.tsx";

/** What TeX could be made to do is bounded: no addresses or HTML (`trust`), sizes and expansions with an end. */
const SETTINGS = {
  trust: false,
  strict: "ignore",
  maxExpand: 500,
  maxSize: 20,
} as const;

/** Sets the formula in the element; as its letters where it is broken, or not yet whole while it comes. */
function setFormula(place: HTMLElement, tex: string, displayMode: boolean): void {
  try {
    katex.render(tex, place, { ...SETTINGS, displayMode });
  } catch (error) {
    // KaTeX's own display of errors needs style attributes, which are not allowed here.
    if (!(error instanceof katex.ParseError)) throw error;
    place.textContent = tex;
  }
}

/** KaTeX makes elements, not HTML: nothing is parsed, and no style attribute needs to be allowed. */
function Formula({ tex, isDisplayed }: { tex: string; isDisplayed: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (place.current !== null) setFormula(place.current, tex, isDisplayed);
  }, [tex, isDisplayed]);
  return <span ref={place} data-is-displayed={isDisplayed || undefined} />;
}

/** The parser gives formulas as code in the language `math`. */
const WITH_FORMULAS: Components = {
  ...COMPONENTS,
  pre: (props) =>
    languageIn(props.node) === "math" ? <Formula tex={textIn(props.node)} isDisplayed /> : <Fence node={props.node} />,
  code: ({ className, children, node }) =>
    className?.includes("math-inline") === true ? (
      <Formula tex={textIn(node)} isDisplayed={false} />
    ) : (
      <code>{children}</code>
    ),
};

const PLUGINS_WITH_MATH = [...PLUGINS, remarkMath];

export const Formulas = ({ text }: { text: string }) => (
  <Parsed text={text} plugins={PLUGINS_WITH_MATH} components={WITH_FORMULAS} />
);
