/** The messages of one lane. It keeps to its end while words come, unless somebody scrolled up to read. */
import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { memo, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { visible } from "../../../lib/names.ts";
import { Stored } from "../markdown/stored.ts";
import { isUnderWay, type Lane } from "../model/conversation.ts";
import { isUnanswered } from "../model/edits.ts";
import type { ChatActs } from "../use-chat.ts";
import { ToolResults } from "./tool-results.tsx";
import type { MessageProps } from "./message-props.ts";
import { Reply } from "./reply.tsx";
import { UserMessage } from "./user-message.tsx";
import styles from "./thread.module.css";

function ToolMessage({ message }: MessageProps) {
  const { t } = useTranslation("playground");
  return (
    <div className={styles.tool}>
      <span className={styles.toolLabel}>{t("tools.result")}</span>
      <pre className={styles.toolText}>{message.content}</pre>
    </div>
  );
}

function Divider({ acts, isLast, isBusy }: MessageProps) {
  const { t } = useTranslation("playground");
  return (
    <div className={styles.divider}>
      <span>{t("clear.done")}</span>
      {isLast && !isBusy && (
        <button type="button" onClick={() => acts.clear()}>
          {t("clear.undo")}
        </button>
      )}
    </div>
  );
}

/** What a person said, what a model answered, what a tool gave, or the line at which the context was cleared. */
const VIEWS = { user: UserMessage, assistant: Reply, tool: ToolMessage, divider: Divider } as const;

const MessageView = memo((props: MessageProps) => {
  const View = VIEWS[props.message.role];
  return <View {...props} />;
});
MessageView.displayName = "MessageView";

/** Nearer to its end than this a thread is taken to be at its end. CSS pixels. */
const NEAR_PX = 80;

/** Keeps the element at its end for as long as it was there before its content grew. */
function useStickyEnd(messages: Lane["messages"]) {
  const place = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const topBefore = useRef(0);
  const [isAway, setIsAway] = useState(false);
  const toEnd = () => {
    const element = place.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  const onScroll = () => {
    const element = place.current;
    if (element === null) return;
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    // Far from the end without having gone up: more was written than this event knew of.
    isStuck.current = isNear || (isStuck.current && element.scrollTop >= topBefore.current);
    topBefore.current = element.scrollTop;
    setIsAway(!isStuck.current);
  };
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isStuck.current) toEnd();
    });
    if (content.current !== null) observer.observe(content.current);
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  // Whoever says something wants to see what comes of it.
  const count = messages.length;
  useEffect(() => {
    isStuck.current = true;
    toEnd();
  }, [count]);
  return { place, content, isAway, onScroll, toEnd };
}

interface ThreadProps {
  lane: Lane;
  acts: ChatActs;
  isBusy: boolean;
  label: string;
  /** The model that the lane asks, where it is compared with others. */
  compared?: string | undefined;
}

/** A question that this model was not asked yet, while others were. */
function AskAlso({ lane, acts, isBusy, compared = "" }: ThreadProps) {
  const { t } = useTranslation("playground");
  if (isBusy || !isUnanswered(lane.messages)) return null;
  return (
    <div className={styles.askAlso}>
      <Button onClick={() => acts.askAlso(lane.id)}>{t("compare.ask", { model: visible(compared) })}</Button>
    </div>
  );
}

export function Thread(props: ThreadProps) {
  const { lane, acts, isBusy, label, compared } = props;
  const { t } = useTranslation("playground");
  const { messages } = lane;
  const [storedIds] = useState(() => new Set(messages.map(({ id }) => id)));
  const { place, content, isAway, onScroll, toEnd } = useStickyEnd(messages);
  return (
    <div className={styles.place}>
      <div ref={place} className={styles.scroll} onScroll={onScroll} tabIndex={0} role="region" aria-label={label}>
        <div ref={content} className={styles.content}>
          {messages.length === 0 && <p className={styles.nothing}>{t("nothing")}</p>}
          <Suspense>
            {messages.map((message, index) => (
              <Stored key={message.id} value={storedIds.has(message.id)}>
                <MessageView
                  message={message}
                  laneId={lane.id}
                  acts={acts}
                  isBusy={isBusy}
                  isLast={index === messages.length - 1}
                  laterCount={messages.length - 1 - index}
                  isOfOther={compared !== undefined && message.model !== undefined && message.model !== compared}
                />
              </Stored>
            ))}
          </Suspense>
          {compared !== undefined && <AskAlso {...props} />}
          <ToolResults lane={lane} acts={acts} isBusy={isBusy} />
        </div>
      </div>
      {isAway && (
        <button type="button" className={styles.toEnd} aria-label={t("toEnd")} title={t("toEnd")} onClick={toEnd}>
          <IconArrowDown size={16} stroke={1.75} aria-hidden />
        </button>
      )}
      <div className="tp-visually-hidden" aria-live="polite">
        {messages.at(-1)?.role === "assistant" && t(messages.some(isUnderWay) ? "live.writing" : "live.done")}
      </div>
    </div>
  );
}
