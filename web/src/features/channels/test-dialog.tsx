/** Tests one channel with a model that is chosen here; each model keeps its result while the dialog is open. */
import { Button, TextInput } from "@mantine/core";
import { IconPlayerPlay, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../../ui/busy-button.tsx";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { ResponseTag } from "../../ui/display/tags.tsx";
import styles from "./dialogs.module.css";
import { modelsOf } from "./model/rows.ts";
import { useTestChannel } from "./mutations.ts";
import { DIALOG_LAYER } from "./set-tag-dialog.tsx";

type Result = { kind: "running" } | { kind: "passed"; ms: number } | { kind: "failed"; message: string };

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
  result: Result | undefined;
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

export function TestDialog({ channel, onClose }: { channel: ChannelRow; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const [typed, setTyped] = useState("");
  const [results, setResults] = useState<Readonly<Record<string, Result>>>({});
  const test = useTestChannel();
  const models = modelsOf(channel);
  const shown = models.filter((model) => model.toLowerCase().includes(typed.trim().toLowerCase()));
  const keep = (model: string, result: Result) => setResults((old) => ({ ...old, [model]: result }));
  const run = (model: string) => {
    keep(model, { kind: "running" });
    void test.mutateAsync({ channel, model, isQuiet: true }).then(
      (ms) => keep(model, { kind: "passed", ms }),
      (error: unknown) => keep(model, { kind: "failed", message: describeError(error).message }),
    );
  };
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
            isDefault={model === (channel.test_model || models[0])}
            result={results[model]}
            onTest={() => run(model)}
          />
        ))}
      </ul>
      <div className={styles.actions}>
        <Button onClick={onClose}>{t("ui:close")}</Button>
      </div>
    </Dialog>
  );
}
