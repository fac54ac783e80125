/** The first tab of a channel's page: calls, first tokens, the margin, the balance and when it is empty, models and groups. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ChannelOverview } from "../../../../../contract/src/channels/page.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../../contract/src/query.ts";
import { formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Card, CardGhost, Fact, Facts } from "../../../ui/display/card.tsx";
import { ModelLink } from "../../../ui/display/name.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import { BalanceBars, CallBars, FirstTokenBars, timeText } from "./charts.tsx";
import styles from "./detail.module.css";
import { MarginCard } from "./margin-card.tsx";
import { overviewQuery } from "./queries.ts";

/** Below so many days it is said in amber. */
const SOON_DAYS = 7;

function Balance({ overview }: { overview: ChannelOverview }) {
  const { t } = useTranslation("channels");
  const { balances, currency, empty_in_days: days } = overview;
  const whole = days === null ? undefined : Math.floor(days);
  return (
    <Card
      title={t("detail.balance")}
      text={
        whole !== undefined && (
          <span className={whole < SOON_DAYS ? styles.soon : undefined}>{t("detail.emptyIn", { count: whole })}</span>
        )
      }
    >
      {balances.length === 0 ? (
        <p className={styles.nothing}>{t("detail.noBalance")}</p>
      ) : (
        <BalanceBars balances={balances} currency={currency} />
      )}
    </Card>
  );
}

function Names({ title, names, areModels = false }: { title: string; names: readonly string[]; areModels?: boolean }) {
  return (
    <Card title={title}>
      <div className={styles.models}>
        {names.map((name) => (
          <Tag key={name} tone="outline">
            {areModels ? <ModelLink model={name} /> : visible(name)}
          </Tag>
        ))}
      </div>
    </Card>
  );
}

function Figures({ overview }: { overview: ChannelOverview }) {
  const { t } = useTranslation("channels");
  const { days, first_token } = overview;
  const succeeded = days.reduce((sum, day) => sum + day.succeeded, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  const hasTimes = days.some(({ first_token_ms }) => first_token_ms !== null);
  return (
    <>
      <Card
        title={t("detail.calls")}
        text={t("detail.callsText", { count: days.length })}
        action={
          <Link {...buttonLook()} to="/channel/health">
            {t("health")}
          </Link>
        }
      >
        <Facts>
          <Fact name={t("detail.answered")}>{formatNumber(succeeded)}</Fact>
          <Fact name={t("detail.failed")}>{formatNumber(failed)}</Fact>
        </Facts>
        {succeeded + failed === 0 ? (
          <p className={styles.nothing}>{t("detail.noCalls", { count: days.length })}</p>
        ) : (
          <CallBars days={days} />
        )}
      </Card>
      {hasTimes && (
        <Card title={t("detail.firstToken")} text={t("detail.firstTokenText")}>
          <Facts>
            <Fact name={t("detail.firstTokenWhole", { count: days.length })}>{timeText(first_token.p50_ms)}</Fact>
            <Fact name={t("detail.firstTokenMost")}>{timeText(first_token.p95_ms)}</Fact>
          </Facts>
          <FirstTokenBars days={days} />
        </Card>
      )}
      {overview.margins && <MarginCard days={overview.margins} />}
      <Balance overview={overview} />
    </>
  );
}

/** Placeholders of the cards while they load. */
export const OverviewGhosts = () => (
  <div className={styles.overview}>
    {[312, 312, 330, 330].map((heightPx, index) => (
      <CardGhost key={index} heightPx={heightPx} />
    ))}
  </div>
);

export function OverviewTab({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  const query = useQuery(overviewQuery(channel.id));
  if (query.data === undefined && query.error !== null)
    return <ErrorState title={t("detail.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <OverviewGhosts />;
  return (
    <div className={styles.overview}>
      <Figures overview={query.data} />
      <Names title={t("columns.models")} names={splitList(channel.models)} areModels />
      <Names title={t("columns.groups")} names={splitList(channel.group)} />
    </div>
  );
}
