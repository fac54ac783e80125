/** One block of parsed Markdown: HTML in it is text, links open elsewhere, pictures of other sites load on request. */
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeView } from "./code-view.tsx";
import { linkOf, pictureOf } from "./links.ts";
import styles from "./markdown.module.css";

function Picture({ src, alt }: { src: string | undefined; alt: string }) {
  const { t } = useTranslation("playground");
  const [isShown, setIsShown] = useState(false);
  const picture = pictureOf(src);
  if (picture === undefined) return <>{alt}</>;
  if (picture.kind === "inline" || isShown)
    return <img className={styles.picture} src={picture.src} alt={alt} referrerPolicy="no-referrer" />;
  return (
    <span className={styles.hidden}>
      <button type="button" className={styles.show} onClick={() => setIsShown(true)}>
        {t("picture.show", { host: picture.host })}
      </button>
      <a href={picture.src} target="_blank" rel="noopener noreferrer">
        {alt || picture.host}
      </a>
    </span>
  );
}

function Table({ children }: { children?: React.ReactNode }) {
  const { t } = useTranslation("playground");
  return (
    // Focusable, so that it can be scrolled without a mouse too.
    <div className={styles.tableScroll} role="region" aria-label={t("table")} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** The text in a tree of elements that the parser made. */
export function textIn(node: unknown): string {
  if (typeof node !== "object" || node === null) return "";
  if ("value" in node && typeof node.value === "string") return node.value;
  return "children" in node && Array.isArray(node.children) ? node.children.map(textIn).join("") : "";
}

interface CodeElement {
  properties?: { className?: unknown };
}

/** The language that a fence names. */
export function languageIn(node: unknown): string {
  const [code] = (node as { children?: CodeElement[] } | undefined)?.children ?? [];
  const names = code?.properties?.className;
  const [name] = Array.isArray(names) ? names.map(String) : [];
  return name?.replace(/^language-/, "") ?? "";
}

/** Code within a list or a quotation. */
export const Fence = ({ node }: { node: unknown }) => (
  <CodeView code={textIn(node).replace(/\n$/, "")} language={languageIn(node)} />
);

export const COMPONENTS: Components = {
  a({ href, title, children }) {
    const address = linkOf(href);
    if (address === undefined) return <>{children}</>;
    return (
      <a href={address} title={title ?? address} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  },
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : undefined} alt={alt ?? ""} />,
  // A disabled check box is drawn as a sign: as a control it would need a name.
  input: ({ checked }) => (checked === true ? "☑ " : "☐ "),
  table: ({ children }) => <Table>{children}</Table>,
  pre: ({ node }) => <Fence node={node} />,
};

/** Addresses are judged where they are drawn; the parser's own rule would drop pictures that are in the answer. */
const asItIs = (address: string): string => address;

export const PLUGINS: NonNullable<Options["remarkPlugins"]> = [remarkGfm];

/** Markdown with a plugin and elements beside the usual ones. */
export const Parsed = ({
  text,
  plugins = PLUGINS,
  components = COMPONENTS,
}: {
  text: string;
  plugins?: NonNullable<Options["remarkPlugins"]>;
  components?: Components;
}) => (
  <ReactMarkdown components={components} remarkPlugins={plugins} urlTransform={asItIs}>
    {text}
  </ReactMarkdown>
);
