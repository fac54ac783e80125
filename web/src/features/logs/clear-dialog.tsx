/** Asks before which time old entries go, and says how many they are. */
import { Button, Group, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { countOldLogs } from "../../../../contract/src/features/logs.ts";
import { call } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toast-store.ts";
import { clearWithProgress } from "./clear-run.ts";
import { fieldOf, secondsOfField } from "./fns/range.ts";

const LAYER = 300;

function monthAgo(): string {
  const date = new Date();
  date.setMonth(date.getMonth() - 1);
  return fieldOf(Math.floor(date.getTime() / 1000));
}

export function ClearDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation("logs");
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t("clear.title")} layer={LAYER}>
      <ClearForm onClose={onClose} />
    </Dialog>
  );
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
      await clearWithProgress(before, () => void client.invalidateQueries({ queryKey: ["logs"] }));
      onClose();
    } catch (error) {
      toast.error(error, t("clear.failed"));
    }
  };
  const rows = count.data;
  return (
    <>
      <p>{t("clear.text")}</p>
      <TextInput
        type="datetime-local"
        label={t("clear.before")}
        value={field}
        error={before === undefined ? t("clear.missing") : undefined}
        onChange={(event) => setField(event.currentTarget.value)}
      />
      <p role="status">
        {rows === undefined ? t("clear.counting") : t("clear.count", { formatted: formatNumber(rows) })}
      </p>
      <Group justify="flex-end" gap={8}>
        <Button variant="subtle" onClick={onClose}>
          {t("clear.cancel")}
        </Button>
        <Button
          variant="filled"
          data-tone="danger"
          disabled={before === undefined || rows === undefined || rows === 0}
          onClick={() => void start()}
        >
          {t("clear.confirm")}
        </Button>
      </Group>
    </>
  );
}
