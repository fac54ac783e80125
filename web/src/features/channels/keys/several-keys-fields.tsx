/** Fields that the channel form and the drawer of its keys share: how many keys a text holds, and how a call gets one of several. */
import { useTranslation } from "../../../lib/i18n.ts";
import { readKeys } from "../../../../../contract/src/channels/key-text.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import type { SeveralKeys } from "./queries.ts";
import styles from "./keys.module.css";

/** The number of keys in a text, in words; blank for an empty one. */
export function useKeyCount(text: string): { count: number; words: string } {
  const { t } = useTranslation("channels");
  const { keys, duplicates } = readKeys(text);
  const count = keys.length;
  if (count === 0) return { count, words: "" };
  const found = t("channel-keys:found", { count });
  return { count, words: duplicates === 0 ? found : t("channel-keys:foundTwice", { found, count: duplicates }) };
}

export function KeyChoiceField({ value, onChange }: { value: SeveralKeys; onChange: (choice: SeveralKeys) => void }) {
  const { t } = useTranslation("channels");
  return (
    <div className={styles.choice}>
      <Segmented<SeveralKeys>
        label={t("channel-keys:choice")}
        value={value}
        onChange={onChange}
        options={[
          { value: "random", text: t("channel-keys:random") },
          { value: "in_turn", text: t("channel-keys:inTurn") },
        ]}
      />
      <p className={styles.help}>{t(value === "random" ? "channel-keys:randomHelp" : "channel-keys:inTurnHelp")}</p>
    </div>
  );
}
