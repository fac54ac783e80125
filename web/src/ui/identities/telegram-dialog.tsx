/** Telegram's own button (its login widget's documentation), loaded when it is asked for; it leads back to /oauth/telegram. */
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { begin } from "./ways.ts";
import type { Beginning } from "./ways.ts";
import { useStatus } from "../../lib/status.ts";
import { describeError } from "../feedback/describe-error.ts";
import { Notice } from "../feedback/notice.tsx";
import { Spinner } from "../plain.tsx";
import { PlainDialog } from "../plain-dialog.tsx";
import styles from "./identities.module.css";

const SCRIPT_ADDRESS = "https://telegram.org/js/telegram-widget.js?22";

/** The script draws the button into the place where it stands itself. */
function widgetScript(botName: string, backAddress: string, language: string): HTMLScriptElement {
  const script = document.createElement("script");
  script.async = true;
  script.src = SCRIPT_ADDRESS;
  script.dataset["telegramLogin"] = botName;
  script.dataset["size"] = "large";
  script.dataset["authUrl"] = backAddress;
  script.dataset["lang"] = language;
  return script;
}

interface TelegramDialogProps extends Beginning {
  onClose: () => void;
}

export function TelegramDialog({ bind, next, onClose }: TelegramDialogProps) {
  const { t, language } = useTranslation("ui");
  const { telegram_bot_name } = useStatus();
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<string>();
  const [isDrawn, setIsDrawn] = useState(false);
  const [error, setError] = useState<string>();
  useEffect(() => {
    let isGone = false;
    begin("telegram", { bind, next }).then(
      (begun) => isGone || setState(begun.state),
      (failure: unknown) => isGone || setError(describeError(failure).message),
    );
    return () => {
      isGone = true;
    };
  }, [bind, next]);
  useEffect(() => {
    const box = place.current;
    if (state === undefined || box === null) return undefined;
    const query = new URLSearchParams({ state, ...(bind ? { bind: "true" } : {}) });
    const script = widgetScript(telegram_bot_name, `${location.origin}/oauth/telegram?${query.toString()}`, language);
    script.addEventListener("load", () => setIsDrawn(true));
    script.addEventListener("error", () => setError(t("identities.telegramAbsent")));
    box.append(script);
    return () => box.replaceChildren();
  }, [state, bind, telegram_bot_name, language, t]);
  return (
    <PlainDialog title={t("identities.telegram")} close={t("cancel")} onClose={onClose}>
      <p className={styles.text}>{t("identities.telegramHow")}</p>
      {error === undefined ? (
        <div className={styles.widget} aria-busy={!isDrawn}>
          {!isDrawn && <Spinner />}
          <div ref={place} />
        </div>
      ) : (
        <div className={styles.refusal}>
          <Notice tone="red">{error}</Notice>
        </div>
      )}
    </PlainDialog>
  );
}
