/** Leads to the site's chat application with the key of the first usable token and this server's address in its settings. */
import { useEffect } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { PlainButton, Spinner } from "../../ui/plain.tsx";
import styles from "./chat.module.css";
import { withSettings } from "./links.ts";
import { NoToken } from "./no-token.tsx";
import { type LinkState, useLink } from "./use-link.ts";

function State({ state, retry }: { state: LinkState; retry: () => void }) {
  const { t } = useTranslation(["chat", "shell"]);
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
    <p className={styles.loading} role="status">
      <Spinner /> {t("loading")}
    </p>
  );
}

export function ChatRedirectPage() {
  const { t } = useTranslation("chat");
  const { chat_link } = useStatus();
  // A blank link is a wrong one: the settings have none that opens in a browser.
  const { state, retry } = useLink(chat_link === "" ? "" : withSettings(chat_link));
  usePageTitle(t("title"));
  useEffect(() => {
    // Replaced, so that Back leads to where the visitor came from.
    if (state.kind === "ready") location.replace(state.link);
  }, [state]);
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>{t("title")}</h1>
      <div className={styles.instead}>
        <State state={state} retry={retry} />
      </div>
    </div>
  );
}
