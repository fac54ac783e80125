/** Channels over HTTP: thin, from parsed input to the service and back. */
import { AppError } from "../../../../contract/src/errors.ts";
import { defineHandlers } from "../http/handlers.ts";
import type { HandlerInput } from "../http/handlers.ts";
import { CHANNEL_SORTS, type ParsedChannelChoice } from "../../../../contract/src/channels/channel-list.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { DEFAULT_PAGE_SIZE } from "../../../../contract/src/query.ts";
import type {
  searchChannels as searchEndpoint,
  testChannel as testChannelEndpoint,
  testChannelDraft as testDraftEndpoint,
} from "../../../../contract/src/features/channels.ts";
import { MICROS, readBalanceProgress, refreshBalanceById, startAllBalances, stopBalances } from "./balances.ts";
import { modelsOfTag, removeChannels, setStatuses, tagChannels, takeModelOff } from "./batch.ts";
import { testDraft } from "./draft.ts";
import { gatewayAt } from "./gateway.ts";
import { impactOf, modelsLostNow } from "./impact.ts";
import { manageByPlace } from "./keys/family.ts";
import { addChannelKeys, changeKeyChoice, listKeys, removeChannelKeys, setStatusesOfKeys } from "./keys/service.ts";
import { applyWatch, detectNow, readWatch, startModelWatch } from "./model-watch.ts";
import { previewOf } from "./override-preview.ts";
import {
  copyChannel,
  createChannels,
  fixAbilities,
  keywordOf,
  listChannels,
  readChannel,
  removeChannel,
  removeDisabledChannels,
  updateChannel,
} from "./service.ts";
import { deleteStoredModel, pullStoredModel } from "./stored-models.ts";
import { setTagStatus, updateTag } from "./tags.ts";
import { readChannelOverview } from "./overview.ts";
import {
  type ChannelFilter,
  type ChannelOrder,
  type ChosenChannels,
  EVERY_CHANNEL,
  findEnabledModels,
  findTags,
} from "./store.ts";
import { tierOf } from "./tier.ts";
import { readProgress, startTestOfAll, startTestOfChosen, stopTests } from "./test-run.ts";
import { failureOf, testChannelById } from "./tests.ts";
import { modelObjects, modelsByType, modelsOfChannel, modelsOfUpstream, providerView } from "./upstream.ts";

type View = HandlerInput<typeof searchEndpoint>["query"];

/** By what `sort` names; else by id where that is asked for, or by priority. */
function orderOf({ sort = "", id_sort }: Pick<View, "sort" | "id_sort">): ChannelOrder {
  const isDescending = sort.startsWith("-");
  const by = CHANNEL_SORTS.find((known) => known === (isDescending ? sort.slice(1) : sort));
  return by === undefined ? { by: id_sort ? "id" : "priority", isDescending: true } : { by, isDescending };
}

type Filters = Partial<Omit<View, "sort" | "id_sort" | "tag_mode">>;

type Asked = Pick<HandlerInput<typeof searchEndpoint>, "context" | "session">;

/** Money, and no more of it than the dashboard of everybody shows them. */
const maySeeMargin = ({ session }: Pick<Asked, "session">): boolean =>
  (["money", "logs"] as const).every((permission) => mayDo(session.user, permission));

const maySeeKeys = ({ session }: Pick<Asked, "session">): boolean => mayDo(session.user, "channels_secrets");

/** A channel as this administrator sees it: a part of a key is for those alone who are permitted secrets. */
const shownTo = <Row extends { key_first: string; key_last: string }>(asked: Pick<Asked, "session">, row: Row): Row =>
  maySeeKeys(asked) ? row : { ...row, key_first: "", key_last: "" };

function filterOf(asked: Asked, view: Filters): ChannelFilter {
  const { keyword, group, model, status, type, test_result, untagged } = view;
  return {
    status,
    type,
    group,
    model,
    testResult: test_result,
    isUntagged: untagged === true,
    // What is not shown is not found by either: a search would spell it out.
    keyword: keyword === undefined ? undefined : { ...keywordOf(asked.context, keyword), isOfKeys: maySeeKeys(asked) },
  };
}

function chosenOf(asked: Asked, sent: ParsedChannelChoice): ChosenChannels {
  if ("ids" in sent) return { ids: sent.ids };
  return { filter: filterOf(asked, sent.filter), total: sent.total, excluded: sent.excluded };
}

async function test({ context, session, request, params, query }: HandlerInput<typeof testChannelEndpoint>) {
  const { requestId } = request;
  const tester = { userId: session.user.id, username: session.user.username, requestId };
  const result = await testChannelById(context, tester, params.id, { model: query.model ?? "", keyId: query.key });
  const time = result.durationMs / 1000;
  if (result.isSuccess) return { extra: { time } };
  return { extra: { time, failure: failureOf(result) }, success: false as const, message: result.message };
}

async function testDescribed({ context, session, request, body }: HandlerInput<typeof testDraftEndpoint>) {
  const { requestId } = request;
  const tester = { userId: session.user.id, username: session.user.username, requestId };
  const { result, cost } = await testDraft(context, tester, body);
  const extra = { time: result.durationMs / 1000, ...(cost === undefined ? {} : { cost }) };
  if (result.isSuccess) return { extra };
  return { extra: { ...extra, failure: failureOf(result) }, success: false as const, message: result.message };
}

async function testEverything({
  context,
  session,
}: Pick<HandlerInput<typeof testChannelEndpoint>, "context" | "session">) {
  await startTestOfAll(context, { userId: session.user.id, username: session.user.username });
  return {};
}

async function updateBalance({
  context,
  params,
}: Pick<HandlerInput<typeof testChannelEndpoint>, "context" | "params">) {
  const outcome = await refreshBalanceById(context, params.id);
  if ("known" in outcome) {
    const { micros, currency } = outcome.known;
    return { extra: { balance: micros / MICROS, currency } };
  }
  return { extra: { failure: outcome.failure }, success: false as const, message: outcome.message };
}

async function updateAllBalances({
  context,
  session,
}: Pick<HandlerInput<typeof testChannelEndpoint>, "context" | "session">) {
  await startAllBalances(context, { userId: session.user.id, username: session.user.username });
  return {};
}

/** The page asked for, at most `size` rows; in tag mode as many tags. */
async function pageOf(asked: Asked, query: View, size: number) {
  const page = { order: orderOf(query), offset: (query.p - 1) * size, limit: size };
  const { channels, total } = await listChannels(asked.context, filterOf(asked, query), page, query.tag_mode);
  const items = channels.map((row) => shownTo(asked, row));
  return { items, total, page: query.p, page_size: size === EVERY_CHANNEL ? total : size };
}

export const channelsHandlers = defineHandlers("channels", {
  async listChannels({ context, session, query }) {
    return { data: await pageOf({ context, session }, query, query.page_size) };
  },
  async searchChannels({ context, session, query }) {
    // Clients of this API family take one answer for all that is found.
    const size = query.page_size ?? EVERY_CHANNEL;
    return {
      data: await pageOf({ context, session }, query, size < 1 ? DEFAULT_PAGE_SIZE : Math.min(size, EVERY_CHANNEL)),
    };
  },
  async listChannelTags({ context }) {
    const { tags } = await findTags(context.database, {}, { offset: 0, limit: EVERY_CHANNEL });
    return { data: tags };
  },
  weighChannel({ context: { snapshot }, body }) {
    return { data: tierOf(snapshot.channels(), body) };
  },
  async getChannelOverview({ context, session, params }) {
    return { data: await readChannelOverview(context, params.id, maySeeMargin({ session })) };
  },
  async getChannel({ context, session, params }) {
    return { data: shownTo({ session }, await readChannel(context, params.id)) };
  },
  async createChannel({ context, session, request, body }) {
    return { data: await createChannels(context, { session, request }, body) };
  },
  async updateChannel({ context, session, request, requireStepUp, body }) {
    return { data: shownTo({ session }, await updateChannel(context, { session, request, requireStepUp }, body)) };
  },
  async deleteChannel({ context, session, request, params }) {
    await removeChannel(context, { session, request }, params.id);
    return {};
  },
  async deleteDisabledChannels({ context, session, request }) {
    return { data: await removeDisabledChannels(context, { session, request }) };
  },
  async deleteChannels({ context, session, request, body }) {
    return { data: await removeChannels(context, { session, request }, chosenOf({ context, session }, body)) };
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
  async listTagModels({ context, query }) {
    return { data: await modelsOfTag(context, query.tag ?? "") };
  },
  async enableTag({ context, session, request, body }) {
    return { data: await setTagStatus(context, { session, request }, body.tag, true) };
  },
  async disableTag({ context, session, request, body }) {
    return { data: await setTagStatus(context, { session, request }, body.tag, false) };
  },
  async tagChannels({ context, session, request, body }) {
    return { data: await tagChannels(context, { session, request }, chosenOf({ context, session }, body), body.tag) };
  },
  async takeModelOff({ context, session, request, body }) {
    const chosen = chosenOf({ context, session }, body);
    return { data: await takeModelOff(context, { session, request }, chosen, body.model) };
  },
  async setChannelStatuses({ context, session, request, body }) {
    const isEnabled = body.status === CHANNEL_STATUS.enabled;
    return { data: await setStatuses(context, { session, request }, chosenOf({ context, session }, body), isEnabled) };
  },
  async testChosenChannels({ context, session, body }) {
    const tester = { userId: session.user.id, username: session.user.username };
    const { total } = await startTestOfChosen(context, tester, chosenOf({ context, session }, body));
    return { data: total };
  },
  async listChannelKeys({ context, session, params, query }) {
    const page = { offset: query.p * query.page_size, limit: query.page_size };
    const list = await listKeys(context, params.id, query.status, page);
    if (maySeeKeys({ session })) return { data: list };
    return { data: { ...list, keys: list.keys.map((key) => ({ ...key, mark: "" })) } };
  },
  async addChannelKeys({ context, session, request, params, body }) {
    return { data: await addChannelKeys(context, { session, request }, params.id, body) };
  },
  async updateChannelKeys({ context, session, request, params, body }) {
    await changeKeyChoice(context, { session, request }, params.id, body.key_choice);
    return {};
  },
  async setChannelKeyStatuses({ context, session, request, params, body }) {
    return { data: await setStatusesOfKeys(context, { session, request }, params.id, body, body.status) };
  },
  async deleteChannelKeys({ context, session, request, params, body }) {
    return { data: await removeChannelKeys(context, { session, request }, params.id, body) };
  },
  async manageKeys({ context, session, request, body }) {
    return { data: await manageByPlace(context, { session, request }, body) };
  },
  async fetchChannelModels({ context, params }) {
    return { data: await modelsOfChannel(context, params.id) };
  },
  async fetchUpstreamModels({ context, body }) {
    return { data: await modelsOfUpstream(context, body) };
  },
  async readGateway({ context, body }) {
    return { data: await gatewayAt(context, body.base_url) };
  },
  async getModelWatch({ context, params }) {
    return { data: await readWatch(context, params.id) };
  },
  async detectModels({ context, body }) {
    const { name, ...watch } = await detectNow(context, body.id);
    return { data: { ...watch, channel_id: body.id, channel_name: name } };
  },
  async detectAllModels({ context }) {
    const started = await startModelWatch(context, false);
    if (started === undefined) throw new AppError("channel_models_running");
    return { data: started.total };
  },
  async pullStoredModel({ context, session, request, params, body }) {
    return { stream: await pullStoredModel(context, { session, request }, params.id, body.model) };
  },
  async deleteStoredModel({ context, session, request, params, body }) {
    await deleteStoredModel(context, { session, request }, params.id, body.model);
    return {};
  },
  async applyModels({ context, session, request, body }) {
    return { data: await applyWatch(context, { session, request }, body) };
  },
  testChannelByGet: test,
  testChannel: test,
  testChannelDraft: testDescribed,
  async getImpact({ context, session, body }) {
    return { data: await impactOf(context, "tag" in body ? body : chosenOf({ context, session }, body), body) };
  },
  async listLostModels({ context }) {
    return { data: await modelsLostNow(context) };
  },
  previewOverride({ body }) {
    return { data: previewOf(body) };
  },
  testAllChannelsByGet: testEverything,
  testAllChannels: testEverything,
  updateBalanceByGet: updateBalance,
  updateBalance,
  updateAllBalancesByGet: updateAllBalances,
  updateAllBalances,
  async stopBalances({ context, session, request }) {
    return { data: await stopBalances(context, { session, request }) };
  },
  async getBalanceProgress({ context }) {
    return { data: await readBalanceProgress(context) };
  },
  async stopTests({ context, session, request }) {
    return { data: await stopTests(context, { session, request }) };
  },
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
  listUnpricedModels({ context: { snapshot }, body }) {
    if (snapshot.options.SelfUseModeEnabled) return { data: [] };
    return { data: [...new Set(body.models)].filter((model) => snapshot.priceOf(model) === undefined) };
  },
  listModelsByType({ context }) {
    return { data: modelsByType(context.relay.providers) };
  },
});
