/** The messages of one lane. It stays scrolled to its end while text streams in, unless the user scrolled up. */
import { Button } from "@mantine/core";
import { IconArrowDown, IconPencil, IconTrash } from "@tabler/icons-react";
import { memo, Suspense, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { SentFiles } from "../attached.tsx";
import { Stored } from "../markdown/stored.ts";
import { isUnderWay, type Lane, type ToolCall } from "../model/conversation.ts";
import { isUnanswered, openCalls } from "../model/edits.ts";
import type { ChatActs } from "../use-chat.ts";
import { Reply } from "./reply.tsx";
import styles from "./thread.module.css";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { ActButton } from "./act-button.tsx";
import { type MessageProps, VersionSteps } from "./version-steps.tsx";

function Editor({ message, laneId, acts, onEnd }: MessageProps & { onEnd: () => void }) {
  const { t } = useTranslation("playground");
  const [text, setText] = useState(message.content);
  const isBlank = text.trim() === "" && (message.images?.length ?? 0) + (message.attachments?.length ?? 0) === 0;
  const send = () => {
    if (isBlank) return;
    onEnd();
    acts.resend(laneId, message.id, text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onEnd();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <div className={styles.editor}>
      <textarea
        className={styles.editText}
        aria-label={t("edit.label")}
        value={text}
        autoFocus
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.editFoot}>
        <span className={styles.editHint}>{t("edit.hint")}</span>
        <Button size="xs" onClick={onEnd}>
          {t("edit.cancel")}
        </Button>
        <Button size="xs" variant="filled" disabled={isBlank} onClick={send}>
          {t("edit.send")}
        </Button>
      </div>
    </div>
  );
}

/** What a person said, with its pictures; it can be edited in its place and sent again. */
function UserMessage(props: MessageProps) {
  const { message, laneId, acts, isBusy } = props;
  const { t } = useTranslation("playground");
  const [isEdited, setIsEdited] = useState(false);
  if (isEdited) return <Editor {...props} onEnd={() => setIsEdited(false)} />;
  return (
    <article className={styles.user} aria-label={t("role.user")}>
      {message.images?.map((url) => (
        <img key={url} className={styles.image} src={url} alt={t("picture.sent")} />
      ))}
      {message.attachments !== undefined && <SentFiles files={message.attachments} />}
      {message.content !== "" && <div className={styles.said}>{message.content}</div>}
      <div className={styles.acts}>
        <VersionSteps {...props} />
        <CopyButton text={message.content} label={t("act.copy")} />
        <ActButton icon={IconPencil} label={t("act.edit")} isDisabled={isBusy} onClick={() => setIsEdited(true)} />
        <ActButton
          icon={IconTrash}
          label={t("act.delete")}
          isDisabled={isBusy}
          onClick={() => acts.remove(laneId, message.id)}
        />
      </div>
    </article>
  );
}

function Form({
  calls,
  isBusy,
  onSend,
}: {
  calls: readonly ToolCall[];
  isBusy: boolean;
  onSend: (texts: readonly string[]) => void;
}) {
  const { t } = useTranslation("playground");
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ""));
  return (
    <form
      className={styles.results}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSend(texts);
      }}
    >
      {calls.map((call, index) => (
        <label key={call.id} className={styles.resultField}>
          <span>{t("tools.resultOf", { name: visible(call.name) })}</span>
          <textarea
            rows={2}
            className={styles.editText}
            placeholder={t("tools.placeholder")}
            value={texts[index] ?? ""}
            onChange={({ currentTarget: { value } }) =>
              setTexts(texts.map((text, at) => (at === index ? value : text)))
            }
          />
        </label>
      ))}
      <div className={styles.editFoot}>
        <span className={styles.editHint}>{t("tools.hint")}</span>
        <BusyButton type="submit" size="xs" variant="filled" isBusy={false} disabled={isBusy}>
          {t("tools.send", { count: calls.length })}
        </BusyButton>
      </div>
    </form>
  );
}

/** Where the results of a reply's tools are typed in: nothing here calls them. */
function ToolResults({ lane, acts, isBusy }: { lane: Lane; acts: ChatActs; isBusy: boolean }) {
  const calls = openCalls(lane.messages);
  if (calls.length === 0) return null;
  return (
    <Form
      key={calls.map(({ id }) => id).join()}
      calls={calls}
      isBusy={isBusy}
      onSend={(texts) =>
        acts.answerTools(
          lane.id,
          calls.map(({ id }, index) => ({ callId: id, content: texts[index] ?? "" })),
        )
      }
    />
  );
}

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
  // After sending, the user wants to see the answer.
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
  /** What stands there before a word is said. */
  start: ReactNode;
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
  const { lane, acts, isBusy, label, compared, start } = props;
  const { t } = useTranslation("playground");
  const { messages } = lane;
  const [storedIds] = useState(() => new Set(messages.map(({ id }) => id)));
  const { place, content, isAway, onScroll, toEnd } = useStickyEnd(messages);
  return (
    <div className={styles.place}>
      <div ref={place} className={styles.scroll} onScroll={onScroll} tabIndex={0} role="region" aria-label={label}>
        <div ref={content} className={styles.content}>
          {messages.length === 0 && start}
          <Suspense>
            {messages.map((message, index) => (
              <Stored key={message.id} value={storedIds.has(message.id)}>
                <MessageView
                  message={message}
                  laneId={lane.id}
                  acts={acts}
                  isBusy={isBusy}
                  isLast={index === messages.length - 1}
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
