/** The gallery's items: the person's own tasks and what this browser keeps, newest first, in one shape. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { listOwnDrawings } from "../../../../../contract/src/features/drawing.ts";
import { ownGroups } from "../../../../../contract/src/features/groups.ts";
import { getPricing } from "../../../../../contract/src/features/pricing.ts";
import { listOwnTasks } from "../../../../../contract/src/features/tasks.ts";
import { call } from "../../../lib/api.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { lyricsOf, pictureOf, songsOf, videoFactsOf, videoOf } from "../model/media.ts";
import { studioModels, type StudioKind, type StudioModel } from "../model/studio.ts";
import { hasFailed, imageRow, isRunning, type TaskRow, taskRow } from "../model/task-row.ts";
import { type Kept, useKept } from "./kept.ts";

export interface Sound {
  id: string;
  title: string;
  /** Undefined while it is being made. */
  address: string | undefined;
  seconds: number | undefined;
}

export interface Item {
  id: string;
  kind: StudioKind;
  prompt: string;
  model: string;
  /** Unix seconds. */
  atS: number;
  picture: string | undefined;
  film: string | undefined;
  sounds: readonly Sound[];
  /** Lyrics, where those were asked for. */
  words: string;
  /** Words of its options, as 1280x720. */
  facts: readonly string[];
  isRunning: boolean;
  hasFailed: boolean;
  /** Of a task. */
  row: TaskRow | undefined;
  /** Of what this browser keeps. */
  kept: Kept | undefined;
}

const PAGE_SIZE = 50;
/** For each page that is shown, so that a long gallery asks no more often than a short one. */
const RUNNING_EVERY_MS = 5000;
const FRESH_MS = 300_000;

const site = (): string => window.location.origin;
const KINDS: Readonly<Record<string, StudioKind>> = { mj: "picture", suno: "song", video: "film" };

/** The item of a row of either log. */
export function taskItem(row: TaskRow): Item {
  const { platform, prompt, model, submitS } = row;
  const songs = platform === "suno" ? songsOf(row.data, site()) : [];
  const facts = videoFactsOf(row);
  return {
    id: `task-${row.id}`,
    kind: KINDS[platform] ?? "picture",
    prompt,
    model,
    atS: submitS,
    picture: pictureOf(row, site()),
    film: videoOf(row, site()),
    sounds: songs.map(({ id, title, audio, seconds }) => ({ id, title, address: audio, seconds })),
    words: platform === "suno" ? (lyricsOf(row.data)?.text ?? "") : "",
    facts: facts?.details ?? [],
    isRunning: isRunning(row),
    hasFailed: hasFailed(row),
    row,
    kept: undefined,
  };
}

/** Addresses of kept bytes, made once and for as long as the page lives. */
const addresses = new Map<string, string>();
function addressOf({ id, blob, address }: Kept): string | undefined {
  if (blob === undefined) return address;
  const known = addresses.get(id) ?? URL.createObjectURL(blob);
  addresses.set(id, known);
  return known;
}

function keptItem(kept: Kept): Item {
  const { id, kind, prompt, model, atMs, options } = kept;
  const address = addressOf(kept);
  return {
    id: `kept-${id}`,
    kind,
    prompt,
    model,
    atS: atMs / 1000,
    picture: kind === "picture" ? address : undefined,
    film: undefined,
    sounds: kind === "speech" ? [{ id, title: prompt, address, seconds: undefined }] : [],
    words: "",
    facts: [kind === "speech" ? options.voice : options.size].filter((text) => text !== ""),
    isRunning: false,
    hasFailed: false,
    row: undefined,
    kept,
  };
}

/** The same item for the same object, so that a card is drawn anew only where something of it changed. */
function onceFor<From extends object>(make: (from: From) => Item): (from: From) => Item {
  const made = new WeakMap<From, Item>();
  return (from) => {
    const item = made.get(from) ?? make(from);
    made.set(from, item);
    return item;
  };
}
const itemOfTask = onceFor(taskItem);
const itemOfKept = onceFor(keptItem);

interface Page {
  rows: TaskRow[];
  hasMore: boolean;
}

/** One page of both lists; what is newer than the last of the shorter one is shown in its order all the same. */
async function askPage(page: number, signal: AbortSignal): Promise<Page> {
  const query = { p: page, page_size: PAGE_SIZE };
  const [drawings, tasks] = await Promise.all([
    call(listOwnDrawings, { query, signal }),
    call(listOwnTasks, { query, signal }),
  ]);
  const [pictures, others] = [
    Array.isArray(drawings) ? drawings : drawings.items,
    Array.isArray(tasks) ? tasks : tasks.items,
  ];
  const total = [drawings, tasks].map((list) => (Array.isArray(list) ? 0 : list.total));
  return {
    rows: [...pictures.map(imageRow), ...others.map(taskRow)],
    hasMore: Math.max(...total) > page * PAGE_SIZE,
  };
}

/** Own tasks of any time, page by page; asked again while one is running. */
function useTasks() {
  return useInfiniteQuery({
    queryKey: ["studio", "tasks"],
    queryFn: ({ pageParam, signal }) => askPage(pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: ({ hasMore }, pages) => (hasMore ? pages.length + 1 : undefined),
    refetchInterval: ({ state }) =>
      state.status !== "error" && state.data?.pages.some(({ rows }) => rows.some(isRunning)) === true
        ? RUNNING_EVERY_MS * state.data.pages.length
        : false,
  });
}

/** Everything that was made, newest first. */
export function useItems() {
  const tasks = useTasks();
  const { list, isReady, isForgetful } = useKept();
  useEffect(() => {
    const known = new Set(list.map(({ id }) => id));
    for (const [id, address] of addresses) {
      if (known.has(id)) continue;
      URL.revokeObjectURL(address);
      addresses.delete(id);
    }
  }, [list]);
  const items = useMemo(() => {
    const rows = tasks.data?.pages.flatMap((page) => page.rows) ?? [];
    // A task that came while pages were read stands on two of them.
    const unique = [...new Map(rows.map((row) => [`${row.platform} ${row.id}`, row])).values()];
    return [...unique.map(itemOfTask), ...list.map(itemOfKept)].toSorted((one, other) => other.atS - one.atS);
  }, [tasks.data, list]);
  return { items, tasks, isReady: isReady && !tasks.isPending, isForgetful };
}

/** The models that make something, with their groups and prices. */
export function useStudioModels() {
  const viewer = useViewer();
  const groups = useQuery({
    queryKey: ["own-groups"],
    queryFn: ({ signal }) => call(ownGroups, { signal }),
    staleTime: FRESH_MS,
  });
  const pricing = useQuery({
    queryKey: ["studio", "models"],
    queryFn: ({ signal }) => call(getPricing, { signal }),
    staleTime: FRESH_MS,
  });
  const models = useMemo(
    (): readonly StudioModel[] | undefined =>
      groups.data === undefined || pricing.data === undefined
        ? undefined
        : studioModels(pricing.data, groups.data, viewer?.group ?? ""),
    [groups.data, pricing.data, viewer?.group],
  );
  return {
    models,
    error: groups.error ?? pricing.error,
    retry: () => void Promise.all([groups.refetch(), pricing.refetch()]),
  };
}
