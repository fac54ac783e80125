/** Pages of the list in tag mode: tags first, and behind the last one the channels that have none, as if they were one list. Pure. */
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";

export interface ChannelPage {
  channels: ChannelRow[];
  /** Channels that pass the filters; in tag mode tags, and channels without one. */
  total: number;
  /** In tag mode, the channels without a tag; they stand behind the tags. */
  untagged: number;
}

interface Place {
  /** From 1. */
  page: number;
  size: number;
}

/** Gives a page of `size`, `p` from 0, and how many there are on all pages. */
type List = (p: number) => Promise<{ rows: readonly ChannelRow[]; total: number }>;

/** Rows `from` to `to` of a list, from the one or two pages they stand on; where there are none, still how many the list has. */
async function rowsOf(list: List, size: number, from: number, to: number) {
  const first = Math.floor(from / size);
  const pages = await Promise.all((to > (first + 1) * size ? [first, first + 1] : [first]).map(list));
  const rows = pages.flatMap((page) => page.rows).slice(from - first * size, to - first * size);
  return { rows, total: pages[0]?.total ?? 0 };
}

/**
 * @param tagged pages of tags, each with all its channels
 * @param untagged pages of channels without a tag
 */
export async function joinedPage({ page, size }: Place, tagged: List, untagged: List): Promise<ChannelPage> {
  const { rows, total: tags } = await tagged(page - 1);
  const behindTags = (place: number): number => Math.max(place - tags, 0);
  const alone = await rowsOf(untagged, size, behindTags((page - 1) * size), behindTags(page * size));
  return { channels: [...rows, ...alone.rows], total: tags + alone.total, untagged: alone.total };
}
