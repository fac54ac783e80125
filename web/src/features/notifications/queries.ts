/** What the page of messages asks the server and tells it. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { listMessages, retryMessage } from "../../../../contract/src/features/notifications.ts";
import { call } from "../../lib/api.ts";
import type { ListState } from "../../ui/data-table/list-state.ts";

export const MESSAGE_FILTERS = ["status"] as const;
export type MessageList = ListState<(typeof MESSAGE_FILTERS)[number]>;

const MESSAGES_KEY = ["notifications"] as const;
/** Messages are sent within seconds: what waits is looked at again. */
const AGAIN_EVERY_MS = 5_000;

export function messagesQuery({ page, size, filters }: MessageList) {
  const query = { p: page, page_size: size, status: filters.status };
  return queryOptions({
    queryKey: [...MESSAGES_KEY, query],
    queryFn: ({ signal }) => call(listMessages, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_EVERY_MS,
  });
}

/** Tries one again, and reads the list anew whether that was taken or not. */
export function useRetry(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(retryMessage, { params: { id } }),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: MESSAGES_KEY }),
  });
}
