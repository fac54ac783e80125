/** The link of the site's Telegram bot that binds the account which opens it, and the words to send to the bot instead. */
import { useTranslation } from "../../../lib/i18n.ts";
import { Copy } from "../../../ui/display/copy.tsx";
import { PlainDialog } from "../../../ui/plain-dialog.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import styles from "../settings-card.module.css";

export function TelegramBotDialog({ link, code, onClose }: { link: string; code: string; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const words = `/bind ${code}`;
  return (
    <PlainDialog title={t("telegramBot.title")} close={t("telegramBot.close")} onClose={onClose}>
      <p className={styles.about}>{t("telegramBot.text")}</p>
      <p>
        <a href={link} target="_blank" rel="noopener noreferrer" {...buttonLook("filled")}>
          {t("telegramBot.open")}
        </a>
      </p>
      <p className={styles.about}>{t("telegramBot.send")}</p>
      <Copy text={words}>
        <span className="mono">{words}</span>
      </Copy>
    </PlainDialog>
  );
}
