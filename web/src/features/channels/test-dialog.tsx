/** Tests one channel with models or keys that are chosen here, one or all; each keeps its result while the dialog is open. */
import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type ChannelRow, getChannel } from "../../../../contract/src/features/channels.ts";
import { call } from "../../lib/api.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Segmented } from "../../ui/form/fields.tsx";
import styles from "./dialogs.module.css";
import { maySave } from "./impact.ts";
import { modelsOf } from "./model/rows.ts";
import { useRemoveModels, useTestChannel } from "./mutations.ts";
import { channelQuery } from "./queries.ts";
import { DIALOG_LAYER } from "./set-tag-dialog.tsx";
import { type TestBatch, useTestBatch } from "./test-batch.ts";
import { KeyTests } from "./test-keys.tsx";
import { BatchActs, TestRow } from "./test-rows.tsx";

/** Many models need a search, few do not. */
const SEARCH_FROM = 8;

function RemoveFailed({ batch, channel }: { batch: TestBatch; channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  const remove = useRemoveModels();
  const failed = modelsOf(channel).filter((model) => batch.results[model]?.kind === "failed");
  if (failed.length === 0 || failed.length === modelsOf(channel).length) return null;
  const takeOut = async () => {
    try {
      // Others may have been added since they were last shown; they stay.
      const now = await call(getChannel, { params: { id: channel.id } });
      const models = modelsOf(now).filter((model) => !failed.includes(model));
      const isSure = await maySave({ act: "edit_channels", ids: [channel.id], models: models.join(",") });
      if (isSure) remove.mutate({ channel, models: failed });
    } catch (error) {
      toast.error(error, t("notChanged", { name: channel.name }));
    }
  };
  return (
    <BusyButton size="xs" data-tone="danger" isBusy={remove.isPending} onClick={() => void takeOut()}>
      {t("test.removeFailed", { count: failed.length })}
    </BusyButton>
  );
}

function ModelTests({ channel, onClose }: { channel: ChannelRow; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const [typed, setTyped] = useState("");
  const test = useTestChannel();
  const models = modelsOf(channel);
  const batch = useTestBatch((model) => test.mutateAsync({ channel, model, isQuiet: true }));
  const shown = models.filter((model) => model.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <>
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
          <TestRow
            key={model}
            name={model}
            note={model === channel.test_model ? t("test.default") : undefined}
            result={batch.results[model]}
            onTest={() => batch.run([model])}
          />
        ))}
      </ul>
      <BatchActs
        batch={batch}
        names={shown}
        allLabel={t("test.all", { count: shown.length })}
        more={<RemoveFailed batch={batch} channel={channel} />}
        onClose={onClose}
      />
    </>
  );
}

export function TestDialog({ channel: opened, onClose }: { channel: ChannelRow; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const [by, setBy] = useState<"models" | "keys">("models");
  const [hasShownKeys, setHasShownKeys] = useState(false);
  // Models that are taken out while it is open are gone from it too.
  const channel = useQuery(channelQuery(opened.id)).data ?? opened;
  const show = (next: "models" | "keys") => {
    setBy(next);
    if (next === "keys") setHasShownKeys(true);
  };
  return (
    <Dialog isOpen onClose={onClose} title={t("test.title", { name: channel.name })} layer={DIALOG_LAYER} size={520}>
      <p className={styles.text}>{t("test.text")}</p>
      {channel.key_count > 1 && (
        <div className={styles.by}>
          <Segmented
            label={t("test.by")}
            value={by}
            onChange={show}
            options={[
              { value: "models", text: t("test.models") },
              { value: "keys", text: t("test.keys", { count: channel.key_count }) },
            ]}
          />
        </div>
      )}
      {/* Both keep their results, and go on testing, while the other one is looked at. */}
      <div hidden={by !== "models"}>
        <ModelTests channel={channel} onClose={onClose} />
      </div>
      <div hidden={by !== "keys"}>{hasShownKeys && <KeyTests channel={channel} onClose={onClose} />}</div>
    </Dialog>
  );
}
