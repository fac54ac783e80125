/** The channels that a bulk action applies to: those selected on the page, or all that the filters match. Pure. */
import type { ChannelChoice } from "../../../../../contract/src/channels/channel-list.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { type Selection, selectedCount } from "../../../ui/data-table/selection.ts";
import type { ChannelView } from "../queries.ts";
import { testResultOf } from "./failure.ts";

export interface Chosen {
  /** The selection for the server. */
  choice: ChannelChoice;
  /** How many they are, on all pages. */
  count: number;
  /** Those of the page in view. */
  channels: readonly ChannelRow[];
  areAllMatching: boolean;
}

export const chosenRows = (channels: readonly ChannelRow[]): Chosen => ({
  choice: { ids: channels.map(({ id }) => id) },
  count: channels.length,
  channels,
  areAllMatching: false,
});

/**
 * What the table says is selected. `total` is how many channels match as the list shows it: where it is no longer so the server
 * does nothing.
 */
export function chosenOf(
  view: ChannelView,
  channels: readonly ChannelRow[],
  selection: Selection,
  total: number,
): Chosen {
  if (!selection.allMatching) return chosenRows(channels);
  const { keyword, group, model, status, type, test } = view;
  const filter = { keyword, group, model, status, type, test_result: testResultOf(test) };
  const excluded = [...selection.excluded].map(Number);
  return {
    choice: { filter, total, excluded },
    count: selectedCount(selection, total),
    channels,
    areAllMatching: true,
  };
}
