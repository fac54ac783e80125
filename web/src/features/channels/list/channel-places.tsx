/** Links from a channel's row menu: its health, its calls in the log, and the route of a call for its models. */
import { IconHeartbeat, IconListDetails, IconRoute } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { useMay } from "../../../lib/viewer.ts";
import type { RowAction } from "../../../ui/data-table/row-actions.tsx";

const glyph = { size: 15, stroke: 1.5 };

/** The first model of a channel, which the page that explains routing begins with; undefined where it has none. */
const firstModelOf = (models: string): string | undefined =>
  models
    .split(",")
    .map((model) => model.trim())
    .find((model) => model !== "");

/** Items that lead to the other pages about a channel; the log is for those who may see it. */
export function useChannelPlaces({ id, models }: ChannelRow): RowAction[] {
  const { t } = useTranslation("channels");
  const navigate = useNavigate();
  const mayReadLogs = useMay("logs");
  const model = firstModelOf(models);
  const health = () => void navigate({ to: "/channel/health", search: { keyword: String(id) } });
  const calls = () => void navigate({ to: "/log", search: { channel: String(id) } });
  const route = () => void navigate({ to: "/channel/route", search: { model } });
  return [
    { label: t("actions.health"), icon: <IconHeartbeat {...glyph} />, onPick: health, isDivided: true },
    ...(mayReadLogs ? [{ label: t("actions.calls"), icon: <IconListDetails {...glyph} />, onPick: calls }] : []),
    { label: t("actions.route"), icon: <IconRoute {...glyph} />, onPick: route, isDisabled: model === undefined },
  ];
}
