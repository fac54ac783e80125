/** The line on a page while models have no enabled channel, so that calls to them fail; for administrators. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { listLostModels } from "../../../contract/src/channels/impact.ts";
import { call } from "../lib/api.ts";
import { formatNumber } from "../lib/format.ts";
import { loadTexts, useTranslation } from "../lib/i18n.ts";
import { visible } from "../lib/names.ts";
import { useMay } from "../lib/viewer.ts";
import { Notice } from "./feedback/notice.tsx";
import styles from "./lost-models.module.css";

const NAMES_SHOWN = 3;

/** Under the head of the queries of channels: a change of channels has it asked anew. */
const lostModelsQuery = queryOptions({
  queryKey: ["channels", "lost"],
  queryFn: async ({ signal }) => {
    const lost = await call(listLostModels, { signal });
    if (lost.total > 0) await loadTexts("channel-impact");
    return lost;
  },
  refetchInterval: 60_000,
});

/** Empty while every model has a channel, and for users who are no administrators. */
export function LostModelsLine({ hasLink = false }: { hasLink?: boolean }) {
  const { t } = useTranslation("channel-impact");
  const isAdmin = useMay("channels_see");
  const { data } = useQuery({ ...lostModelsQuery, enabled: isAdmin });
  if (data === undefined || data.total === 0) return null;
  const names = data.models
    .slice(0, NAMES_SHOWN)
    .map(({ model }) => visible(model))
    .join(t("lost.comma"));
  const rest = data.total - NAMES_SHOWN;
  const models = rest > 0 ? t("lost.more", { names, count: rest }) : names;
  return (
    <div className={styles.line}>
      <Notice tone="amber">
        {t("lost.line", { count: data.total, formatted: formatNumber(data.total), models })}
        {data.calls > 0 && ` (${t("lost.calls", { count: data.calls, formatted: formatNumber(data.calls) })})`}
        {hasLink && (
          <>
            {" "}
            <Link to="/channel" search={{ status: "2" } as never}>
              {t("lost.show")}
            </Link>
          </>
        )}
      </Notice>
    </div>
  );
}
