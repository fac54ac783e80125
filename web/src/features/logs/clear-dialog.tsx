/** Asks before which time to delete old entries, and shows their number. */
import { Button, Group } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { countOldLogs, getClearProgress } from "../../../../contract/src/features/logs.ts";
import { call } from "../../lib/api.ts";
import { formatDateTime, formatNumber } from "../../lib/format.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { clearWithProgress } from "./clear-run.ts";
import { refetchLog } from "./queries.ts";
import { fieldOf, secondsOfField } from "../../ui/time-range/range.ts";
import { MomentField } from "../../ui/time-range/moment-field.tsx";
import styles from "./logs.module.css";

const LAYER = 300;

function monthAgo(): string {
  const date = new Date();
  date.setMonth(date.getMonth() - 1);
  return fieldOf(Math.floor(date.getTime() / 1000));
}

export function ClearDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation("logs");
  // Closed in its first drawing: the dialog notes where the focus was, to give it back, only when it opens after that.
  const isDrawn = useMounted();
  return (
    <Dialog isOpen={isDrawn && isOpen} onClose={onClose} title={t("clear.title")} layer={LAYER}>
      <ClearForm onClose={onClose} />
    </Dialog>
  );
}

/** How the last run ended, also one that another user began. */
function LastRun() {
  const { t } = useTranslation("logs");
  const { data } = useQuery({
    queryKey: ["logs", "clear-run"],
    queryFn: ({ signal }) => call(getClearProgress, { signal }),
  });
  if (data === undefined || data.running || data.finished_time === 0) return null;
  const values = {
    formatted: formatNumber(data.done),
    name: data.started_by,
    time: formatDateTime(data.finished_time),
    before: formatDateTime(data.target_timestamp),
  };
  return <p className={styles.lastRun}>{t(data.started_by === "" ? "clear.last" : "clear.lastBy", values)}</p>;
}

function ClearForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("logs");
  const client = useQueryClient();
  const [field, setField] = useState(monthAgo);
  const before = secondsOfField(field, false);
  const count = useQuery({
    queryKey: ["logs", "old", before],
    queryFn: ({ signal }) => call(countOldLogs, { query: { target_timestamp: before }, signal }),
    enabled: before !== undefined,
    placeholderData: keepPreviousData,
  });
  const start = async () => {
    if (before === undefined) return;
    try {
      await clearWithProgress(before, () => void refetchLog(client));
      onClose();
    } catch (error) {
      toast.error(error, t("clear.failed"));
    }
  };
  const rows = count.data;
  const formatted = formatNumber(rows?.total ?? 0);
  return (
    <>
      <p style={{ textWrap: "balance" }}>{t("clear.text")}</p>
      <LastRun />
      <MomentField
        label={t("clear.before")}
        value={field}
        error={before === undefined ? t("clear.missing") : undefined}
        onChange={setField}
      />
      <p role="status">
        {rows === undefined
          ? t("clear.counting")
          : rows.total === 0
            ? t("clear.nothing")
            : t(rows.is_exact ? "clear.count" : "clear.countAbout", { count: rows.total, formatted })}
      </p>
      <Group justify="flex-end" gap={8}>
        <Button onClick={onClose}>{t("clear.cancel")}</Button>
        <Button
          variant="filled"
          data-tone="danger"
          disabled={before === undefined || rows === undefined || rows.total === 0}
          onClick={() => void start()}
        >
          {rows?.is_exact && rows.total > 0
            ? t("clear.confirmCount", { count: rows.total, formatted })
            : t("clear.confirm")}
        </Button>
      </Group>
    </>
  );
}
