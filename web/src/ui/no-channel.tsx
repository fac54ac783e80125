/** Leads administrators from empty lists to connecting an upstream, while no enabled channel answers calls. */
import { Button } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { getFirstSteps } from "../../../contract/src/features/dashboard.ts";
import { call } from "../lib/api.ts";
import { loadTexts, useTranslation } from "../lib/i18n.ts";
import { useMay } from "../lib/viewer.ts";

const firstStepsQuery = queryOptions({
  queryKey: ["dashboard", "lacks channel"],
  queryFn: async ({ signal }) => {
    const steps = await call(getFirstSteps, { signal });
    if (!steps.has_channel) await loadTexts("channel-impact");
    return steps;
  },
  refetchOnMount: "always",
});

/**
 * Whether the reader should first connect an upstream: no channel is enabled and they may make one. `isKnown` is false while that is being
 * asked, so that an empty page does not show one thing and then another.
 */
export function useLacksChannel(): { isKnown: boolean; lacksChannel: boolean } {
  const mayConnect = useMay("channels_write");
  const { data, isPending } = useQuery({ ...firstStepsQuery, enabled: mayConnect });
  return { isKnown: !mayConnect || !isPending, lacksChannel: mayConnect && data?.has_channel === false };
}

/** The button that leads to a new channel. */
export function ConnectUpstream() {
  const { t } = useTranslation("channel-impact");
  return (
    <Link to="/channel/add">
      <Button component="span" variant="filled">
        {t("noChannel.connect")}
      </Button>
    </Link>
  );
}
