/** The section 'price list' of the settings page: which list is in force, fetching a newer one, what was accepted and what the last upgrade changed. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconChevronDown, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { fetchPriceList, type getPriceList } from "../../../../../contract/src/features/prices.ts";
import { call } from "../../../lib/api.ts";
import { formatDate, formatNumber } from "../../../lib/format.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Accepted } from "./accepted.tsx";
import { FetchedLines } from "./fetched.tsx";
import { LineTable } from "./line-table.tsx";
import { priceListQuery } from "./queries.ts";
import { SourceField } from "./source-field.tsx";
import styles from "./list.module.css";

type PriceList = DataOf<typeof getPriceList>;

/** A day of a list, wherever it is read: noon of it. */
const dayText = (day: string): string => formatDate(Date.parse(`${day}T12:00:00Z`) / 1000);

/** The price editor with its filters for what is counted here. */
const DIFFERING = { tab: "operation", section: "prices", origin: "own", differs: "yes" };

function Facts({ list }: { list: PriceList }) {
  const { t } = useTranslation("prices");
  const { shipped, models, differing } = list;
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t("list.facts.version")}</dt>
        <dd>
          genai-prices {shipped.version}
          <span className={styles.faint}> · {dayText(shipped.date)}</span>
        </dd>
      </div>
      <div>
        <dt>{t("list.facts.models")}</dt>
        <dd>{formatNumber(models)}</dd>
      </div>
      <div>
        <dt>{t("list.facts.differing")}</dt>
        <dd>
          {formatNumber(differing)}
          {differing > 0 && (
            <>
              {" · "}
              <Link to="/setting" search={DIFFERING}>
                {t("list.facts.open")}
              </Link>
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}

function Newer({ source }: { source: string }) {
  const { t } = useTranslation("prices");
  const fetching = useMutation({
    mutationFn: () => call(fetchPriceList, {}),
    meta: { showsOwnError: true },
  });
  const [readAt, setReadAt] = useState(0);
  const fetchList = () => fetching.mutate(undefined, { onSuccess: () => setReadAt((count) => count + 1) });
  const { data, error } = fetching;
  return (
    <section className={styles.part2} aria-label={t("list.newer.title")}>
      <h3>{t("list.newer.title")}</h3>
      <p className={styles.sentence}>{t("list.newer.text")}</p>
      <SourceField key={source} source={source} />
      <div className={styles.fetch}>
        <BusyButton
          leftSection={<IconRefresh size={15} stroke={1.5} />}
          isBusy={fetching.isPending}
          disabled={source === ""}
          onClick={fetchList}
        >
          {t("list.fetch")}
        </BusyButton>
        <span role="status" className={styles.faint}>
          {fetching.isPending && t("list.fetching")}
          {data !== undefined &&
            t("list.fetched", {
              rules: formatNumber(data.rules),
              formatted: formatNumber(data.lines.length),
              count: data.lines.length,
            })}
        </span>
      </div>
      {error !== null && <ErrorState title={t("list.notFetched")} error={error} onRetry={fetchList} />}
      {data !== undefined && <FetchedLines key={readAt} fetched={data} onDone={() => fetching.reset()} />}
    </section>
  );
}

/** Folded: most who come here want the newer list. */
function Upgrade({ list }: { list: PriceList }) {
  const { t } = useTranslation("prices");
  const { previous, shipped, changes } = list;
  if (previous === null) return null;
  return (
    <details className={styles.upgrade}>
      <summary>
        <h3>{t("list.upgrade.title", { version: shipped.version })}</h3>
        <span className={styles.faint}>
          {t("list.upgrade.count", {
            count: changes.length,
            formatted: formatNumber(changes.length),
            version: previous.version,
          })}
        </span>
        <IconChevronDown size={15} stroke={1.5} aria-hidden />
      </summary>
      {changes.length > 0 && (
        <LineTable lines={changes} label={t("list.upgrade.title", { version: shipped.version })} />
      )}
    </details>
  );
}

export function PriceListPanel() {
  const { t } = useTranslation("prices");
  const { data, error, refetch } = useQuery(priceListQuery);
  if (data === undefined) {
    if (error === null) return <div className={styles.loading} aria-busy />;
    return <ErrorState title={t("list.notLoaded")} error={error} onRetry={() => void refetch()} />;
  }
  return (
    <div className={styles.panel}>
      <Facts list={data} />
      <Newer source={data.source} />
      <Accepted changes={data.accepted} />
      <Upgrade list={data} />
    </div>
  );
}
