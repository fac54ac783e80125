/** The announcement: a card over the corner of any page, once for each text of it in each browser. */
import { useQuery } from "@tanstack/react-query";
import { IconSpeakerphone, IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadTexts } from "../../lib/i18n.ts";
import { readStored, STORAGE, writeStored } from "../../lib/storage.ts";
import { IconButton, PlainButton } from "../../ui/plain.tsx";
import { OperatorText } from "./content.tsx";
import { contentOf, hashOf } from "./fns/content.ts";
import styles from "./notice-card.module.css";
import { noticeQuery } from "./queries.ts";

/** Loads the card's texts once there is a card; whether they are there. */
function useTextsOfStatus(areWanted: boolean): boolean {
  const { i18n } = useTranslation("status");
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    if (areWanted) void loadTexts("status").then(() => setIsLoaded(true));
  }, [i18n.language, areWanted]);
  return isLoaded;
}

export function NoticeCard() {
  const { t } = useTranslation("status");
  // A notice that cannot be loaded is none: it is asked for again with the next page.
  const { data = "" } = useQuery(noticeQuery);
  const hash = hashOf(data);
  const [closed, setClosed] = useState(() => readStored(STORAGE.seenNotice));
  const content = contentOf(data);
  const hasCard = content.kind !== "none" && closed !== hash;
  const hasTexts = useTextsOfStatus(hasCard);
  if (!hasTexts || content.kind === "none" || closed === hash) return null;
  const close = () => {
    writeStored(STORAGE.seenNotice, hash);
    setClosed(hash);
  };
  return (
    <aside className={styles.card} aria-label={t("notice.title")}>
      <header className={styles.head}>
        <IconSpeakerphone size={16} stroke={1.5} aria-hidden />
        <h2>{t("notice.title")}</h2>
        <IconButton label={t("notice.close")} onClick={close}>
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
        <PlainButton onClick={close}>{t("notice.gotIt")}</PlainButton>
      </footer>
    </aside>
  );
}
