/** Tests one channel with models that are chosen here, one or all; each keeps its result while the dialog is open. */
import { Button, TextInput } from "@mantine/core";
import { IconPlayerPlay, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../../ui/busy-button.tsx";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { ResponseTag } from "../../ui/display/tags.tsx";
import styles from "./dialogs.module.css";
import { modelsOf } from "./model/rows.ts";
import { useRemoveModels, useTestChannel } from "./mutations.ts";
import { channelQuery } from "./queries.ts";
import { type TestBatch, type TestResult, useTestBatch } from "./test-batch.ts";
import { DIALOG_LAYER } from "./set-tag-dialog.tsx";

/** Many models need a search, few do not. */
const SEARCH_FROM = 8;

function ModelRow({
  model,
  isDefault,
  result,
  onTest,
}: {
  model: string;
  isDefault: boolean;
  result: TestResult | undefined;
  onTest: () => void;
}) {
  const { t } = useTranslation("channels");
  return (
    <li className={styles.model}>
      <div className={styles.modelText}>
        <span className="mono">{model}</span>
        {isDefault && <span className={styles.note}>{t("test.default")}</span>}
        <div aria-live="polite" className={styles.failed}>
          {result?.kind === "failed" && result.message}
        </div>
      </div>
      <span aria-live="polite">
        {result?.kind === "passed" && <ResponseTag ms={Math.max(1, Math.round(result.ms))} />}
      </span>
      <BusyButton
        size="xs"
        leftSection={<IconPlayerPlay size={13} stroke={1.5} />}
        isBusy={result?.kind === "running"}
        aria-label={t("test.with", { model })}
        onClick={onTest}
      >
        {t("actions.test")}
      </BusyButton>
    </li>
  );
}

/** Tests all that are shown, stops them, and takes out those that failed. */
function BatchActs({ batch, shown, channel, onClose }: BatchActsProps) {
  const { t } = useTranslation("channels");
  const remove = useRemoveModels();
  const failed = modelsOf(channel).filter((model) => batch.results[model]?.kind === "failed");
  const { progress } = batch;
  const canRemove = failed.length > 0 && failed.length < modelsOf(channel).length && progress === undefined;
  return (
    <div className={styles.actions}>
      {canRemove && (
        <BusyButton
          className={styles.left ?? ""}
          variant="subtle"
          data-tone="danger"
          isBusy={remove.isPending}
          onClick={() => remove.mutate({ channel, models: failed })}
        >
          {t("test.removeFailed", { count: failed.length })}
        </BusyButton>
      )}
      {shown.length > 1 && progress === undefined && (
        <Button onClick={() => batch.run(shown)}>{t("test.all", { count: shown.length })}</Button>
      )}
      {progress !== undefined && (
        <>
          <span className={styles.progress} role="status">
            {t("test.progress", progress)}
          </span>
          <Button onClick={batch.stop}>{t("test.stop")}</Button>
        </>
      )}
      <Button onClick={onClose}>{t("ui:close")}</Button>
    </div>
  );
}

interface BatchActsProps {
  batch: TestBatch;
  shown: readonly string[];
  channel: ChannelRow;
  onClose: () => void;
}

export function TestDialog({ channel: opened, onClose }: { channel: ChannelRow; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const [typed, setTyped] = useState("");
  const test = useTestChannel();
  // Models that are taken out while it is open are gone from it too.
  const channel = useQuery(channelQuery(opened.id)).data ?? opened;
  const models = modelsOf(channel);
  const batch = useTestBatch((model) => test.mutateAsync({ channel, model, isQuiet: true }));
  const shown = models.filter((model) => model.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <Dialog isOpen onClose={onClose} title={t("test.title", { name: channel.name })} layer={DIALOG_LAYER}>
      <p className={styles.text}>{t("test.text")}</p>
      {models.length >= SEARCH_FROM && (
        <TextInput
          size="xs"
          data-autofocus
          aria-label={t("test.search")}
          placeholder={t("test.search")}
          leftSection={<IconSearch size={15} stroke={1.5} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ul className={styles.models}>
        {shown.map((model) => (
          <ModelRow
            key={model}
            model={model}
            isDefault={model === channel.test_model}
            result={batch.results[model]}
            onTest={() => batch.run([model])}
          />
        ))}
      </ul>
      <BatchActs batch={batch} shown={shown} channel={channel} onClose={onClose} />
    </Dialog>
  );
}
