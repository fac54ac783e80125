/** Below a channel's models: whether its upstream's model list is watched, and the models found, which one click takes into the form. */
import { Checkbox } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { detectModels, getModelWatch } from "../../../../../contract/src/channels/model-watch.ts";
import { call } from "../../../lib/api.ts";
import { formatDateTime } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FieldLink, FieldLinks, Toggle } from "../../../ui/form/fields.tsx";
import { addModels } from "../model/models.ts";
import { openIn, type WatchForm, watchOf, withWatch } from "../model/watch.ts";
import { CHANNEL_LISTS_KEY, CHANNELS_KEY } from "../queries.ts";
import type { FieldsProps } from "../model/form.ts";
import styles from "./model-watch.module.css";

/** Names that one list shows. */
const SHOWN = 100;

interface ListProps {
  title: string;
  models: readonly string[];
  acts: readonly { label: string; take: (models: readonly string[]) => void }[];
}

/** Names to choose among, all of them chosen at first. */
function FoundList({ title, models, acts }: ListProps) {
  const { t } = useTranslation("channel-editor");
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  if (models.length === 0) return null;
  const shown = models.slice(0, SHOWN);
  const chosen = shown.filter((model) => !left.has(model));
  const toggle = (model: string, isOn: boolean) =>
    setLeft((before) => new Set(isOn ? [...before].filter((name) => name !== model) : [...before, model]));
  return (
    <div role="group" aria-label={title} className={styles.list}>
      <p className={styles.title}>{title}</p>
      <div className={styles.names}>
        {shown.map((model) => (
          <Checkbox
            key={model}
            size="xs"
            label={<span className="mono">{visible(model)}</span>}
            checked={!left.has(model)}
            onChange={(event) => toggle(model, event.currentTarget.checked)}
          />
        ))}
      </div>
      {models.length > SHOWN && <p className={styles.faint}>{t("watch.more", { count: models.length - SHOWN })}</p>}
      <FieldLinks>
        {acts.map(({ label, take }) => (
          <FieldLink key={label} isDisabled={chosen.length === 0} onClick={() => take(chosen)}>
            {label}
          </FieldLink>
        ))}
      </FieldLinks>
    </div>
  );
}

function useWatch(id: number) {
  const { t } = useTranslation("channel-editor");
  const client = useQueryClient();
  const queryKey = [...CHANNELS_KEY, "watch", id];
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(getModelWatch, { params: { id }, signal }),
  });
  const look = useMutation({
    meta: { showsOwnError: true },
    mutationFn: () => call(detectModels, { body: { id } }),
    onSuccess: (watch) => client.setQueryData(queryKey, watch),
    onError: (error) => toast.error(error, t("watch.notFetched")),
    onSettled: () => client.invalidateQueries({ queryKey: CHANNEL_LISTS_KEY }),
  });
  return { found: found.data, look };
}

/** Findings at the upstream of a stored channel. */
function Found({ id, form, set, watch }: Pick<FieldsProps, "form" | "set"> & { id: number; watch: WatchForm }) {
  const { t } = useTranslation("channel-editor");
  const { found, look } = useWatch(id);
  if (found === undefined) return null;
  const { added, removed } = openIn(form.models, watch.ignored, found);
  const { last_check_time: time, failure } = found;
  return (
    <div className={styles.found}>
      <p className={styles.faint} role="status">
        {time === 0 ? t("watch.never") : t("watch.fetchedAt", { time: formatDateTime(time) })}
        {failure !== "" && <span className={styles.failure}> {t("watch.failed", { reason: visible(failure) })}</span>}
        {time > 0 && failure === "" && added.length + removed.length === 0 && ` ${t("watch.same")}`}
      </p>
      <FieldLinks>
        <FieldLink isDisabled={look.isPending} onClick={() => look.mutate()}>
          {t("watch.now")}
        </FieldLink>
      </FieldLinks>
      <FoundList
        title={t("watch.new", { count: added.length })}
        models={added}
        acts={[
          { label: t("watch.add"), take: (models) => set({ models: addModels(form.models, models).models }) },
          {
            label: t("watch.ignore"),
            take: (models) =>
              set({ settings: withWatch(form.settings, { ...watch, ignored: [...watch.ignored, ...models] }) }),
          },
        ]}
      />
      <FoundList
        title={t("watch.vanished", { count: removed.length })}
        models={removed}
        acts={[
          {
            label: t("watch.remove"),
            take: (models) => set({ models: form.models.filter((model) => !models.includes(model)) }),
          },
        ]}
      />
    </div>
  );
}

/** `id` of the stored channel; undefined for one that is being made. */
export function ModelWatchFields({ form, set, id }: Pick<FieldsProps, "form" | "set"> & { id: number | undefined }) {
  const { t } = useTranslation("channel-editor");
  const watch = watchOf(form.settings);
  if (watch === undefined) return null;
  const change = (part: Partial<WatchForm>) => set({ settings: withWatch(form.settings, { ...watch, ...part }) });
  return (
    <>
      <Toggle
        isOn={watch.isWatched}
        onChange={(isWatched) => change({ isWatched, addsByItself: isWatched && watch.addsByItself })}
        label={t("watch.on")}
        text={t("watch.onText")}
      />
      {watch.isWatched && (
        <Toggle
          isOn={watch.addsByItself}
          onChange={(addsByItself) => change({ addsByItself })}
          label={t("watch.adds")}
          text={t("watch.addsText")}
        />
      )}
      {id !== undefined && <Found id={id} form={form} set={set} watch={watch} />}
    </>
  );
}
