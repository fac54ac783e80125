/** Cells of a tag's row: how many of its channels are on, and their sums. */
import { ActionIcon } from "@mantine/core";
import {
  IconChevronRight,
  IconEdit,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTagOff,
} from "@tabler/icons-react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_STATUS } from "../../../../../contract/src/features/channels.ts";
import { visible } from "../../../lib/names.ts";
import { Name } from "../../../ui/display/name.tsx";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import { type RowAction, RowMenu } from "../../../ui/data-table/row-actions.tsx";
import { ResponseTag, Tag } from "../../../ui/display/tags.tsx";
import styles from "../channels.module.css";
import { enabledCount, failedCount, meanResponse, type TagEntry, usedSum } from "../model/rows.ts";
import { UsedCell } from "./cells.tsx";

export function TagChevron({ entry, onToggle }: { entry: TagEntry; onToggle: (tag: string) => void }) {
  const { t } = useTranslation("channels");
  return (
    <button
      type="button"
      className={styles.chevron}
      aria-expanded={entry.isOpen}
      aria-label={t("tag.toggle", { tag: entry.tag })}
      onClick={() => onToggle(entry.tag)}
    >
      <IconChevronRight size={14} stroke={1.5} aria-hidden />
    </button>
  );
}

const MARKS_SHOWN = 4;

/** Name and count; a closed tag also shows whose channels it holds. */
export function TagName({
  entry,
  providers,
  onToggle,
}: {
  entry: TagEntry;
  providers: readonly ProviderRow[];
  onToggle: (tag: string) => void;
}) {
  const types = [...new Set(entry.channels.map(({ type }) => type))].slice(0, MARKS_SHOWN);
  return (
    <span className={styles.tagName}>
      <button
        type="button"
        className={styles.tagTitle}
        tabIndex={-1}
        title={visible(entry.tag)}
        onClick={() => onToggle(entry.tag)}
      >
        <Name text={entry.tag} />
      </button>
      <span className={styles.faint}>{entry.channels.length}</span>
      {!entry.isOpen && (
        <span className={styles.marks}>
          {types.map((type) => (
            <ProviderMark key={type} type={type} mark={providers.find(({ id }) => id === type)?.mark} size={16} />
          ))}
        </span>
      )}
    </span>
  );
}

const SEGMENTS_SHOWN = 8;
const SEGMENT_TONES: Record<number, string> = {
  [CHANNEL_STATUS.enabled]: "green",
  [CHANNEL_STATUS.autoDisabled]: "red",
};

/** One segment a channel (green, red, grey) and "2 of 3 enabled". */
export function TagStatus({ entry }: { entry: TagEntry }) {
  const { t } = useTranslation("channels");
  const { channels } = entry;
  const enabled = enabledCount(channels);
  return (
    <span className={styles.tagStatus}>
      <span className={styles.segments} aria-hidden>
        {channels.slice(0, SEGMENTS_SHOWN).map(({ id, status }) => (
          <span key={id} className={styles.segment} data-tone={SEGMENT_TONES[status] ?? "grey"} />
        ))}
      </span>
      {enabled === channels.length ? t("tag.allEnabled") : t("tag.someEnabled", { enabled, total: channels.length })}
    </span>
  );
}

export function TagResponse({ entry }: { entry: TagEntry }) {
  const { t } = useTranslation("channels");
  const mean = meanResponse(entry.channels);
  const failed = failedCount(entry.channels);
  if (!entry.isOpen && failed > 0) return <Tag tone="red">{t("tag.failed", { count: failed })}</Tag>;
  return entry.isOpen || mean === 0 ? null : <ResponseTag ms={mean} />;
}

export const TagUsed = ({ entry }: { entry: TagEntry }) => (
  <span className={styles.sum}>
    <UsedCell quota={usedSum(entry.channels)} />
  </span>
);

export interface TagActs {
  edit: (entry: TagEntry) => void;
  setStatus: (entry: TagEntry, isEnabled: boolean) => void;
  dissolve: (entry: TagEntry) => void;
}

const glyph = { size: 15, stroke: 1.5 } as const;

export function TagActions({ entry, acts }: { entry: TagEntry; acts: TagActs }) {
  const { t } = useTranslation("channels");
  const items: RowAction[] = [
    { label: t("tag.enableAll"), icon: <IconPlayerPlay {...glyph} />, onPick: () => acts.setStatus(entry, true) },
    { label: t("tag.disableAll"), icon: <IconPlayerPause {...glyph} />, onPick: () => acts.setStatus(entry, false) },
    { label: t("tag.edit"), icon: <IconEdit {...glyph} />, onPick: () => acts.edit(entry), isDivided: true },
    { label: t("tag.dissolve"), icon: <IconTagOff {...glyph} />, onPick: () => acts.dissolve(entry) },
  ];
  return (
    <>
      <ActionIcon
        variant="subtle"
        size={26}
        aria-label={t("tag.editNamed", { tag: entry.tag })}
        onClick={() => acts.edit(entry)}
      >
        <IconPencil size={15} stroke={1.5} />
      </ActionIcon>
      <RowMenu about={entry.tag} items={items} />
    </>
  );
}
