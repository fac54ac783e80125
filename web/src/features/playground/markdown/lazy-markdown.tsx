/** Words of a conversation: letters alone at once, anything more with Markdown, which loads with the first text that needs it. */
import { lazy, Suspense, use } from "react";
import styles from "./markdown.module.css";
import { isMarked } from "./plain-text.ts";
import { Stored } from "./stored.ts";

const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

/** The text as it came, for as long as nothing better is there. */
const Letters = ({ text }: { text: string }) => <div className={styles.letters}>{text}</div>;

export function LazyMarkdown({ text }: { text: string }) {
  const isStored = use(Stored);
  if (!isMarked(text)) return <Letters text={text} />;
  if (isStored) return <Markdown text={text} />;
  return (
    <Suspense fallback={<Letters text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}
