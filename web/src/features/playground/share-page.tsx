/** The page of a share link: a read-only chat as it was when it was shared, which logged-in users can continue. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { IconChevronRight, IconFileText, IconTool } from "@tabler/icons-react";
import { Suspense } from "react";
import { readChatShare, type SharedChat, type SharedMessage } from "../../../../contract/src/features/playground.ts";
import { ApiError, call } from "../../lib/api.ts";
import { formatDate } from "../../lib/format.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { Empty, ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { buttonLook, PlainButton } from "../../ui/plain.tsx";
import { LazyMarkdown } from "./markdown/lazy-markdown.tsx";
import { Stored } from "./markdown/stored.ts";
import { conversationOf, modelsIn } from "./model/share-snapshot.ts";
import { addConversation, changeConversation } from "./store/conversations.ts";
import threadStyles from "./thread/thread.module.css";
import styles from "./share.module.css";

/** It never changes; whether it may still be seen is asked each time the page opens. */
const sharedChatQuery = (id: string) =>
  queryOptions({
    queryKey: ["playground", "shared", id],
    queryFn: ({ signal }) => call(readChatShare, { params: { id }, signal }),
    staleTime: 0,
    retry: 0,
  });

interface Shared {
  title: string;
  created_time: number;
  expires_time: number;
  chat: SharedChat;
}

const Icon = { size: 14, stroke: 1.5, "aria-hidden": true } as const;

function Said({ message: { content, images = [], files = [] } }: { message: SharedMessage }) {
  const { t } = useTranslation("playground");
  return (
    <article className={threadStyles.user} aria-label={t("share.asked")}>
      {images.map((url, index) => (
        <img key={`${index} ${url.length}`} className={threadStyles.image} src={url} alt={t("picture.sent")} />
      ))}
      {files.map((name, index) => (
        <span key={`${index} ${name}`} className={styles.file}>
          <IconFileText {...Icon} />
          {visible(name)}
        </span>
      ))}
      {content !== "" && <div className={threadStyles.said}>{content}</div>}
    </article>
  );
}

function Answer({ message: { content, reasoning, model = "", tool_calls: calls = [] } }: { message: SharedMessage }) {
  const { t } = useTranslation("playground");
  return (
    <article className={threadStyles.reply} aria-label={t("role.assistant")}>
      <ModelMark model={model} size={22} />
      <div className={threadStyles.body}>
        {model !== "" && <p className={`mono ${threadStyles.stopped}`}>{visible(model)}</p>}
        {reasoning !== undefined && (
          <details className={styles.thoughts}>
            <summary>
              <IconChevronRight {...Icon} />
              {t("reasoning.done")}
            </summary>
            <LazyMarkdown text={reasoning} />
          </details>
        )}
        {content !== "" && <LazyMarkdown text={content} />}
        {calls.map((each, index) => (
          <div key={index}>
            <div className={threadStyles.callHead}>
              <IconTool {...Icon} />
              <span className="mono">{visible(each.name)}</span>
            </div>
            <pre className={threadStyles.toolText}>{each.arguments}</pre>
          </div>
        ))}
      </div>
    </article>
  );
}

function ToolResult({ message: { content } }: { message: SharedMessage }) {
  const { t } = useTranslation("playground");
  return (
    <article aria-label={t("tools.result")}>
      <p className={threadStyles.stopped}>{t("tools.result")}</p>
      <pre className={threadStyles.toolText}>{content}</pre>
    </article>
  );
}

const PARTS = { user: Said, assistant: Answer, tool: ToolResult } as const;

function Lanes({ chat }: { chat: SharedChat }) {
  const isOne = chat.lanes.length === 1;
  return (
    <div className={styles.lanes}>
      {chat.lanes.map(({ model, messages }, lane) => (
        <section key={lane} className={styles.lane} aria-label={visible(model)}>
          {!isOne && <h2 className={`mono ${styles.laneHead}`}>{visible(model)}</h2>}
          {messages.map((message, index) => {
            const Part = PARTS[message.role];
            return <Part key={index} message={message} />;
          })}
        </section>
      ))}
    </div>
  );
}

/** Copies the chat into the reader's own ones; what is asked there is theirs to pay. */
function GoOn({ shared }: { shared: Shared }) {
  const { t } = useTranslation("playground");
  const viewer = useViewer();
  const navigate = useNavigate();
  if (viewer === null)
    return (
      <Link to="/login" search={{ next: location.pathname }} {...buttonLook()}>
        {t("share.logIn")}
      </Link>
    );
  const goOn = () => {
    const copy = conversationOf(shared, viewer.id, Date.now());
    addConversation(copy);
    changeConversation(copy.id, (old) => old);
    void navigate({ to: "/playground", search: { id: copy.id } });
  };
  return (
    <PlainButton look="filled" onClick={goOn}>
      {t("share.goOn")}
    </PlainButton>
  );
}

function SharedPage({ shared }: { shared: Shared }) {
  const { t } = useTranslation("playground");
  const { system_name } = useStatus();
  const title = visible(shared.title) || t("share.untitled");
  usePageTitle(title);
  const { system } = shared.chat;
  return (
    <>
      <header className={styles.head}>
        <div>
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.facts}>
            {t("share.facts", { site: system_name, date: formatDate(shared.created_time) })}
            <span className="mono">{modelsIn(shared.chat).map(visible).join(" · ")}</span>
          </p>
        </div>
        <GoOn shared={shared} />
      </header>
      <p className={styles.note}>{t("share.byUser", { site: system_name })}</p>
      {system !== undefined && (
        <details className={styles.thoughts}>
          <summary>
            <IconChevronRight {...Icon} />
            {t("system.label")}
          </summary>
          <div className={threadStyles.said}>{system}</div>
        </details>
      )}
      {/* Drawn once it can be drawn whole: letters would become a table, and move what is read. */}
      <Stored value>
        <Suspense fallback={<LoadingBars height={96} label={t("share.loading")} />}>
          <Lanes chat={shared.chat} />
        </Suspense>
      </Stored>
    </>
  );
}

function Gone() {
  const { t } = useTranslation("playground");
  const { t: ofShell } = useTranslation("shell");
  usePageTitle(t("share.goneTitle"));
  return (
    <Empty
      isPage
      title={t("share.goneTitle")}
      sentence={t("share.gone")}
      actions={
        <Link to="/" {...buttonLook("filled")}>
          {ofShell("notFound.home")}
        </Link>
      }
    />
  );
}

export function ChatSharePage() {
  const { t } = useTranslation("playground");
  const { id } = useParams({ strict: false });
  const { data, error, isPending, refetch } = useQuery(sharedChatQuery(id ?? ""));
  if (error instanceof ApiError && error.status === 404) return <Gone />;
  return (
    <div className={styles.page} data-is-one={data?.chat.lanes.length === 1 || undefined}>
      <meta name="robots" content="noindex, nofollow" />
      {data !== undefined && <SharedPage shared={data} />}
      {isPending && <LoadingBars height={96} label={t("share.loading")} />}
      {data === undefined && error !== null && (
        <ErrorState title={t("share.notOpened")} error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}
