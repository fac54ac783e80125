/** Queries of one channel's page. */
import { queryOptions } from "@tanstack/react-query";
import { getChannelOverview } from "../../../../../contract/src/channels/page.ts";
import { getChannel } from "../../../../../contract/src/features/channels.ts";
import { listLogs } from "../../../../../contract/src/features/logs.ts";
import { call } from "../../../lib/api.ts";
import { CHANNELS_KEY } from "../queries.ts";

const FAILURES = 20;
/** Type of the log's rows of failed calls. */
const FAILED = "5";

/** As the page shows it; the form asks for its own. */
export const shownChannelQuery = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "shown", id],
    queryFn: ({ signal }) => call(getChannel, { params: { id }, signal }),
  });

export const overviewQuery = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "overview", id],
    queryFn: ({ signal }) => call(getChannelOverview, { params: { id }, signal }),
  });

export const failuresQuery = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "failures", id],
    queryFn: ({ signal }) =>
      call(listLogs, { query: { types: FAILED, channel: id, p: 1, page_size: FAILURES }, signal }),
  });
