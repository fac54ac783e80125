/** What a model thought before it answered, folded until somebody wants to read it. */
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDurationMs } from "../../../lib/format.ts";
import { Spinner } from "../../../ui/plain.tsx";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import styles from "./thread.module.css";

export function Reasoning({ text, ms, isThinking }: { text: string; ms: number | undefined; isThinking: boolean }) {
  const { t } = useTranslation("playground");
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const done = ms === undefined || ms < 1 ? t("reasoning.done") : t("reasoning.doneIn", { time: formatDurationMs(ms) });
  return (
    <div className={styles.reasoning}>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isThinking ? <Spinner /> : <IconChevronRight size={14} stroke={1.75} className={styles.chevron} aria-hidden />}
        {isThinking ? t("reasoning.now") : done}
      </button>
      <div id={id} className={styles.thought} hidden={!isOpen}>
        {isOpen && <LazyMarkdown text={text} />}
      </div>
    </div>
  );
}
