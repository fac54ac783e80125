/** A minimal list of the open toasts, used where toast.tsx fails to load, so that messages still reach the reader. */
import { useTranslation } from "react-i18next";
import { visible } from "../../lib/names.ts";
import styles from "./plain-toasts.module.css";
import { closeToast, type Toast } from "./toast-store.ts";

export function PlainToasts({ toasts }: { toasts: readonly Toast[] }) {
  const { t } = useTranslation("ui");
  return (
    <section className={styles.stack} aria-label={t("toasts")}>
      {toasts.map(({ id, kind, title, text }) => (
        <div key={id} className={styles.toast} role={kind === "error" ? "alert" : "status"}>
          <b>{visible(title)}</b>
          {text && <span>{visible(text)}</span>}
          <button type="button" onClick={() => closeToast(id)}>
            {t("dismiss")}
          </button>
        </div>
      ))}
    </section>
  );
}
