/** Tests of channels from the command palette: of all of them, or of the one that was found. */
import { IconActivity } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { testAllChannels, testChannel } from "../../../../contract/src/features/channels.ts";
import { call, callFull } from "../../lib/api.ts";
import { formatDurationMs } from "../../lib/format.ts";
import { toast } from "../../ui/toast-store.ts";
import type { PaletteItem } from "./palette-items.tsx";

const glyph = { size: 16, stroke: 1.5 } as const;

/** Starts the test of all channels and goes to their page, which shows its progress. */
export function useTestAllItem(go: (address: string) => void): PaletteItem {
  const { t } = useTranslation("shell");
  const run = async () => {
    try {
      await call(testAllChannels, {});
      toast.info(t("palette.testStarted"));
    } catch (error) {
      toast.error(error);
    }
    go("/channel");
  };
  return { id: "test-all", name: t("palette.testAll"), icon: <IconActivity {...glyph} />, run: () => void run() };
}

/** The test of one channel with its own test model; none where no channel was found. */
export function useTestItem(channel: { id: number; name: string } | undefined): PaletteItem[] {
  const { t } = useTranslation("shell");
  if (channel === undefined) return [];
  const { id, name } = channel;
  const run = async () => {
    try {
      const { extra } = await callFull(testChannel, { params: { id }, query: {} });
      toast.success(t("palette.tested", { name, time: formatDurationMs(extra.time * 1000) }));
    } catch (error) {
      toast.error(error, t("palette.notTested", { name }));
    }
  };
  return [
    {
      id: "test-channel",
      name: t("palette.testChannel", { name }),
      icon: <IconActivity {...glyph} />,
      run: () => void run(),
    },
  ];
}
