/** A chat application of the settings in a frame that fills the page, with camera and microphone allowed. */
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { chatLinks } from "../../lib/chat-links.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { readStored, STORAGE } from "../../lib/storage.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { buttonLook, PlainButton } from "../../ui/plain.tsx";
import styles from "./chat.module.css";
import { isBroken, isWeb, linkAt } from "./links.ts";
import { NoToken } from "./no-token.tsx";
import { type LinkState, useLink } from "./use-link.ts";

/** Anything but the frame: what is the matter, and what can be done. */
function Instead({
  state,
  template,
  isDamaged,
  retry,
}: {
  state: LinkState;
  template: string | undefined;
  isDamaged: boolean;
  retry: () => void;
}) {
  const { t } = useTranslation(["chat", "shell"]);
  if (isDamaged) return <Notice tone="red">{t("broken")}</Notice>;
  if (state.kind === "failed") return <ErrorState title={t("failed")} error={state.error} onRetry={retry} />;
  if (state.kind === "noToken") return <NoToken />;
  if (state.kind === "wrongLink") return <Notice tone="red">{t("shell:chat.wrong")}</Notice>;
  if (state.kind === "kept")
    return (
      <>
        <Notice tone="amber">{t("kept")}</Notice>
        <PlainButton onClick={retry}>{t("askAgain")}</PlainButton>
      </>
    );
  return (
    <>
      <Notice tone="blue">{t("redirecting")}</Notice>
      {/* An application of this machine is not framed: its link opens it. */}
      {state.kind === "ready" && template !== undefined && (
        <a href={state.link} rel="noreferrer" {...buttonLook("filled")}>
          {t("openApp")}
        </a>
      )}
      {template === undefined && (
        <Link to="/playground" {...buttonLook()}>
          {t("toPlayground")}
        </Link>
      )}
    </>
  );
}

export function ChatFramePage() {
  const { t } = useTranslation("chat");
  const { id } = useParams({ strict: false });
  const { chats } = useStatus();
  // The status replaces a damaged list as soon as it is there.
  const [wasBroken] = useState(() => isBroken(readStored(STORAGE.chats)));
  const chosen = linkAt(chatLinks(chats), id);
  const { state, retry } = useLink(chosen?.template);
  const title = chosen === undefined ? t("title") : visible(chosen.name);
  usePageTitle(title);
  const isFramed = state.kind === "ready" && chosen !== undefined && isWeb(chosen.template);
  return (
    <div className={styles.page}>
      <h1 className={isFramed ? "tp-visually-hidden" : styles.title}>{title}</h1>
      {isFramed ? (
        <iframe
          className={styles.frame}
          src={state.link}
          title={title}
          allow="camera; microphone; clipboard-write"
          referrerPolicy="no-referrer"
        />
      ) : (
        <div className={styles.instead}>
          <Instead
            state={state}
            template={chosen?.template}
            isDamaged={wasBroken && chosen === undefined}
            retry={retry}
          />
        </div>
      )}
    </div>
  );
}
