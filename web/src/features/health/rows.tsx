/** The table of channel health: a row for each channel with its cells over time, and below it, once it is opened, a row for each of its models. */
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { CallFigures } from "../../../../contract/src/call-figures.ts";
import type { ChannelHealthRow, HealthCell, HealthPage } from "../../../../contract/src/features/health.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useMay } from "../../lib/viewer.ts";
import { Faint, StatusDot } from "../../ui/display/tags.tsx";
import { NotRefreshed } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { AttemptsCell, FirstTokenCell, LastFailureCell, ShareCell, StateCell } from "./cells.tsx";
import styles from "./health.module.css";
import { modelsHealthQuery } from "./queries.ts";
import { shareText, spanText } from "../../lib/call-share.ts";
import { type Grid, logHref, slotsOf, timesOf } from "./slots.ts";
import { ModelLink } from "../../ui/display/name.tsx";
import { Strip } from "../../ui/display/strip.tsx";
import { TokenLines } from "./token-lines.tsx";

interface RowProps {
  channel: ChannelHealthRow;
  grid: Grid;
  /** As the address has it. */
  hours: string | undefined;
}

interface FiguresProps {
  channel: ChannelHealthRow;
  model?: string;
  grid: Grid;
  figures: CallFigures;
  cells: readonly HealthCell[];
}

/** Cells over time; each leads to its part of the log, for those who may read it. */
function StripCell({ channel, model, grid, cells }: Omit<FiguresProps, "figures">) {
  const { t } = useTranslation("health");
  const mayReadLog = useMay("logs");
  const slots = slotsOf(grid, cells);
  const textOf = (index: number): string => {
    const slot = slots[index];
    if (slot === undefined) return "";
    const when = spanText(slot.start, slot.end);
    if (slot.calls === 0) return t("slot.none", { when });
    return t("slot.text", {
      when,
      share: shareText(1 - slot.faults),
      count: slot.calls,
      attempts: formatNumber(slot.calls),
      failed: formatNumber(slot.failed),
    });
  };
  const hrefOf = (index: number): string => logHref(channel.id, model, slots[index] ?? { start: 0, end: 0 });
  return (
    <Strip
      label={visible(model ?? channel.name)}
      cells={slots}
      textOf={textOf}
      hrefOf={mayReadLog ? hrefOf : undefined}
    />
  );
}

/** A channel that is switched off serves nothing now, however well it went before. */
const Off = () => {
  const { t } = useTranslation("health");
  return (
    <StatusDot tone="idle">
      <Faint>{t("off")}</Faint>
    </StatusDot>
  );
};

function FigureCells({ channel, model, grid, figures, cells }: FiguresProps) {
  const { t } = useTranslation("health");
  return (
    <>
      <td data-label={t("columns.time")} className={styles.time}>
        <StripCell channel={channel} {...(model === undefined ? {} : { model })} grid={grid} cells={cells} />
      </td>
      <td data-label={t("columns.share")} className={styles.shareCell}>
        {channel.status === "disabled" ? <Off /> : <ShareCell figures={figures} />}
      </td>
      <td data-label={t("columns.calls")} className={styles.number}>
        <AttemptsCell figures={figures} />
      </td>
      <td data-label={t("columns.firstToken")} className={styles.tokens}>
        <div className={styles.tokenParts}>
          <TokenLines times={timesOf(grid, cells)} />
          <FirstTokenCell figures={figures} />
        </div>
      </td>
    </>
  );
}

/** A line of the open part in place of rows. */
const Line = ({ children }: { children: ReactNode }) => (
  <tr className={styles.line}>
    <td colSpan={6}>{children}</td>
  </tr>
);

function Models({ channel, hours }: Omit<RowProps, "grid">) {
  const { t } = useTranslation("health");
  const query = useQuery(modelsHealthQuery(channel.id, hours));
  const { data } = query;
  if (data === undefined)
    return (
      <Line>
        {query.error === null ? (
          <LoadingBars height={44} label={t("loading")} />
        ) : (
          <NotRefreshed onRetry={() => void query.refetch()} />
        )}
      </Line>
    );
  const left = data.total - data.models.length;
  return (
    <>
      {data.models.map(({ model, figures, cells }) => (
        <tr key={model}>
          <th scope="row" className={`${styles.model} mono`}>
            <ModelLink model={model} />
          </th>
          <FigureCells channel={channel} model={model} grid={data} figures={figures} cells={cells} />
          <td className={styles.blank} />
        </tr>
      ))}
      {data.models.length === 0 && (
        <Line>
          <Faint>{t("noModels")}</Faint>
        </Line>
      )}
      {left > 0 && (
        <Line>
          <Faint>{t("moreModels", { count: left })}</Faint>
        </Line>
      )}
    </>
  );
}

function Channel({ channel, grid, hours }: RowProps) {
  const { t } = useTranslation("health");
  const [isOpen, setIsOpen] = useState(false);
  const { id, figures, cells, last_failure } = channel;
  const name = visible(channel.name);
  return (
    <tbody data-is-off={channel.status === "disabled" || undefined}>
      <tr className={styles.channel}>
        <th scope="rowgroup">
          <div className={styles.head}>
            <button
              type="button"
              className={styles.opener}
              aria-expanded={isOpen}
              aria-label={t("models", { name })}
              onClick={() => setIsOpen(!isOpen)}
            >
              <IconChevronRight size={16} stroke={1.5} aria-hidden />
            </button>
            <div className={styles.headText}>
              <Link to="/channel/$id" params={{ id: String(id) }} className={styles.name}>
                {name}
              </Link>
              <span className={styles.id}>#{id}</span>
              <div className={styles.state}>
                <StateCell channel={channel} />
              </div>
            </div>
          </div>
        </th>
        <FigureCells channel={channel} grid={grid} figures={figures} cells={cells} />
        <td data-label={t("columns.lastFailure")} className={styles.last}>
          <LastFailureCell failure={last_failure} cellS={grid.cell_seconds} />
        </td>
      </tr>
      {isOpen && <Models channel={channel} hours={hours} />}
    </tbody>
  );
}

export function HealthRows({ health, hours }: { health: HealthPage; hours: string | undefined }) {
  const { t } = useTranslation("health");
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t("columns.channel")}</th>
          <th scope="col" className={styles.time}>
            {t(`columns.cells.${hours ?? "24"}`)}
          </th>
          <th scope="col" className={styles.shareCell}>
            {t("columns.share")}
          </th>
          <th scope="col" className={styles.number}>
            {t("columns.calls")}
          </th>
          <th scope="col" className={styles.tokens}>
            {t("columns.firstToken")} <span className={styles.tail}>{t("columns.pair")}</span>
          </th>
          <th scope="col" className={styles.last}>
            {t("columns.lastFailure")}
          </th>
        </tr>
      </thead>
      {health.items.map((channel) => (
        <Channel key={channel.id} channel={channel} grid={health} hours={hours} />
      ))}
    </table>
  );
}
