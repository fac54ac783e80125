/** Channels over HTTP: thin, from parsed input to the service and back. */
import { defineHandlers } from "../handlers.ts";
import type { HandlerInput } from "../handlers.ts";
import type { testChannel as testChannelEndpoint } from "../../../../contract/src/features/channels.ts";
import {
  copyChannel,
  createChannels,
  fixAbilities,
  keywordOf,
  listChannels,
  readChannel,
  removeChannel,
  removeChannels,
  removeDisabledChannels,
  setTagStatus,
  tagChannels,
  updateChannel,
  updateTag,
} from "./service.ts";
import { findEnabledModels } from "./store.ts";
import { readProgress, startTestOfAll } from "./test-run.ts";
import { testChannelById } from "./tests.ts";
import { modelObjects, modelsByType, modelsOfChannel, modelsOfUpstream, providerView } from "./upstream.ts";

/** Channels in one answer of the search, whose clients do not page. */
const SEARCH_LIMIT = 1000;

const totalHeader = (total: number) => ({ "X-Total-Count": String(total) });

async function test({ context, session, params, query }: HandlerInput<typeof testChannelEndpoint>) {
  const tester = { userId: session.user.id, username: session.user.username };
  const result = await testChannelById(context, tester, params.id, query.model ?? "");
  const extra = { time: result.durationMs / 1000 };
  return result.isSuccess ? { extra } : { extra, success: false as const, message: result.message };
}

async function testEverything({
  context,
  session,
}: Pick<HandlerInput<typeof testChannelEndpoint>, "context" | "session">) {
  await startTestOfAll(context, { userId: session.user.id, username: session.user.username });
  return {};
}

export const channelsHandlers = defineHandlers("channels", {
  async listChannels({ context, query }) {
    const { p, page_size, id_sort, tag_mode, status, type, untagged } = query;
    const page = { isById: id_sort, offset: p * page_size, limit: page_size };
    const found = await listChannels(context, { status, type, isUntagged: untagged }, page, tag_mode);
    return { data: found.channels, headers: totalHeader(found.total) };
  },
  async searchChannels({ context, query }) {
    const { keyword, group, model, id_sort, tag_mode, status, type, untagged } = query;
    const filter = {
      status,
      type,
      isUntagged: untagged,
      group,
      model,
      keyword: keyword === undefined ? undefined : keywordOf(context, keyword),
    };
    const found = await listChannels(context, filter, { isById: id_sort, offset: 0, limit: SEARCH_LIMIT }, tag_mode);
    return { data: found.channels, headers: totalHeader(found.total) };
  },
  async getChannel({ context, params }) {
    return { data: await readChannel(context, params.id) };
  },
  async createChannel({ context, session, request, body }) {
    return { data: await createChannels(context, { session, request }, body) };
  },
  async updateChannel({ context, session, request, body }) {
    return { data: await updateChannel(context, { session, request }, body) };
  },
  async deleteChannel({ context, session, request, params }) {
    await removeChannel(context, { session, request }, params.id);
    return {};
  },
  async deleteDisabledChannels({ context, session, request }) {
    return { data: await removeDisabledChannels(context, { session, request }) };
  },
  async deleteChannels({ context, session, request, body }) {
    return { data: await removeChannels(context, { session, request }, body.ids) };
  },
  async fixChannels({ context, session, request }) {
    return { data: await fixAbilities(context, { session, request }) };
  },
  async copyChannel({ context, session, request, params }) {
    return { data: await copyChannel(context, { session, request }, params.id) };
  },
  async updateTag({ context, session, request, body }) {
    return { data: await updateTag(context, { session, request }, body) };
  },
  async enableTag({ context, session, request, body }) {
    return { data: await setTagStatus(context, { session, request }, body.tag, true) };
  },
  async disableTag({ context, session, request, body }) {
    return { data: await setTagStatus(context, { session, request }, body.tag, false) };
  },
  async tagChannels({ context, session, request, body }) {
    return { data: await tagChannels(context, { session, request }, body.ids, body.tag) };
  },
  async fetchChannelModels({ context, params }) {
    return { data: await modelsOfChannel(context, params.id) };
  },
  async fetchUpstreamModels({ context, body }) {
    return { data: await modelsOfUpstream(context, body) };
  },
  testChannelByGet: test,
  testChannel: test,
  testAllChannelsByGet: testEverything,
  testAllChannels: testEverything,
  async getTestProgress({ context }) {
    return { data: await readProgress(context) };
  },
  listProviders({ context }) {
    return { data: context.relay.providers.map(providerView) };
  },
  listChannelModels({ context }) {
    return { data: modelObjects(context.relay.providers) };
  },
  async listEnabledModels({ context }) {
    return { data: await findEnabledModels(context.database) };
  },
  listModelsByType({ context }) {
    return { data: modelsByType(context.relay.providers) };
  },
});
