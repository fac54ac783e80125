/** Queries and mutations of the drawer of a channel's keys; every mutation reloads the channels, whose counts change with it. */
import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { useTranslation } from "../../../lib/i18n.ts";
import {
  addChannelKeys,
  type ChannelKeyList,
  type ChannelKeyRow,
  deleteChannelKeys,
  listChannelKeys,
  setChannelKeyStatuses,
  updateChannelKeys,
} from "../../../../../contract/src/channels/keys.ts";
import { MAX_PAGE_SIZE } from "../../../../../contract/src/query.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { useRefreshChannels } from "../mutations.ts";
import { CHANNELS_KEY } from "../queries.ts";

export interface KeysView {
  channelId: number;
  /** One of KEY_STATUS; undefined for all. */
  status: number | undefined;
  /** From 1. */
  page: number;
  size: number;
}

export const channelKeysQuery = ({ channelId, status, page, size }: KeysView) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "keys", channelId, status ?? 0, page, size],
    queryFn: ({ signal }): Promise<ChannelKeyList> =>
      call(listChannelKeys, { params: { id: channelId }, query: { status, p: page - 1, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  });

/** All keys of a channel, page by page; asked for anew each time. */
export const allKeysQuery = (channelId: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "keys", channelId, "all"],
    queryFn: async ({ signal }): Promise<ChannelKeyRow[]> => {
      const keys: ChannelKeyRow[] = [];
      for (let p = 0; ; p += 1) {
        const query = { p, page_size: MAX_PAGE_SIZE };
        const list = await call(listChannelKeys, { params: { id: channelId }, query, signal });
        keys.push(...list.keys);
        if (list.keys.length < MAX_PAGE_SIZE) return keys;
      }
    },
  });

export type SeveralKeys = "random" | "in_turn";

/** Keys by their ids, or all, or all that calls disabled. */
type Chosen = { ids: number[] } | { which: "all" | "auto_disabled" };

export function useKeyActs(channelId: number) {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  const params = { id: channelId };
  const setStatus = useMutation({
    mutationFn: ({ status, ...chosen }: Chosen & { status: 1 | 2 }) =>
      call(setChannelKeyStatuses, { params, body: { ...chosen, status } }),
    onSuccess: (count, { status }) =>
      toast.success(t(status === 1 ? "channel-keys:enabled" : "channel-keys:disabled", { count })),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (chosen: { ids: number[] } | { which: "auto_disabled" }) =>
      call(deleteChannelKeys, { params, body: chosen }),
    onSuccess: (count) => toast.success(t("channel-keys:removed", { count })),
    onSettled: refresh,
  });
  const choose = useMutation({
    mutationFn: (key_choice: SeveralKeys) => call(updateChannelKeys, { params, body: { key_choice } }),
    onSettled: refresh,
  });
  const add = useMutation({
    // A refused text is an error of its field.
    meta: { showsOwnError: true },
    mutationFn: (body: { key: string; key_choice?: SeveralKeys }) => call(addChannelKeys, { params, body }),
    onSuccess: ({ added, duplicates }) =>
      toast.success(
        t("channel-keys:added", { count: added }),
        duplicates > 0 ? t("channel-keys:had", { count: duplicates }) : undefined,
      ),
    onError: (error) => {
      if (!(error instanceof ApiError) || error.field !== "key") toast.error(error, t("channel-keys:notAdded"));
    },
    onSettled: refresh,
  });
  return { setStatus, remove, choose, add };
}
