/** Prompts to begin a chat with: each is put into the box, where it can be changed before it is sent. */
import { useTranslation } from "../../../lib/i18n.ts";
import styles from "./start.module.css";

const IDEAS = ["explain", "write", "code", "plan"] as const;

/** @param onUse is called with the whole prompt */
export function Ideas({ onUse }: { onUse: (prompt: string) => void }) {
  const { t } = useTranslation("playground");
  return (
    <ul className={styles.ideas} aria-label={t("start.ideas")}>
      {IDEAS.map((name) => {
        const prompt = t(`start.idea.${name}`);
        return (
          <li key={name}>
            <button type="button" className={styles.idea} onClick={() => onUse(prompt)}>
              {prompt}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
