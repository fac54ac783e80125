/** What a model answered: its thinking folded, its words, its calls of tools, where it failed, and what it took. */
import { IconRefresh, IconTrash } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { linkOf } from "../markdown/links.ts";
import { fetchMarkdown, LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import { isUnderWay, type Source } from "../model/conversation.ts";
import { thinkingApart } from "../model/stream.ts";
import { ActButton } from "./act-button.tsx";
import { FailureBox } from "./failure-box.tsx";
import { FigureLine } from "./figure-line.tsx";
import type { MessageProps } from "./message-props.ts";
import { useRetry } from "./use-retry.ts";
import { Reasoning } from "./reasoning.tsx";
import styles from "./thread.module.css";
import { ToolCalls } from "./tool-calls.tsx";

function Waiting() {
  useEffect(fetchMarkdown, []);
  return (
    <span className={styles.waiting} aria-hidden>
      <i />
      <i />
      <i />
    </span>
  );
}

function Sources({ sources }: { sources: readonly Source[] }) {
  const { t } = useTranslation("playground");
  const links = sources.flatMap(({ url, title }) => {
    const href = linkOf(url);
    return href === undefined ? [] : [{ href, title }];
  });
  if (links.length === 0) return null;
  return (
    <ol className={styles.sources} aria-label={t("sources")}>
      {links.map(({ href, title }) => (
        <li key={href}>
          <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
            {title}
          </a>
        </li>
      ))}
    </ol>
  );
}

function Acts(props: MessageProps) {
  const { message, laneId, acts, isBusy } = props;
  const { t } = useTranslation("playground");
  const retry = useRetry(props);
  if (isUnderWay(message)) return null;
  const { content } = thinkingApart(message);
  return (
    <div className={styles.acts}>
      {content !== "" && <CopyButton text={content} label={t("act.copy")} />}
      <ActButton icon={IconRefresh} label={t("act.retry")} isDisabled={isBusy} onClick={() => void retry()} />
      <ActButton
        icon={IconTrash}
        label={t("act.delete")}
        isDisabled={isBusy}
        onClick={() => acts.remove(laneId, message.id)}
      />
    </div>
  );
}

export function Reply(props: MessageProps) {
  const { message, isLast } = props;
  const { t } = useTranslation("playground");
  const { content, reasoning, isOpen } = thinkingApart(message);
  const isWriting = isUnderWay(message);
  const isThinking = isWriting && (isOpen || (content === "" && reasoning !== ""));
  return (
    <article
      className={styles.reply}
      aria-label={t("role.assistant")}
      aria-busy={isWriting}
      data-status={message.status}
    >
      <ModelMark model={message.model ?? ""} size={22} />
      <div className={styles.body}>
        {reasoning !== "" && <Reasoning text={reasoning} ms={message.reasoningMs} isThinking={isThinking} />}
        {message.status === "loading" && <Waiting />}
        {content !== "" && <LazyMarkdown text={content} />}
        {(message.toolCalls?.length ?? 0) > 0 && <ToolCalls calls={message.toolCalls ?? []} />}
        {message.sources !== undefined && <Sources sources={message.sources} />}
        {message.failure !== undefined && <FailureBox {...props} failure={message.failure} />}
        {message.isStopped === true && <p className={styles.stopped}>{t("stopped")}</p>}
        <div className={styles.foot} data-is-last={isLast || undefined}>
          <FigureLine message={message} />
          <Acts {...props} />
        </div>
      </div>
    </article>
  );
}
