/** The keys of a channel as rows: mark, how each is doing and why, how often it was used, and what can be done with it. */
import { ActionIcon, Switch, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { KEY_STATUS } from "../../../../../contract/src/channels/key-choices.ts";
import { type ChannelKeyRow } from "../../../../../contract/src/channels/keys.ts";
import { formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Faint, StatusDot } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import styles from "./keys.module.css";

const STATUSES: Record<number, { tone: "green" | "idle" | "red"; text: string }> = {
  [KEY_STATUS.enabled]: { tone: "green", text: "status.enabled" },
  [KEY_STATUS.disabled]: { tone: "idle", text: "status.disabled" },
  [KEY_STATUS.autoDisabled]: { tone: "red", text: "status.autoDisabled" },
};

export interface KeyRowActs {
  setEnabled: (key: ChannelKeyRow, isEnabled: boolean) => void;
  remove: (key: ChannelKeyRow) => void;
}

function KeyStatus({ row }: { row: ChannelKeyRow }) {
  const { t } = useTranslation("channels");
  const { tone, text } = STATUSES[row.status] ?? { tone: "idle" as const, text: "status.disabled" };
  return (
    <>
      <span className={styles.statusLine}>
        <StatusDot tone={tone}>{t(text)}</StatusDot>
        {row.status !== KEY_STATUS.enabled && row.status_time > 0 && (
          <span className={styles.since}>
            <Time atS={row.status_time} />
          </span>
        )}
      </span>
      {row.status_reason !== "" && <p className={styles.reason}>{visible(row.status_reason)}</p>}
    </>
  );
}

function KeyCalls({ row }: { row: ChannelKeyRow }) {
  const { t } = useTranslation("channels");
  if (row.used_count === 0) return <Faint>{t("channel-keys:unused")}</Faint>;
  return (
    <>
      <span>{t("channel-keys:calls", { count: row.used_count, formatted: formatNumber(row.used_count) })}</span>
      {row.failed_count > 0 && (
        <span className={styles.failed}>{t("channel-keys:failed", { formatted: formatNumber(row.failed_count) })}</span>
      )}
    </>
  );
}

export function KeyTable({ keys, acts, label }: { keys: readonly ChannelKeyRow[]; acts: KeyRowActs; label: string }) {
  const { t } = useTranslation("channels");
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t("channel-keys:mark")}</th>
          <th scope="col">{t("columns.status")}</th>
          <th scope="col" className={styles.calls}>
            {t("channel-keys:used")}
          </th>
          <th scope="col">
            <span className="tp-visually-hidden">{t("channel-keys:acts")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((row) => (
          <tr key={row.id}>
            <th scope="row" className={`mono ${styles.mark}`}>
              {row.mark}
            </th>
            <td className={styles.status}>
              <KeyStatus row={row} />
            </td>
            <td className={styles.calls}>
              <KeyCalls row={row} />
            </td>
            <td className={styles.acts}>
              <Switch
                aria-label={t(
                  row.status === KEY_STATUS.enabled ? "channel-keys:disableNamed" : "channel-keys:enableNamed",
                  {
                    mark: row.mark,
                  },
                )}
                checked={row.status === KEY_STATUS.enabled}
                onChange={(event) => acts.setEnabled(row, event.currentTarget.checked)}
              />
              <Tooltip label={t("channel-keys:remove")}>
                <ActionIcon
                  variant="subtle"
                  size={28}
                  aria-label={t("channel-keys:removeNamed", { mark: row.mark })}
                  onClick={() => acts.remove(row)}
                >
                  <IconTrash size={15} stroke={1.5} />
                </ActionIcon>
              </Tooltip>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
