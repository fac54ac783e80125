/** The button that enables a channel which is skipped because it is disabled, with the way back; the explanation is then asked for anew. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CHANNEL_STATUS, setChannelStatuses } from "../../../../contract/src/features/channels.ts";
import type { RouteOut } from "../../../../contract/src/features/routing.ts";
import { call } from "../../lib/api.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { useMay } from "../../lib/viewer.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { useManagedQuestion, useMark } from "../../ui/managed.tsx";

const UNDO_MS = 8000;

type Status = typeof CHANNEL_STATUS.enabled | typeof CHANNEL_STATUS.disabled;

/** Enabling takes nothing from callers, so it asks nothing; taking it back within its seconds leaves all as it was. */
function useEnable({ id, name }: Pick<RouteOut, "id" | "name">) {
  const { t } = useTranslation("routing");
  const client = useQueryClient();
  const change = useMutation({
    meta: { showsOwnError: true },
    mutationFn: (status: Status) => call(setChannelStatuses, { body: { ids: [id], status } }),
    // Of the mutation itself: the row is gone once the explanation came anew.
    onSuccess: (_count, status) => {
      if (status === CHANNEL_STATUS.enabled) tellEnabled();
    },
    onError: (error) => toast.error(error, t("enable.failed", { name: visible(name) })),
    onSettled: () => client.invalidateQueries(),
  });
  const undo = { label: t("enable.undo"), onClick: () => change.mutate(CHANNEL_STATUS.disabled) };
  const tellEnabled = () =>
    toast.success(t("enable.done", { name: visible(name) }), { act: `enable ${id}`, shownMs: UNDO_MS, action: undo });
  return { isBusy: change.isPending, enable: () => change.mutate(CHANNEL_STATUS.enabled) };
}

/** Nothing for those who may not enable channels, and where a configuration file locks this one. */
export function EnableButton({ out }: { out: Pick<RouteOut, "id" | "name"> }) {
  const { t } = useTranslation("routing");
  const mayOperate = useMay("channels_operate");
  const mark = useMark("channel", out.id);
  const mayChange = useManagedQuestion();
  const { isBusy, enable } = useEnable(out);
  if (!mayOperate || mark?.is_locked === true) return null;
  const ask = async () => {
    if (await mayChange([mark])) enable();
  };
  return (
    <BusyButton
      size="xs"
      variant="default"
      isBusy={isBusy}
      aria-label={t("enable.label", { name: visible(out.name) })}
      onClick={() => void ask()}
    >
      {t("enable.action")}
    </BusyButton>
  );
}
