/** The public status page: how available each model is, now and day by day, while the site publishes it; otherwise there is no such page. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { ModelsAvailability } from "../../../../contract/src/features/health.ts";
import { ApiError } from "../../lib/api.ts";
import { formatDateTime } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { Faint, StatusDot } from "../../ui/display/tags.tsx";
import { Empty, ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { availabilityQuery } from "./queries.ts";
import { shareText, spanText } from "../../lib/call-share.ts";
import styles from "./status-page.module.css";
import { Strip } from "../../ui/display/strip.tsx";

type Model = ModelsAvailability["models"][number];

/** Visitors of a site with few models load nothing for it. */
const SearchFilter = lazy(async () => ({ default: (await import("../../ui/data-table/filters.tsx")).SearchFilter }));

const DAY_S = 86_400;
/** From so many models on there is a search. */
const SEARCHED_FROM = 12;

const TONES = { up: "green", degraded: "amber", down: "red" } as const;
/** Part of a day's bar that is coloured as failed. */
const FAULTS = { good: 0, fair: 0.3, bad: 1, few: 0 } as const;

function Share({ name, share }: { name: string; share: number | null }) {
  const { t } = useTranslation("availability");
  return (
    <div className={styles.share}>
      <dt>{name}</dt>
      <dd>{share === null ? <Faint>{t("fewCalls")}</Faint> : t("share", { share: shareText(share) })}</dd>
    </div>
  );
}

function ModelRow({ row, start }: { row: Model; start: number }) {
  const { t } = useTranslation("availability");
  const { model, state, day_share, month_share, days } = row;
  const textOf = (index: number): string => {
    const from = start + index * DAY_S;
    return t(`slot.${days[index] ?? "few"}`, { when: spanText(from, from + DAY_S - 1) });
  };
  return (
    <li className={styles.model}>
      <div className={styles.head}>
        <ModelMark model={model} size={18} />
        <h2 className={`${styles.name} mono`}>{visible(model)}</h2>
        <StatusDot tone={TONES[state]}>{t(`state.${state}`)}</StatusDot>
      </div>
      <Strip label={visible(model)} cells={days.map((tone) => ({ tone, faults: FAULTS[tone] }))} textOf={textOf} />
      <dl className={styles.shares}>
        <Share name={t("month")} share={month_share} />
        <Share name={t("day")} share={day_share} />
      </dl>
    </li>
  );
}

/** The state of all models in one line. */
function Summary({ models, madeAt }: { models: readonly Model[]; madeAt: number }) {
  const { t } = useTranslation("availability");
  const impaired = models.filter(({ state }) => state !== "up");
  const isDown = impaired.some(({ state }) => state === "down");
  const tone = isDown ? "red" : impaired.length > 0 ? "amber" : "green";
  return (
    <p className={styles.summary} data-tone={tone}>
      <StatusDot tone={tone}>{impaired.length === 0 ? t("all") : t("some", { count: impaired.length })}</StatusDot>
      <span className={styles.madeAt}>{t("madeAt", { time: formatDateTime(madeAt) })}</span>
    </p>
  );
}

function Models({ data }: { data: ModelsAvailability }) {
  const { t } = useTranslation("availability");
  const [keyword, setKeyword] = useState("");
  const { models, start, is_cut } = data;
  if (models.length === 0) return <Empty title={t("empty.title")} sentence={t("empty.sentence")} />;
  const shown = models.filter(({ model }) => model.toLowerCase().includes(keyword.trim().toLowerCase()));
  return (
    <>
      <Summary models={models} madeAt={data.made_at} />
      {models.length >= SEARCHED_FROM && (
        <Suspense fallback={<div className={styles.searchPlace} />}>
          <SearchFilter label={t("search")} value={keyword} onChange={(text) => setKeyword(text ?? "")} />
        </Suspense>
      )}
      {shown.length === 0 && <p className={styles.hint}>{t("nothing")}</p>}
      <ul className={styles.models}>
        {shown.map((row) => (
          <ModelRow key={row.model} row={row} start={start} />
        ))}
      </ul>
      <p className={styles.hint}>
        {t("hint")}
        {is_cut && ` ${t("cut")}`}
      </p>
    </>
  );
}

/** As for any address that the site does not have. */
function NoPage() {
  const { t } = useTranslation("shell");
  usePageTitle(t("notFound.title"));
  return (
    <Empty
      isPage
      title={t("notFound.title")}
      sentence={t("notFound.text")}
      actions={
        <Link to="/" {...buttonLook("filled")}>
          {t("notFound.home")}
        </Link>
      }
    />
  );
}

function Content() {
  const { t } = useTranslation("availability");
  usePageTitle(t("title"));
  const { system_name } = useStatus();
  const query = useQuery(availabilityQuery);
  const again = (): void => void query.refetch();
  return (
    <article className={styles.page}>
      <h1 className={styles.title}>{t("title")}</h1>
      <p className={styles.purpose}>{t("purpose", { name: system_name })}</p>
      {query.data !== undefined && query.error !== null && <NotRefreshed onRetry={again} />}
      {query.data !== undefined && <Models data={query.data} />}
      {query.isPending && <LoadingBars height={96} label={t("loading")} />}
      {query.data === undefined && query.error !== null && (
        <ErrorState title={t("notLoaded")} error={query.error} onRetry={again} />
      )}
    </article>
  );
}

export function StatusPage() {
  const { error } = useQuery(availabilityQuery);
  const isOff = error instanceof ApiError && error.code === "status_page_off";
  return isOff ? <NoPage /> : <Content />;
}
