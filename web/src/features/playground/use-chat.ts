/** The open conversation, its models and groups to choose from, and every action on it. */
import { useQuery, queryOptions } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { getPricing } from "../../../../contract/src/features/pricing.ts";
import { language } from "../../lib/i18n.ts";
import { useSearchState } from "../../lib/search.ts";
import { useViewer } from "../../lib/viewer.ts";
import { type Choice, type GroupChoice, groupChoices, modelIn, modelsOf } from "./model/choices.ts";
import {
  type Attachment,
  beginConversation,
  type Conversation,
  isUnderWay,
  type Lane,
  LANES_MOST,
  newId,
  newMessageId,
  said,
  withLane,
  withLanes,
} from "./model/conversation.ts";
import { before, comparedFrom, contextCleared, edited, isUnanswered, removed } from "./model/edits.ts";
import { switched, tailFrom } from "./model/versions.ts";
import { defaultSystem, hasForeignDefault, type Start, startOf } from "./model/start.ts";
import { playgroundSearch } from "./route.ts";
import {
  addConversation,
  changeConversation,
  conversation,
  useConversation,
  useConversations,
} from "./store/conversations.ts";
import { askFor, goOn, stopAll } from "./store/replies.ts";
import { ownGroups } from "../../../../contract/src/features/groups.ts";
import { call } from "../../lib/api.ts";

const FRESH_MS = 300_000;

const groupsQuery = queryOptions({
  queryKey: ["own-groups"],
  queryFn: ({ signal }) => call(ownGroups, { signal }),
  staleTime: FRESH_MS,
});

/** What the playground asks the server before a word is said: the groups, and the models with what they read and cost. */
const modelsQuery = queryOptions({
  queryKey: ["playground", "models"],
  queryFn: ({ signal }) => call(getPricing, { signal }),
  staleTime: FRESH_MS,
});

export interface Offer {
  groups: readonly GroupChoice[];
  choiceOf: (lane: Lane) => Choice;
  /** What stands between a lane's choice and its first answer. Right once nothing is loading. */
  startOf: (lane: Lane) => Start;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
}

/** Groups and models, and what a lane's choice comes to. */
function useOffer(): Offer {
  const viewer = useViewer();
  const groups = useQuery(groupsQuery);
  const models = useQuery(modelsQuery);
  return useMemo(() => {
    const choices = groupChoices(groups.data ?? {}, viewer?.group ?? "");
    const choiceOf = (lane: Lane): Choice => {
      const group = choices.find(({ name }) => name === lane.group)?.name ?? choices[0]?.name ?? "";
      const offered = modelsOf(models.data ?? [], group);
      const model = models.data === undefined ? lane.model : modelIn(offered, lane.model);
      return { group, model, models: offered, entry: offered.find(({ model_name }) => model_name === model) };
    };
    return {
      groups: choices,
      choiceOf,
      startOf: (lane) => startOf({ entries: models.data ?? [], groups: choices }, choiceOf(lane), lane.model),
      isLoading: groups.isPending || models.isPending,
      error: groups.error ?? models.error,
      retry: () => void Promise.all([groups.refetch(), models.refetch()]),
    };
  }, [groups, models, viewer?.group]);
}

/** The conversation that the address names, begun where there is none of that id; without an id the one used last, or a new one. */
function useAddressed() {
  const [search, change] = useSearchState(playgroundSearch);
  const viewer = useViewer();
  const { list, isReady, isForgetful } = useConversations();
  const current = useConversation(search.id);
  const begin = (id: string, { model, group }: Partial<Pick<typeof search, "model" | "group">> = {}): void => {
    const last = current?.lanes[0] ?? list[0]?.lanes[0];
    const choice = { group: group ?? last?.group ?? "", model: model ?? last?.model ?? "" };
    addConversation(
      beginConversation(id, {
        userId: viewer?.id ?? 0,
        system: defaultSystem(language()),
        ...choice,
      }),
    );
  };
  const fresh = useRef("");
  useEffect(() => {
    if (!isReady || current !== undefined) return;
    // The address changes a moment after the call: until then the same id stands in for it.
    if (fresh.current === "") fresh.current = (search.model === undefined ? list[0]?.id : undefined) ?? newId();
    const id = search.id ?? fresh.current;
    if (conversation(id) === undefined) begin(id, search);
    if (search.id === undefined) change({ id, model: undefined, group: undefined }, "replace");
    else fresh.current = "";
  });
  const open = (id: string): void => change({ id, expired: undefined });
  const beginNew = (): void => {
    const id = newId();
    begin(id);
    open(id);
  };
  return { current, list, isForgetful, open, beginNew, isExpired: search.expired === "true", change };
}

const openedAtMs = Date.now();
/** Refused replies that the address shows already. */
const reported = new Set<string>();

/** A call that is refused because the session has ended makes the address say so. */
function useExpiry(current: Conversation | undefined, tell: () => void): void {
  const last = current?.lanes.map(({ messages }) => messages.at(-1)) ?? [];
  const refused = last.find((message) => message?.failure?.status === 401 && message.createAt >= openedAtMs)?.id;
  useEffect(() => {
    if (refused === undefined || reported.has(refused)) return;
    reported.add(refused);
    tell();
  });
}

/** The default prompt follows the language of the console for as long as nothing was said. */
function useOwnLanguage(current: Conversation | undefined): void {
  useEffect(() => {
    if (current === undefined || !hasForeignDefault(current, language())) return;
    changeConversation(current.id, (old) => ({ ...old, system: defaultSystem(language()) }), "now", "quietly");
  });
}

const isBusy = ({ messages }: Lane): boolean => messages.some(isUnderWay);

/** What a person does to the conversation `current`. */
function actsOn(current: Conversation, offer: Offer) {
  const { id } = current;
  const change = (edit: (old: Conversation) => Conversation): void => changeConversation(id, edit);
  const inLane = (laneId: string, edit: (lane: Lane) => Lane): void => change((old) => withLane(old, laneId, edit));
  const laneOf = (laneId: string): Lane | undefined => conversation(id)?.lanes.find((lane) => lane.id === laneId);
  const ask = (lane: Lane, thread: Lane["messages"], replaced: Lane["messages"] = []): void => {
    // What stood in for a choice becomes the choice: the words that come are that model's.
    const { group, model } = offer.choiceOf(lane);
    if (group !== lane.group || model !== lane.model) inLane(lane.id, (old) => ({ ...old, group, model }));
    askFor(id, lane.id, thread, replaced);
  };
  return {
    setSystem: (system: string) => change((old) => ({ ...old, system })),
    setTools: (tools: string) => change((old) => ({ ...old, tools })),
    choose: (laneId: string, choice: { group: string; model: string }) =>
      inLane(laneId, (lane) => ({ ...lane, ...choice })),
    say: (content: string, images: readonly string[], attachments: readonly Attachment[]) => {
      const message = {
        ...said(newMessageId(id), "user", content, Date.now()),
        ...(images.length > 0 ? { images } : {}),
        ...(attachments.length > 0 ? { attachments } : {}),
      };
      for (const lane of current.lanes) ask(lane, [...lane.messages, message]);
    },
    /** Asks what stands at the lane's end without an answer. */
    askAlso: (laneId: string) => {
      const lane = laneOf(laneId);
      if (lane !== undefined && isUnanswered(lane.messages)) ask(lane, lane.messages);
    },
    retry: (laneId: string, messageId: string) => {
      const lane = laneOf(laneId);
      if (lane !== undefined) ask(lane, before(lane.messages, messageId), tailFrom(lane.messages, messageId));
    },
    resend: (laneId: string, messageId: string, content: string) => {
      const lane = laneOf(laneId);
      if (lane !== undefined) ask(lane, edited(lane.messages, messageId, content, newMessageId(id)));
    },
    /** The rest of a reply that was ended. */
    goOn: (laneId: string, messageId: string) => goOn(id, laneId, messageId),
    /** Shows another version of a message, and what followed it. */
    showVersion: (laneId: string, messageId: string, to: number) =>
      inLane(laneId, (lane) => ({ ...lane, messages: switched(lane.messages, messageId, to) })),
    answerTools: (laneId: string, results: readonly { callId: string; content: string }[]) => {
      const lane = laneOf(laneId);
      if (lane === undefined) return;
      const messages = results.map(({ callId, content }) => ({
        ...said(newMessageId(id), "tool", content, Date.now()),
        toolCallId: callId,
      }));
      ask(lane, [...lane.messages, ...messages]);
    },
    remove: (laneId: string, messageId: string) =>
      inLane(laneId, (lane) => ({ ...lane, messages: removed(lane.messages, messageId) })),
    clear: () =>
      change((old) =>
        withLanes(old, (lane) => ({ ...lane, messages: contextCleared(lane.messages, newMessageId(id), Date.now()) })),
      ),
    stop: () => stopAll(current.lanes),
    addLane: () =>
      change((old) => {
        const [first] = old.lanes;
        if (first === undefined || old.lanes.length >= LANES_MOST) return old;
        const { group, models } = offer.choiceOf(first);
        const taken = new Set(old.lanes.map((lane) => offer.choiceOf(lane).model));
        const model = models.find(({ model_name }) => !taken.has(model_name))?.model_name ?? first.model;
        return { ...old, lanes: [...old.lanes, { id: newId(), group, model, messages: comparedFrom(first.messages) }] };
      }),
    removeLane: (laneId: string) => {
      stopAll(current.lanes.filter((lane) => lane.id === laneId));
      change((old) => ({ ...old, lanes: old.lanes.filter((lane) => lane.id !== laneId) }));
    },
  };
}

export type ChatActs = ReturnType<typeof actsOn>;

export interface Chat {
  current: Conversation;
  acts: ChatActs;
  offer: Offer;
  isBusy: boolean;
}

/** Everything the page shows and does; `chat` is undefined for the moment in which the browser's database is read. */
export function useChat() {
  const addressed = useAddressed();
  const offer = useOffer();
  const { current, change } = addressed;
  useOwnLanguage(current);
  useExpiry(current, () => change({ expired: "true" }, "replace"));
  const acts = useMemo(() => (current === undefined ? undefined : actsOn(current, offer)), [current, offer]);
  const chat: Chat | undefined =
    current === undefined || acts === undefined
      ? undefined
      : { current, acts, offer, isBusy: current.lanes.some(isBusy) };
  return { ...addressed, chat };
}
