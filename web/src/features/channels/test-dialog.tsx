/** The dialog that tests a channel: its models one by one or all, and its keys. */
import { TextInput, Select, Button } from "@mantine/core";
import { IconSearch, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode, useLayoutEffect, useRef } from "react";
import { useTranslation } from "../../lib/i18n.ts";
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
import { type TestBatch, useTestBatch, type TestResult } from "./test-batch.ts";
import { KEY_STATUS } from "../../../../contract/src/channels/choices.ts";
import type { ChannelKeyRow } from "../../../../contract/src/channels/keys.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { allKeysQuery } from "./keys/queries.ts";
import { Progress } from "../../ui/display/progress.tsx";
import { ResponseTag } from "../../ui/display/tags.tsx";

interface TestRowProps {
  name: string;
  note: string | undefined;
  result: TestResult | undefined;
  onTest: () => void;
}

/** One test of the dialog with its result. */
function TestRow({ name, note, result, onTest }: TestRowProps) {
  const { t } = useTranslation("channels");
  return (
    <li className={styles.model}>
      <div className={styles.modelText}>
        <span className="mono">{name}</span>
        {note !== undefined && <span className={styles.note}>{note}</span>}
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
        aria-label={t("test.with", { model: name })}
        onClick={onTest}
      >
        {t("actions.test")}
      </BusyButton>
    </li>
  );
}

interface BatchActsProps {
  batch: TestBatch;
  /** The models of "test all". */
  names: readonly string[];
  allLabel: string;
  /** Actions on the results; shown while no batch runs. */
  more?: ReactNode;
  onClose: () => void;
}

/** Buttons take each other's place here: what stands there now gets the focus that the one before had. */
function useHandedFocus() {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) place.current?.querySelector("button")?.focus();
  });
  return place;
}

/** How far the batch under way is; once it has ended, how its tests did and what can be made of that. */
function BatchState({ batch: { progress, results }, names, more }: Pick<BatchActsProps, "batch" | "names" | "more">) {
  const { t } = useTranslation("channels");
  const countOf = (kind: TestResult["kind"]) => names.filter((name) => results[name]?.kind === kind).length;
  const [passed, failed] = [countOf("passed"), countOf("failed")];
  if (progress === undefined && passed + failed === 0) return null;
  return (
    <div className={styles.batch}>
      <span role="status">
        {progress === undefined ? t("test.summary", { passed, failed }) : t("test.progress", { ...progress })}
      </span>
      {progress === undefined ? (
        more
      ) : (
        <Progress percent={Math.round((progress.done / progress.total) * 100)} label={t("test.progressLabel")} />
      )}
    </div>
  );
}

/** Tests all that are shown, and stops them. */
function BatchActs({ batch, names, allLabel, more, onClose }: BatchActsProps) {
  const { t } = useTranslation("channels");
  const { progress } = batch;
  const place = useHandedFocus();
  return (
    <>
      <BatchState batch={batch} names={names} more={more} />
      <div ref={place} className={styles.actions}>
        {names.length > 1 && progress === undefined && <Button onClick={() => batch.run(names)}>{allLabel}</Button>}
        {progress !== undefined && (
          <BusyButton isBusy={batch.isStopping} onClick={batch.stop}>
            {t("test.stop")}
          </BusyButton>
        )}
        <Button onClick={onClose}>{t("ui:close")}</Button>
      </div>
    </>
  );
}

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

/** The test dialog's other half for a channel with several keys: one model, and a result for each key. */
function KeyTests({ channel, onClose }: KeyTestsProps) {
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
      if (isSure !== undefined) remove.mutate({ channel, models: failed });
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
