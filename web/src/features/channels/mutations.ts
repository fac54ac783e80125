/** Mutations of channels, with the messages afterwards; a switch changes at once and reverts where the server refuses. */
import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { updateBalance } from "../../../../contract/src/channels/balances.ts";
import type { ChannelChoice } from "../../../../contract/src/channels/channel-list.ts";
import {
  CHANNEL_STATUS,
  type ChannelRow,
  copyChannel,
  deleteChannel,
  deleteChannels,
  deleteDisabledChannels,
  disableTag,
  enableTag,
  fixChannels,
  getChannel,
  setChannelStatuses,
  tagChannels,
  takeModelOff,
  updateChannel,
} from "../../../../contract/src/features/channels.ts";
import { ApiError, call, callFull } from "../../lib/api.ts";
import { formatDurationMs } from "../../lib/format.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { formatMoney } from "./model/balance.ts";
import { balanceFailureText, failureIn } from "./model/failure.ts";
import { takeModelsOut } from "./model/take-models-out.ts";
import type { ChannelPage } from "./model/tag-pages.ts";
import { CHANNEL_LISTS_KEY, CHANNELS_KEY } from "./queries.ts";
import { runTest, tellFailedTest } from "./test-call.ts";

type ChannelChange = Partial<Pick<ChannelRow, "status" | "priority" | "weight" | "response_time">>;

/** Writes a change into every loaded page of the list; gives what puts the pages back. */
function usePatchLists() {
  const client = useQueryClient();
  return (isMeant: (channel: ChannelRow) => boolean, change: ChannelChange): (() => void) => {
    const before = client.getQueriesData<ChannelPage>({ queryKey: CHANNEL_LISTS_KEY });
    client.setQueriesData<ChannelPage>(
      { queryKey: CHANNEL_LISTS_KEY },
      (page) =>
        page && {
          ...page,
          channels: page.channels.map((channel) => (isMeant(channel) ? { ...channel, ...change } : channel)),
        },
    );
    return () => {
      for (const [key, page] of before) client.setQueryData(key, page);
    };
  };
}

/** Asks for everything about channels anew. */
export function useRefreshChannels(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: CHANNELS_KEY });
}

const own = { showsOwnError: true } as const;

/** Status, priority or weight of one channel, shown before the server answered. */
export function useChangeChannel() {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const patchLists = usePatchLists();
  const refresh = useRefreshChannels();
  return useMutation({
    meta: own,
    mutationFn: ({ channel, change }: { channel: ChannelRow; change: ChannelChange }) =>
      call(updateChannel, { body: { id: channel.id, ...change } }),
    onMutate: async ({ channel, change }) => {
      await client.cancelQueries({ queryKey: CHANNEL_LISTS_KEY });
      return patchLists(({ id }) => id === channel.id, change);
    },
    onError: (error, { channel }, rollBack) => {
      rollBack?.();
      toast.error(error, t("notChanged", { name: channel.name }));
    },
    onSettled: refresh,
  });
}

/** Enables or disables all channels of a tag, shown before the server answered. */
export function useChangeTagStatus() {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const patchLists = usePatchLists();
  const refresh = useRefreshChannels();
  return useMutation({
    meta: own,
    mutationFn: ({ tag, isEnabled }: { tag: string; isEnabled: boolean }) =>
      call(isEnabled ? enableTag : disableTag, { body: { tag } }),
    onMutate: async ({ tag, isEnabled }) => {
      await client.cancelQueries({ queryKey: CHANNEL_LISTS_KEY });
      return patchLists((channel) => channel.tag === tag, {
        status: isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled,
      });
    },
    onSuccess: (count, { isEnabled }) => toast.success(t(isEnabled ? "tagEnabled" : "tagDisabled", { count })),
    onError: (error, { tag }, rollBack) => {
      rollBack?.();
      toast.error(error, t("notChanged", { name: tag }));
    },
    onSettled: refresh,
  });
}

const TESTS_KEY = [...CHANNELS_KEY, "test"] as const;
const BALANCES_KEY = [...CHANNELS_KEY, "balance"] as const;

interface ChannelTarget {
  channel: Pick<ChannelRow, "id" | "name">;
}

/** Ids of the channels whose test or balance is under way, wherever it was asked for. */
function usePending(mutationKey: readonly string[]): ReadonlySet<number> {
  const ids = useMutationState({
    filters: { mutationKey, status: "pending" },
    select: ({ state }) => (state.variables as ChannelTarget).channel.id,
  });
  return new Set(ids);
}
export const usePendingTests = () => usePending(TESTS_KEY);
export const usePendingBalances = () => usePending(BALANCES_KEY);

export interface TestTarget extends ChannelTarget {
  /** Absent: the channel's test model, or its first one. */
  model?: string;
  /** Id of one of several keys; absent: the one that tests take. */
  key?: number;
  /** The caller shows the result itself. */
  isQuiet?: boolean;
}

/** One test call; the data is the time in ms. */
export function useTestChannel() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  const navigate = useNavigate();
  const go = (href: string) => void navigate({ href });
  return useMutation({
    meta: own,
    mutationKey: TESTS_KEY,
    mutationFn: ({ channel, model, key }: TestTarget) => runTest(channel.id, model, key),
    onSuccess: (ms, { channel, model, isQuiet }) => {
      if (isQuiet !== true) toast.success(t("test.passed", { name: channel.name, time: formatDurationMs(ms) }), model);
    },
    onError: (error, { channel, isQuiet }) => {
      if (isQuiet !== true) tellFailedTest(error, t("test.failed", { name: channel.name }), go);
    },
    onSettled: refresh,
  });
}

/** Takes models out of a channel; those that it had beside them stay. */
export function useRemoveModels() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    meta: own,
    mutationFn: ({ channel: { id }, models }: { channel: ChannelRow; models: readonly string[] }) =>
      takeModelsOut(models, {
        read: () => call(getChannel, { params: { id } }),
        write: (change) => call(updateChannel, { body: { id, ...change } }),
      }),
    onSuccess: (_row, { models }) => toast.success(t("test.removed", { count: models.length }), models.join(", ")),
    onError: (error, { channel }) => toast.error(error, t("notChanged", { name: channel.name })),
    onSettled: refresh,
  });
}

/** Asks the upstream for a channel's balance, which the list then shows; the data is the balance. */
export function useRefreshBalance() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    meta: own,
    mutationKey: BALANCES_KEY,
    mutationFn: async ({ channel }: ChannelTarget) => {
      const { extra } = await callFull(updateBalance, { params: { id: channel.id } });
      return extra;
    },
    onSuccess: ({ balance = 0, currency = "" }, { channel }) =>
      toast.success(t("balance.read", { name: channel.name, amount: formatMoney(balance, currency) })),
    onError: (error, { channel }) => {
      const failure = error instanceof ApiError ? failureIn(error.extra) : undefined;
      const shown = failure && error instanceof ApiError ? new ApiError(balanceFailureText(t, failure), error) : error;
      toast.error(shown, t("balance.failed", { name: channel.name }));
    },
    onSettled: refresh,
  });
}

/** Copies on the server, key included; the data is the copy. */
export function useCopyChannel() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    meta: own,
    mutationFn: ({ channel }: { channel: ChannelRow }) => call(copyChannel, { params: { id: channel.id } }),
    onSuccess: (copy) => toast.success(t("copied"), t("copiedText", { name: copy.name, id: copy.id })),
    onError: (error) => toast.error(error, t("copyFailed")),
    onSettled: refresh,
  });
}

export function useDeleteChannels() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    mutationFn: async (choice: ChannelChoice) => {
      const [only, ...others] = "ids" in choice ? choice.ids : [];
      if (only === undefined || others.length > 0) return call(deleteChannels, { body: choice });
      await call(deleteChannel, { params: { id: only } });
      return 1;
    },
    onSuccess: (count) => toast.success(t("deleted", { count })),
    onSettled: refresh,
  });
}

export function useTagChannels() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    mutationFn: ({ choice, tag }: { choice: ChannelChoice; tag: string | null }) =>
      call(tagChannels, { body: { ...choice, tag } }),
    onSuccess: (count, { tag }) =>
      toast.success(tag === null ? t("untaggedDone", { count }) : t("tagged", { count, tag })),
    onSettled: refresh,
  });
}

/** Takes a model off the chosen channels, and says how many have no other and keep it. */
export function useTakeModelOff() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    mutationFn: ({ choice, model }: { choice: ChannelChoice; model: string }) =>
      call(takeModelOff, { body: { ...choice, model } }),
    onSuccess: ({ changed, only }, { model }) => {
      const done = t("takeModel.done", { count: changed, model });
      toast.success(only === 0 ? done : `${done}. ${t("takeModel.kept", { count: only })}`);
    },
    onSettled: refresh,
  });
}

/** Enables or disables all chosen channels. */
export function useChangeStatuses() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    mutationFn: ({ choice, isEnabled }: { choice: ChannelChoice; isEnabled: boolean }) =>
      call(setChannelStatuses, {
        body: { ...choice, status: isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled },
      }),
    onSuccess: (count, { isEnabled }) => toast.success(t(isEnabled ? "tagEnabled" : "tagDisabled", { count })),
    onSettled: refresh,
  });
}

/** The acts on all channels: delete what is disabled, build the abilities anew. */
export function useMaintainChannels() {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  const removeDisabled = useMutation({
    mutationFn: () => call(deleteDisabledChannels, {}),
    onSuccess: (count) => toast.success(t("deleted", { count })),
    onSettled: refresh,
  });
  const fix = useMutation({
    mutationFn: () => call(fixChannels, {}),
    onSuccess: (count) => toast.success(t("fixed", { count })),
    onSettled: refresh,
  });
  return { removeDisabled, fix };
}
