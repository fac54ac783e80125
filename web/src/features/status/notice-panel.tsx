/** The announcement as it is drawn: the operator's text between its head and the button that closes it. */
import { IconSpeakerphone, IconX } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import { IconButton, PlainButton } from "../../ui/plain.tsx";
import { OperatorText } from "../../ui/content/operator-page.tsx";
import type { Content } from "../../ui/content/content-of.ts";
import styles from "./notice-panel.module.css";

export function NoticePanel({
  content,
  onClose,
}: {
  content: Exclude<Content, { kind: "none" }>;
  onClose: () => void;
}) {
  const { t } = useTranslation("status");
  return (
    <aside className={styles.card} aria-label={t("notice.title")}>
      <header className={styles.head}>
        <IconSpeakerphone size={16} stroke={1.5} aria-hidden />
        <h2>{t("notice.title")}</h2>
        <IconButton label={t("notice.close")} onClick={onClose}>
          <IconX size={16} stroke={1.5} />
        </IconButton>
      </header>
      <div className={styles.body} tabIndex={0} role="region" aria-label={t("notice.title")}>
        {content.kind === "frame" ? (
          <a href={content.address.href} target="_blank" rel="noopener noreferrer">
            {content.address.href}
          </a>
        ) : (
          <OperatorText content={content} />
        )}
      </div>
      <footer className={styles.foot}>
        <PlainButton onClick={onClose}>{t("notice.gotIt")}</PlainButton>
      </footer>
    </aside>
  );
}
