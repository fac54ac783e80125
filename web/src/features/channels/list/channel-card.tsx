/** A channel, or a tag, as a card on a phone. */
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import { BalanceLine } from "./balance-cell.tsx";
import { GroupsCell, ResponseCell, StatusCell } from "./cells.tsx";
import styles from "../channels.module.css";
import { ChannelName } from "./columns.tsx";
import type { TagEntry } from "../model/rows.ts";
import { TagActions, type TagActs, TagChevron, TagName, TagStatus, TagUsed } from "./tag-cells.tsx";

export function ChannelCard({
  channel,
  provider,
  isBalancing,
  actions,
  onKeys,
}: {
  channel: ChannelRow;
  provider: ProviderRow | undefined;
  /** Its upstream is being asked for the balance. */
  isBalancing: boolean;
  actions: ReactNode;
  onKeys: (channel: ChannelRow) => void;
}) {
  const { t } = useTranslation("channels");
  return (
    <>
      <div className={styles.cardHead}>
        <ChannelName channel={channel} provider={provider} />
        <StatusCell channel={channel} onKeys={onKeys} />
      </div>
      <div className={styles.cardInfo}>
        <GroupsCell channel={channel} />
        <ResponseCell channel={channel} />
      </div>
      <div className={styles.cardFoot}>
        <span className={styles.cardSums}>
          <span>
            {t("card.used")} <Quota quota={channel.used_quota} />
          </span>
          <BalanceLine channel={channel} isAsked={isBalancing} />
        </span>
        <span className={styles.cardActions}>{actions}</span>
      </div>
    </>
  );
}

export function TagCard({
  entry,
  providers,
  onToggle,
  acts,
}: {
  entry: TagEntry;
  providers: readonly ProviderRow[];
  onToggle: (tag: string) => void;
  acts: TagActs;
}) {
  const { t } = useTranslation("channels");
  return (
    <div className={styles.cardTag}>
      <div className={styles.cardHead}>
        <TagName entry={entry} providers={providers} onToggle={onToggle} />
        <TagChevron entry={entry} onToggle={onToggle} />
      </div>
      <TagStatus entry={entry} />
      <div className={styles.cardFoot}>
        <span>
          {t("card.used")} <TagUsed entry={entry} />
        </span>
        <span className={styles.cardActions}>
          <TagActions entry={entry} acts={acts} />
        </span>
      </div>
    </div>
  );
}
