/** An operator's HTML on our page: sanitised, so that it cannot run anything or imitate our forms. */
import { useEffect, useState } from "react";

const FORBIDDEN = { FORBID_TAGS: ["style", "form", "input", "iframe"], FORBID_ATTR: ["style"] };

const STYLE = /\sstyle\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi;

/** Without style attributes: the sanitiser drops them too, but the browser complains of each one that it parses. */
const unstyled = (html: string): string => html.replace(/<[^>]*>/g, (tag) => tag.replace(STYLE, ""));

/** The HTML without scripts, handlers, styles and forms; empty until the sanitiser is loaded. */
function useSafeHtml(html: string): string {
  const [safe, setSafe] = useState("");
  useEffect(() => {
    let isCurrent = true;
    void import("dompurify").then(({ default: purify }) => {
      if (isCurrent) setSafe(purify.sanitize(unstyled(html), FORBIDDEN));
    });
    return () => {
      isCurrent = false;
    };
  }, [html]);
  return safe;
}

export function SafeHtml({ html, className }: { html: string; className?: string }) {
  // oxlint-disable-next-line react/no-danger -- sanitised just above
  return <div className={className} dangerouslySetInnerHTML={{ __html: useSafeHtml(html) }} />;
}
