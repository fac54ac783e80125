/** Below the models of an Ollama channel: what is on its server's disk, a model to pull with its progress, and one to delete. */
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { translate, useTranslation } from "../../../lib/i18n.ts";
import {
  deleteStoredModel,
  type PullLine,
  pullStoredModel,
} from "../../../../../contract/src/channels/stored-models.ts";
import { fetchChannelModels } from "../../../../../contract/src/features/channels.ts";
import { call, openStream } from "../../../lib/api.ts";
import { linesOf } from "../../../lib/lines.ts";
import { visible } from "../../../lib/names.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Progress } from "../../../ui/display/progress.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { CHANNELS_KEY } from "../queries.ts";
import styles from "./stored-models.module.css";

/** How far the pull is. */
interface Step {
  status: string;
  percent: number;
}

/** Pulls a model. Throws ApiError where it is refused, Error with the server's words where it fails, and what fetch throws where it is stopped. */
async function pull(id: number, model: string, signal: AbortSignal, onStep: (step: Step) => void): Promise<void> {
  const { body } = await openStream(pullStoredModel, { params: { id }, body: { model }, signal });
  for await (const text of linesOf(body)) {
    // The server writes exactly these lines (contract/src/channels/stored-models.ts).
    const line = JSON.parse(text) as PullLine;
    if (line.kind === "done") return;
    if (line.kind === "failure") throw new Error(line.message);
    const { status, completed_bytes: done, total_bytes: total } = line;
    onStep({ status, percent: total === 0 ? 0 : Math.floor((done / total) * 100) });
  }
  throw new Error(translate("channel-editor:stored.cut"));
}

/** A pull that is under way ends with the form. */
function usePull(id: number, onPulled: (model: string) => void) {
  const { t } = useTranslation("channel-editor");
  const [step, setStep] = useState<Step>();
  const open = useRef<AbortController>(undefined);
  useEffect(() => () => open.current?.abort(), []);
  const { mutate, isPending } = useMutation({
    meta: { showsOwnError: true },
    mutationFn: (model: string) => {
      open.current = new AbortController();
      return pull(id, model, open.current.signal, setStep);
    },
    onSuccess: (_, model) => onPulled(model),
    onError: (error, model) => {
      if (open.current?.signal.aborted !== true) toast.error(error, t("stored.failed", { model: visible(model) }));
    },
    onSettled: () => setStep(undefined),
  });
  return { pull: mutate, isPending, step, stop: () => open.current?.abort() };
}

function StoredList({ id, models, onDeleted }: { id: number; models: readonly string[]; onDeleted: () => void }) {
  const { t } = useTranslation("channel-editor");
  const remove = useMutation({
    meta: { showsOwnError: true },
    mutationFn: (model: string) => call(deleteStoredModel, { params: { id }, body: { model } }),
    onSuccess: (_, model) => toast.success(t("stored.deleted", { model: visible(model) })),
    onError: (error) => toast.error(error, t("stored.notDeleted")),
    onSettled: onDeleted,
  });
  const ask = async (model: string) => {
    const question = {
      title: t("stored.deleteTitle", { model: visible(model) }),
      text: t("stored.deleteText"),
      action: t("stored.delete"),
    };
    if (await confirm(question)) remove.mutate(model);
  };
  return (
    <ul className={styles.list} aria-label={t("stored.list")}>
      {models.map((model) => (
        <li key={model}>
          <span className="mono">{visible(model)}</span>
          <ActionIcon
            variant="subtle"
            size={28}
            aria-label={t("stored.deleteOf", { model: visible(model) })}
            disabled={remove.isPending}
            onClick={() => void ask(model)}
          >
            <IconTrash size={15} stroke={1.5} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
}

/** `id` of the stored channel. */
export function StoredModels({ id, onPulled }: { id: number; onPulled: (model: string) => void }) {
  const { t } = useTranslation("channel-editor");
  const [name, setName] = useState("");
  const client = useQueryClient();
  const queryKey = [...CHANNELS_KEY, "stored", id];
  const stored = useQuery({ queryKey, queryFn: ({ signal }) => call(fetchChannelModels, { params: { id }, signal }) });
  const again = () => void client.invalidateQueries({ queryKey });
  const pulling = usePull(id, (model) => {
    toast.success(t("stored.pulled", { model: visible(model) }));
    setName("");
    onPulled(model);
    again();
  });
  const model = name.trim();
  return (
    <fieldset className={styles.stored}>
      <legend>{t("stored.title")}</legend>
      <div className={styles.line}>
        <TextInput
          aria-label={t("stored.name")}
          placeholder="qwen3:8b"
          autoComplete="off"
          value={name}
          disabled={pulling.isPending}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <BusyButton isBusy={pulling.isPending} disabled={model === ""} onClick={() => pulling.pull(model)}>
          {t("stored.pull")}
        </BusyButton>
        {pulling.isPending && <Button onClick={pulling.stop}>{t("stored.stop")}</Button>}
      </div>
      {pulling.step !== undefined && (
        <div role="status">
          <Progress percent={pulling.step.percent} label={t("stored.progress")} />
          <p className={styles.faint}>{visible(pulling.step.status)}</p>
        </div>
      )}
      {stored.isError && <p className={styles.faint}>{t("stored.notRead")}</p>}
      {stored.data !== undefined && stored.data.length === 0 && <p className={styles.faint}>{t("stored.none")}</p>}
      {stored.data !== undefined && <StoredList id={id} models={stored.data} onDeleted={again} />}
    </fieldset>
  );
}
