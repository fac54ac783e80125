/** Markdown of the operator, with GitHub's tables, check lists and plain addresses; loaded with the first Markdown text. HTML in it is shown as text, script addresses are dropped. */
import { useTranslation } from "../../lib/i18n.ts";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import styles from "./content.module.css";

function Table({ children }: { children?: React.ReactNode }) {
  const { t } = useTranslation("ui");
  return (
    // Focusable, so that it can be scrolled without a mouse too.
    <div className={styles.tableScroll} role="region" aria-label={t("content.table")} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** Other sites open beside this one; a place on the same page, like a footnote, does not. */
const beside = (href: string | undefined) =>
  href?.startsWith("#") === true ? {} : { target: "_blank", rel: "noopener noreferrer" };

const components: Components = {
  a: ({ id, href, title, children }) => (
    <a id={id} href={href} title={title} {...beside(href)}>
      {children}
    </a>
  ),
  // A disabled check box is drawn as a sign: as a control it would need a name.
  input: ({ checked }) => (checked === true ? "☑ " : "☐ "),
  table: ({ children }) => <Table>{children}</Table>,
};

const PLUGINS = [remarkGfm];

export function Markdown({ text }: { text: string }) {
  const { t } = useTranslation("ui");
  const footnotes = {
    footnoteLabel: t("content.footnotes"),
    footnoteLabelProperties: {},
    footnoteBackLabel: t("content.footnoteBack"),
  };
  return (
    <ReactMarkdown components={components} remarkPlugins={PLUGINS} remarkRehypeOptions={footnotes}>
      {text}
    </ReactMarkdown>
  );
}
