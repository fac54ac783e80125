/** A model's answer: its reasoning folded, its text, its tool calls, its failure, and its figures. */
import { Button } from "@mantine/core";
import {
  IconChevronRight,
  IconPlayerTrackNext,
  IconRefresh,
  IconTool,
  IconTrash,
  IconAlertCircle,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { type TFunction, useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { formatDecimals, formatDurationMs, formatNumber, formatQuota } from "../../../lib/format.ts";
import { shownShortage } from "../../../lib/shortage.ts";
import { CopyButton, Copy } from "../../../ui/display/copy.tsx";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { Spinner, unlessOff } from "../../../ui/plain.tsx";
import { linkOf } from "../markdown/links.ts";
import { fetchMarkdown, LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import { isUnderWay, type Message, type Source, type ToolCall, type Failure } from "../model/conversation.ts";
import { thinkingApart, tokensPerSecond } from "../model/stream.ts";
import { canGoOn } from "../model/edits.ts";
import { ActButton } from "./act-button.tsx";
import { type MessageProps, VersionSteps } from "./version-steps.tsx";
import styles from "./thread.module.css";

/** The conversation in which a button has the focus: the button goes with its message, and the focus stays where that was. */
const conversation = (): HTMLElement | null | undefined =>
  document.activeElement?.closest<HTMLElement>('[role="region"]');

/** Asks again; what stood there stays as another version. */
const useRetry =
  ({ message, laneId, acts }: MessageProps): (() => void) =>
  () => {
    const place = conversation();
    acts.retry(laneId, message.id);
    place?.focus({ preventScroll: true });
  };

/** Failures of which the page knows more than the server said; their sentences are in the locale file. */
const OWN_WORDS = [
  "unreachable",
  "broken_stream",
  "not_logged_in",
  "insufficient_user_quota",
  "too_many_requests",
] as const;

/** What is said of a failure; of a balance that does not reach both amounts, as far as they are known. */
function failureWords(failure: Failure, t: TFunction): string {
  const own = OWN_WORDS.find((code) => code === failure.code);
  if (own === undefined) return failure.message;
  if (failure.shortage === undefined) return t(`failure.${own}`);
  return t(failure.shortage.left === undefined ? "failure.needs" : "failure.lacks", shownShortage(failure.shortage));
}

/** Refusals that more balance mends. */
const MENDED_BY_BALANCE: readonly string[] = ["insufficient_user_quota", "quota_reached"];

/** Why there is no answer, or no whole one: the relay's own sentence, the id of the request, and the way to its log entry. */
function FailureBox(props: MessageProps & { failure: Failure }) {
  const { message, failure, isBusy } = props;
  const { t } = useTranslation("playground");
  const retry = useRetry(props);
  const requestId = message.figures?.requestId;
  return (
    <div className={styles.failure} role="alert">
      <IconAlertCircle size={16} stroke={1.5} aria-hidden />
      <div>
        <p>{failureWords(failure, t)}</p>
        <div className={styles.failureFoot}>
          {MENDED_BY_BALANCE.includes(failure.code) && <Link to="/topup">{t("failure.topUp")}</Link>}
          {failure.status >= 400 && <span>{t("failure.status", { status: failure.status })}</span>}
          {requestId !== undefined && (
            <>
              <Copy text={requestId} label={t("failure.copyId")} isIconShown>
                <span className="mono">{requestId}</span>
              </Copy>
              <Link to="/log" search={{ request_id: requestId }}>
                {t("failure.log")}
              </Link>
            </>
          )}
        </div>
      </div>
      <Button size="xs" {...unlessOff(isBusy, retry)}>
        {t("act.retry")}
      </Button>
    </div>
  );
}

/** What a model thought before it answered, folded until it is opened. */
function Reasoning({ text, ms, isThinking }: { text: string; ms: number | undefined; isThinking: boolean }) {
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

/** JSON with line breaks where it is whole; what is still coming as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The tools a model wants called, with their arguments as it wrote them. */
function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  const { t } = useTranslation("playground");
  return (
    <ul className={styles.calls} aria-label={t("tools.calls")}>
      {calls.map((call, index) => (
        <li key={index}>
          <div className={styles.callHead}>
            <IconTool size={14} stroke={1.5} aria-hidden />
            <span className="mono">{visible(call.name)}</span>
          </div>
          <pre className={styles.toolText}>{indented(call.arguments)}</pre>
        </li>
      ))}
    </ul>
  );
}

/** A call's cost has 6 decimals. */
const COST_DECIMALS = 6;

function useParts({ model, figures = {}, status }: Message): string[] {
  const { t } = useTranslation("playground");
  const { promptTokens, completionTokens, quota, firstTokenMs, totalMs } = figures;
  const speed = tokensPerSecond(figures);
  const tokens =
    promptTokens === undefined || completionTokens === undefined
      ? ""
      : t("figures.tokens", { input: formatNumber(promptTokens), output: formatNumber(completionTokens) });
  return [
    visible(model ?? ""),
    tokens,
    quota === undefined ? "" : formatQuota(quota, COST_DECIMALS),
    firstTokenMs === undefined ? "" : t("figures.first", { time: formatDurationMs(firstTokenMs) }),
    speed === undefined ? "" : t("figures.speed", { speed: formatDecimals(speed, speed < 10 ? 1 : 0) }),
    status === "complete" && totalMs !== undefined ? t("figures.total", { time: formatDurationMs(totalMs) }) : "",
  ].filter((part) => part !== "");
}

/** What a reply took: tokens, cost, time to the first token, tokens a second, and the way to its receipt. */
function FigureLine({ message }: { message: Message }) {
  const { t } = useTranslation("playground");
  const parts = useParts(message);
  const { requestId, quota } = message.figures ?? {};
  // Until the end only the model is named, so that nothing jumps about while words come.
  const shown = isUnderWay(message) ? parts.slice(0, 1) : parts;
  return (
    <span className={styles.figures}>
      {shown.map((part) => (
        <span key={part}>{part}</span>
      ))}
      {!isUnderWay(message) && requestId !== undefined && quota !== undefined && (
        <Link to="/log" search={{ request_id: requestId }}>
          {t("figures.receipt")}
        </Link>
      )}
    </span>
  );
}

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
  const { message, laneId, acts, isBusy, isLast } = props;
  const { t } = useTranslation("playground");
  const retry = useRetry(props);
  if (isUnderWay(message)) return null;
  const { content } = thinkingApart(message);
  return (
    <div className={styles.acts}>
      <VersionSteps {...props} />
      {isLast && canGoOn(message) && (
        <ActButton
          icon={IconPlayerTrackNext}
          label={t("act.goOn")}
          isDisabled={isBusy}
          onClick={() => {
            const place = conversation();
            acts.goOn(laneId, message.id);
            place?.focus({ preventScroll: true });
          }}
        />
      )}
      {content !== "" && <CopyButton text={content} label={t("act.copy")} />}
      <ActButton icon={IconRefresh} label={t("act.retry")} isDisabled={isBusy} onClick={retry} />
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
  const { message, isLast, isOfOther = false } = props;
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
        {isOfOther && <p className={`mono ${styles.stopped}`}>{visible(message.model ?? "")}</p>}
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
