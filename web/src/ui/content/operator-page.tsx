/** The operator's own page: Markdown, sanitised HTML, or another site in a sandboxed frame. */
import { lazy, Suspense } from "react";
import { SafeHtml } from "../display/safe-html.tsx";
import styles from "./content.module.css";
import type { Content } from "./content-of.ts";

const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

/** A page of another origin may use its own storage; one of ours must not, or it could take its sandbox off. */
const sandboxFor = (address: URL): string =>
  `allow-scripts allow-forms allow-popups${address.origin === location.origin ? "" : " allow-same-origin"}`;

/** @param title names the frame for screen readers */
export function OperatorPage({ content, title }: { content: Exclude<Content, { kind: "none" }>; title: string }) {
  if (content.kind === "frame") {
    return (
      <iframe
        className={styles.frame}
        src={content.address.href}
        title={title}
        sandbox={sandboxFor(content.address)}
        referrerPolicy="no-referrer"
      />
    );
  }
  return (
    <Suspense fallback={null}>
      <div className={styles.page}>
        <OperatorText content={content} />
      </div>
    </Suspense>
  );
}

/** The text alone, for a notice. Suspends until what draws it is loaded, so that nothing is shown around an empty place. */
export function OperatorText({ content }: { content: Extract<Content, { text: string }> }) {
  if (content.kind === "html") return <SafeHtml className={styles.text ?? ""} html={content.text} />;
  return (
    <div className={styles.text}>
      <Markdown text={content.text} />
    </div>
  );
}
