/** Call statistics on a model's page: a strip of 90 days, times by day, the viewer's spend, and for administrators the channels. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import { shareTone, successShare } from "../../../../../contract/src/call-figures.ts";
import {
  MODEL_SPEND_DAYS,
  type ModelFigures,
  type ServingChannel,
} from "../../../../../contract/src/features/pricing.ts";
import { shareText } from "../../../lib/call-share.ts";
import { formatDate, formatDurationMs, formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Card, CARD_GAP_PX, CardGhost, CardPlace, Fact, Facts, Row, Rows } from "../../../ui/display/card.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Strip } from "../../../ui/display/strip.tsx";
import { StatusDot } from "../../../ui/display/tags.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { buttonLook, QUIET_LINK } from "../../../ui/plain.tsx";
import styles from "./detail.module.css";
import { figuresQuery } from "../queries.ts";

const PERMILLE = 1000;

const timeText = (ms: number | null): string => (ms === null ? "–" : `~${formatDurationMs(ms)}`);

/** A cell a day, as status pages have it; empty where nothing was asked. */
function Days({ figures }: { figures: ModelFigures }) {
  const { t } = useTranslation("pricing");
  const shares = figures.answered_permille.map((permille) => (permille === null ? null : permille / PERMILLE));
  const cells = shares.map((share) => ({
    tone: share === null ? ("none" as const) : shareTone(share),
    faults: share === null ? 0 : 1 - share,
  }));
  const textOf = (index: number): string => {
    const day = formatDate(figures.days[index] ?? 0);
    const share = shares[index] ?? null;
    return share === null ? t("page.dayWithout", { day }) : t("page.dayOf", { day, value: `${shareText(share)}%` });
  };
  return (
    <div>
      <Strip label={t("page.strip", { count: figures.days.length })} cells={cells} textOf={textOf} />
      <div className={styles.axis} aria-hidden>
        <span>{t("page.daysAgo", { count: figures.days.length })}</span>
        <span>{t("page.today")}</span>
      </div>
    </div>
  );
}

function Availability({ figures }: { figures: ModelFigures }) {
  const { t } = useTranslation("pricing");
  const permille = figures.whole.answered_permille;
  const percent = (thousandths: number | null): string =>
    thousandths === null ? "–" : `${shareText(thousandths / PERMILLE)}%`;
  return (
    <Card title={t("page.availability")} text={t("page.availabilityText", { count: figures.days.length })}>
      <Facts>
        <Fact name={t("page.answered")} isLarge>
          {percent(permille)}
        </Fact>
        <Fact name={t("page.errorRate")} isLarge>
          {percent(figures.whole.failed_permille)}
        </Fact>
      </Facts>
      <Days figures={figures} />
    </Card>
  );
}

type Times = ModelFigures["whole"]["total"];

function TimeBars({ label, days, times }: { label: string; days: readonly number[]; times: readonly Times[] }) {
  const { t } = useTranslation("pricing");
  const most = Math.max(1, ...times.map(({ p50_ms }) => p50_ms ?? 0));
  return (
    <ul className={styles.bars} aria-label={label}>
      {days.map((day, index) => {
        const ms = times[index]?.p50_ms ?? null;
        const text = t("page.dayOf", { day: formatDate(day), value: timeText(ms) });
        const height = ms === null ? 0 : Math.max(4, (ms / most) * 100);
        return <li key={day} style={{ height: `${height}%` }} title={text} aria-label={text} />;
      })}
    </ul>
  );
}

function Speed({ figures }: { figures: ModelFigures }) {
  const { t } = useTranslation("pricing");
  const { whole, days } = figures;
  const charts = [
    { id: "firstToken", whole: whole.first_token, times: figures.first_token },
    { id: "total", whole: whole.total, times: figures.total },
  ] as const;
  const shown = charts.filter(({ whole: { p50_ms } }) => p50_ms !== null);
  return (
    <Card title={t("page.speed")} text={t("page.speedText")}>
      {shown.length === 0 && <p className={styles.nothing}>{t("page.noCalls")}</p>}
      {shown.map(({ id, whole: { p50_ms, p95_ms }, times }) => (
        <div key={id}>
          <Facts>
            <Fact name={t(`page.${id}.name`)}>{timeText(p50_ms)}</Fact>
            <Fact name={t(`page.${id}.p95`)}>{timeText(p95_ms)}</Fact>
          </Facts>
          <TimeBars label={t(`page.${id}.byDay`)} days={days} times={times} />
        </div>
      ))}
    </Card>
  );
}

function Spend({ figures: { model, spend } }: { figures: ModelFigures }) {
  const { t } = useTranslation("pricing");
  return (
    <Card
      title={t("page.spend")}
      text={t("page.spendText", { count: MODEL_SPEND_DAYS })}
      action={
        <Link {...buttonLook()} to="/log" search={{ model_name: model }}>
          {t("page.log")}
        </Link>
      }
    >
      <Facts>
        <Fact name={t("page.spent")}>
          <Quota quota={spend.quota} />
        </Fact>
        <Fact name={t("page.calls")}>{formatNumber(spend.requests)}</Fact>
        <Fact name={t("page.tokens")}>{formatNumber(spend.prompt_tokens + spend.completion_tokens)}</Fact>
      </Facts>
    </Card>
  );
}

function ChannelState({ channel }: { channel: ServingChannel }) {
  const { t } = useTranslation("pricing");
  if (channel.status !== "enabled")
    return (
      <StatusDot tone={channel.status === "disabled" ? "idle" : "red"}>{t(`page.state.${channel.status}`)}</StatusDot>
    );
  if (channel.cooling_until_ms !== 0) return <StatusDot tone="amber">{t("page.state.cooling")}</StatusDot>;
  return <StatusDot tone="green">{t("page.state.enabled")}</StatusDot>;
}

function Channel({ channel }: { channel: ServingChannel }) {
  const { t } = useTranslation("pricing");
  const share = successShare(channel.figures);
  const words = [
    t("page.attempts", { count: channel.figures.succeeded + channel.figures.failed }),
    ...(share === null ? [] : [t("page.answeredOf", { share: shareText(share) })]),
    ...(channel.figures.first_token.p50_ms === null
      ? []
      : [t("page.firstTokenOf", { time: timeText(channel.figures.first_token.p50_ms) })]),
  ];
  return (
    <Row
      name={
        <Link {...QUIET_LINK} to="/channel/$id" params={{ id: String(channel.id) }}>
          {visible(channel.name)}
        </Link>
      }
      value={words.join(" · ")}
      action={<ChannelState channel={channel} />}
    />
  );
}

function Channels({ channels }: { channels: readonly ServingChannel[] }) {
  const { t } = useTranslation("pricing");
  return (
    <Card title={t("page.channels")} text={t("page.channelsText")}>
      {channels.length === 0 && <p className={styles.nothing}>{t("page.noChannels")}</p>}
      <Rows>
        {channels.map((channel) => (
          <Channel key={channel.id} channel={channel} />
        ))}
      </Rows>
    </Card>
  );
}

/** Heights of the three cards while they are waited for. */
const GHOSTS_PX = [180, 260, 120] as const;

/** @param viewerId of the user, whose spend it is */
export function FiguresCards({ viewerId, model }: { viewerId: number; model: string }) {
  const { t } = useTranslation("pricing");
  const { data, error, refetch } = useQuery(figuresQuery(viewerId, model));
  if (data === undefined && error !== null)
    return (
      <CardPlace heightPx={GHOSTS_PX.reduce((sum, heightPx) => sum + heightPx, CARD_GAP_PX * (GHOSTS_PX.length - 1))}>
        <ErrorState title={t("page.figuresNotLoaded")} error={error} onRetry={() => void refetch()} />
      </CardPlace>
    );
  if (data === undefined) return GHOSTS_PX.map((heightPx) => <CardGhost key={heightPx} heightPx={heightPx} />);
  return (
    <>
      <Availability figures={data} />
      <Speed figures={data} />
      <Spend figures={data} />
    </>
  );
}

/** Who serves the model, for administrators; nothing until that is known, and for everybody else. */
export function ChannelsCard({ viewerId, model }: { viewerId: number; model: string }) {
  const { data } = useQuery(figuresQuery(viewerId, model));
  const channels = data?.channels ?? null;
  return channels === null ? null : <Channels channels={channels} />;
}
