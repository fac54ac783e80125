/** An operator's HTML on our page: sanitised, so that it cannot run anything or imitate our forms. */
import { useEffect, useRef } from "react";

const FORBIDDEN = { FORBID_TAGS: ["style", "form", "input", "iframe"], FORBID_ATTR: ["style"] };

const STYLE = /\sstyle\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi;

/** Removes style attributes. The sanitiser would drop them too, but the browser reports each one that it parses. */
const unstyled = (html: string): string => html.replace(/<[^>]*>/g, (tag) => tag.replace(STYLE, ""));

/** Empty until the sanitiser is loaded. Its result is inserted as nodes, so that no text is parsed a second time. */
export function SafeHtml({ html, className }: { html: string; className?: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isCurrent = true;
    void import("dompurify").then(({ default: purify }) => {
      const safe = purify.sanitize(unstyled(html), { ...FORBIDDEN, RETURN_DOM_FRAGMENT: true });
      if (isCurrent) place.current?.replaceChildren(safe);
    });
    return () => {
      isCurrent = false;
    };
  }, [html]);
  return <div ref={place} className={className} />;
}
