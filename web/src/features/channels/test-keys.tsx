/** The test dialog's other half for a channel with several keys: one model, and a result for each key. */
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { KEY_STATUS } from "../../../../contract/src/channels/key-choices.ts";
import type { ChannelKeyRow } from "../../../../contract/src/channels/keys.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import styles from "./dialogs.module.css";
import { allKeysQuery } from "./keys/queries.ts";
import { modelsOf } from "./model/rows.ts";
import { useTestChannel } from "./mutations.ts";
import { DIALOG_LAYER } from "./set-tag-dialog.tsx";
import { useTestBatch } from "./test-batch.ts";
import { BatchActs, TestRow } from "./test-rows.tsx";

const NOTES: Readonly<Record<number, "status.disabled" | "status.autoDisabled">> = {
  [KEY_STATUS.disabled]: "status.disabled",
  [KEY_STATUS.autoDisabled]: "status.autoDisabled",
};

interface KeyTestsProps {
  channel: ChannelRow;
  onClose: () => void;
}

/** The keys with what this model's tests of them said. */
function KeyRows({ channel, model, keys, onClose }: KeyTestsProps & { model: string; keys: readonly ChannelKeyRow[] }) {
  const { t } = useTranslation("channels");
  const test = useTestChannel();
  const batch = useTestBatch((id) => test.mutateAsync({ channel, model, key: Number(id), isQuiet: true }));
  const names = keys.map(({ id }) => String(id));
  return (
    <>
      <ul className={styles.models}>
        {keys.map(({ id, mark, status }) => {
          const note = NOTES[status];
          return (
            <TestRow
              key={id}
              name={mark}
              note={note === undefined ? undefined : t(note)}
              result={batch.results[String(id)]}
              onTest={() => batch.run([String(id)])}
            />
          );
        })}
      </ul>
      <BatchActs batch={batch} names={names} allLabel={t("test.allKeys", { count: names.length })} onClose={onClose} />
    </>
  );
}

export function KeyTests({ channel, onClose }: KeyTestsProps) {
  const { t } = useTranslation("channels");
  const models = modelsOf(channel);
  const [model, setModel] = useState(channel.test_model || (models[0] ?? ""));
  const { data: keys, error, refetch } = useQuery(allKeysQuery(channel.id));
  return (
    <>
      <Select
        size="xs"
        searchable
        allowDeselect={false}
        aria-label={t("test.model")}
        data={[...new Set([...models, model])]}
        value={model}
        comboboxProps={{ zIndex: DIALOG_LAYER + 1 }}
        onChange={(chosen) => setModel(chosen ?? model)}
      />
      {keys === undefined && error === null && (
        <div className={styles.waiting}>
          <LoadingBars height={28} />
        </div>
      )}
      {keys === undefined && error !== null && (
        <ErrorState title={t("channel-keys:notLoaded")} error={error} onRetry={() => void refetch()} />
      )}
      {/* What another model's tests said is not what this one's say. */}
      {keys !== undefined && <KeyRows key={model} channel={channel} model={model} keys={keys} onClose={onClose} />}
    </>
  );
}
