/** Channels in the command palette: found by name or id, tested, enabled and disabled; and the runs over all of them. */
import { IconActivity, IconCoins, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "../../../lib/i18n.ts";
import { updateAllBalances } from "../../../../../contract/src/channels/balances.ts";
import {
  CHANNEL_STATUS,
  type ChannelRow,
  searchChannels,
  testAllChannels,
  updateChannel,
} from "../../../../../contract/src/features/channels.ts";
import { mayDisable, useToldDisabled } from "../../../features/channels/impact.ts";
import { CHANNELS_KEY } from "../../../features/channels/queries.ts";
import { runTest, tellFailedTest } from "../../../features/channels/test-call.ts";
import { call } from "../../../lib/api.ts";
import { formatDurationMs } from "../../../lib/format.ts";
import { useMay } from "../../../lib/viewer.ts";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { type PaletteItem, type PaletteSection, type Go, glyph, useLookups } from "./item.ts";
import { isMeant, lookupsOf, matches, wantedOf } from "./matching.ts";

/** Starts a run over all channels and goes to their page, which shows its progress. */
async function startRun(go: Go, begin: () => Promise<unknown>, startedText: string): Promise<void> {
  try {
    await begin();
    toast.info(startedText);
  } catch (error) {
    toast.error(error);
  }
  go("/channel");
}

/** The runs over all channels: their tests, and their balances. */
export function useRunItems(go: Go): PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  return [
    {
      id: "test-all",
      name: t("palette:testAll"),
      icon: <IconActivity {...glyph} />,
      run: () => void startRun(go, () => call(testAllChannels, {}), t("palette:testStarted")),
    },
    {
      id: "refresh-balances",
      name: t("palette:refreshBalances"),
      icon: <IconCoins {...glyph} />,
      run: () => void startRun(go, () => call(updateAllBalances, {}), t("palette:balancesStarted")),
    },
  ];
}

/** The effect of an act that takes nothing out of service. */
const NOTHING_LEFT = { single: undefined };

/** Runs actions on a channel; an open list of channels is refreshed afterwards. */
function useChannelRuns(go: Go) {
  const { t } = useTranslation(["shell", "palette"]);
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: CHANNELS_KEY });
  const toldDisabled = useToldDisabled();
  const test = async ({ id, name }: ChannelRow) => {
    try {
      const ms = await runTest(id);
      toast.success(t("palette:tested", { name, time: formatDurationMs(ms) }));
    } catch (error) {
      tellFailedTest(error, t("palette:notTested", { name }), go);
    }
    await refresh();
  };
  const setStatus = async (channel: ChannelRow, status: number) => {
    const { id, name } = channel;
    const isDisabled = status === CHANNEL_STATUS.disabled;
    const may = isDisabled ? await mayDisable({ act: "disable_channels", ids: [id] }, name) : NOTHING_LEFT;
    if (may === undefined) return;
    try {
      await call(updateChannel, { body: { id, status } });
      if (isDisabled) toldDisabled([channel], may.single);
      else toast.success(t("palette:enabled", { name }));
    } catch (error) {
      toast.error(error);
    }
    await refresh();
  };
  return { test, setStatus };
}

function useChannelActions(go: Go): (channel: ChannelRow) => PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  const { test, setStatus } = useChannelRuns(go);
  return (channel) => {
    const { id, name } = channel;
    const isEnabled = channel.status === CHANNEL_STATUS.enabled;
    return [
      {
        id: `test-channel-${id}`,
        name: t("palette:testChannel", { name }),
        icon: <IconActivity {...glyph} />,
        run: () => void test(channel),
      },
      {
        id: `switch-channel-${id}`,
        name: t(isEnabled ? "palette:disableChannel" : "palette:enableChannel", { name }),
        icon: isEnabled ? <IconPlayerPause {...glyph} /> : <IconPlayerPlay {...glyph} />,
        run: () => void setStatus(channel, isEnabled ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled),
      },
    ];
  };
}

/** Names of the actions without a channel, so that their words are not searched for in channel names. */
const ACTIONS = ["palette:testChannel", "palette:disableChannel", "palette:enableChannel"] as const;

/** Channels by name, id, key or address, and what can be done with them. */
export function useChannelSection(text: string, go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  // The console writes a channel's id as '#12'.
  const typed = text.replace(/^#(?=\d+$)/, "");
  const wanted = wantedOf(
    typed,
    ACTIONS.map((key) => t(key, { name: "" })),
  );
  const channels = useLookups(lookupsOf(wanted), {
    queryKey: ["palette", "channels"],
    search: async (keyword, signal) => (await call(searchChannels, { query: { keyword }, signal })).items,
    isAllowed: useMay("channels_see"),
  });
  const actions = useChannelActions(go);
  const open = (channel: ChannelRow): PaletteItem => ({
    id: `channel-${channel.id}`,
    name: channel.name,
    icon: <ProviderMark type={channel.type} />,
    detail: `#${channel.id}`,
    side: channel.response_time > 0 && formatDurationMs(channel.response_time),
    run: () => go(`/channel/edit/${channel.id}`),
  });
  const isActionWanted = wanted.object !== "";
  const named = channels.filter(({ name }) => !isActionWanted || matches(name, typed));
  const offered = isActionWanted
    ? channels.flatMap(actions).filter(({ name }) => isMeant(name, wanted))
    : channels.slice(0, 1).flatMap(actions);
  return { id: "channels", title: t("entries.channels"), items: [...named.map(open), ...offered] };
}
