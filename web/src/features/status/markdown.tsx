/** Markdown of the operator; loaded with the first text that is Markdown. HTML in it is shown as text, addresses that run are dropped. */
import { useTranslation } from "react-i18next";
import ReactMarkdown, { type Components } from "react-markdown";
import styles from "./content.module.css";
import { tables, withBarsKept } from "./fns/tables.ts";

function Table({ children }: { children?: React.ReactNode }) {
  const { t } = useTranslation("status");
  return (
    // Focusable, so that it can be scrolled without a mouse too.
    <div className={styles.tableScroll} role="region" aria-label={t("table")} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

const components: Components = {
  a: ({ href, title, children }) => (
    <a href={href} title={title} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  table: ({ children }) => <Table>{children}</Table>,
};

const PLUGINS = [tables];

export const Markdown = ({ text }: { text: string }) => (
  <ReactMarkdown components={components} remarkPlugins={PLUGINS}>
    {withBarsKept(text)}
  </ReactMarkdown>
);
