/** The text of a message: plain text at once, anything more with Markdown, which loads with the first text that needs it. */
import { lazy, Suspense, use } from "react";
import styles from "./markdown.module.css";
import { Stored } from "./stored.ts";

/** Any mark that Markdown, an address or a formula begins with, or a second line. */
const MARKED = /[*_`#~<>[\]|$\\]|^\s*(?:[-+]|\d+[.)])\s|\n|https?:|www\./;

/** Whether a text has anything to it that is not letters, so that Markdown has to be loaded for it. Pure. */
export const isMarked = (text: string): boolean => MARKED.test(text);

const load = async () => ({ default: (await import("./markdown.tsx")).Markdown });
const Markdown = lazy(load);

/** Fetches Markdown while an answer is waited for; where that fails, the first text that needs it asks again. */
export const fetchMarkdown = (): void => void load().catch(() => undefined);

/** The text as it came, for as long as nothing better is there. */
const Letters = ({ text }: { text: string }) => <div className={styles.letters}>{text}</div>;

/** Longer letters are left to Markdown too, whose blocks are laid out as they come into sight. */
const LETTERS_MOST = 4_000;

export function LazyMarkdown({ text }: { text: string }) {
  const isStored = use(Stored);
  if (!isMarked(text) && text.length <= LETTERS_MOST) return <Letters text={text} />;
  if (isStored) return <Markdown text={text} />;
  return (
    <Suspense fallback={<Letters text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
}
