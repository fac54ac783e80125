/** What an operator has to do at the other side before the options of a section work: one line each. */
import { useTranslation } from "react-i18next";
import { useStatus } from "../../../lib/status.ts";
import styles from "./sections.module.css";

interface HintProps {
  name: "wechat" | "telegram" | "turnstile";
  page?: string;
}

function Hint({ name, page }: HintProps) {
  const { t } = useTranslation("options");
  const { server_address } = useStatus();
  const host = URL.parse(server_address)?.hostname ?? location.hostname;
  return (
    <p className={styles.hint}>
      {t(`hint.${name}`, { host })}{" "}
      {page !== undefined && (
        <a href={page} target="_blank" rel="noopener noreferrer">
          {t(`hint.${name}Page`)}
        </a>
      )}
    </p>
  );
}

export const WechatHint = () => <Hint name="wechat" />;
export const TelegramHint = () => <Hint name="telegram" page="https://t.me/BotFather" />;
export const TurnstileHint = () => <Hint name="turnstile" page="https://dash.cloudflare.com/?to=/:account/turnstile" />;
