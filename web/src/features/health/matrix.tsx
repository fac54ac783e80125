/** Channels with the models they serve, as one table: a channel's own row, then its models'; on phones a card for each channel. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CallFigures } from "../../../../contract/src/call-figures.ts";
import type { ChannelHealthRow } from "../../../../contract/src/features/health.ts";
import { visible } from "../../lib/names.ts";
import { CountCell, FirstTokenCell, ShareCell, StateCell } from "./cells.tsx";
import styles from "./health.module.css";

/** So many models of a channel are shown until somebody asks for all. */
const MODELS_SHOWN = 5;

function FigureCells({ figures }: { figures: CallFigures }) {
  const { t } = useTranslation("health");
  return (
    <>
      <td data-label={t("columns.share")}>
        <ShareCell figures={figures} />
      </td>
      <td data-label={t("columns.calls")} className={styles.number}>
        <CountCell count={figures.succeeded + figures.failed} />
      </td>
      <td data-label={t("columns.limited")} className={styles.number}>
        <CountCell count={figures.failures.rate_limited ?? 0} />
      </td>
      <td data-label={t("columns.firstToken")} className={styles.number}>
        <FirstTokenCell figures={figures} />
      </td>
    </>
  );
}

function Channel({ channel }: { channel: ChannelHealthRow }) {
  const { t } = useTranslation("health");
  const [isWhole, setIsWhole] = useState(false);
  const { id, name, models, figures } = channel;
  const shown = isWhole ? models : models.slice(0, MODELS_SHOWN);
  return (
    <tbody>
      <tr className={styles.channel}>
        <th scope="rowgroup">
          <Link to="/channel/edit/$id" params={{ id: String(id) }} className={styles.name}>
            {visible(name)}
          </Link>
          <span className={styles.id}>#{id}</span>
        </th>
        <FigureCells figures={figures} />
        <td data-label={t("columns.state")} className={styles.state}>
          <StateCell channel={channel} />
        </td>
      </tr>
      {shown.map((row) => (
        <tr key={row.model}>
          <th scope="row" className={`${styles.model} mono`}>
            {visible(row.model)}
          </th>
          <FigureCells figures={row.figures} />
          <td className={styles.blank} />
        </tr>
      ))}
      {models.length > MODELS_SHOWN && (
        <tr className={styles.more}>
          <td colSpan={6}>
            <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
              {isWhole ? t("fewerModels") : t("allModels", { count: models.length })}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

export function HealthMatrix({ channels }: { channels: readonly ChannelHealthRow[] }) {
  const { t } = useTranslation("health");
  return (
    <div className={styles.scroll} role="region" tabIndex={0} aria-label={t("title")}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("columns.channel")}</th>
            <th scope="col">{t("columns.share")}</th>
            <th scope="col" className={styles.number}>
              {t("columns.calls")}
            </th>
            <th scope="col" className={styles.number}>
              {t("columns.limited")}
            </th>
            <th scope="col" className={styles.number}>
              {t("columns.firstToken")} <span className={styles.tail}>{t("columns.pair")}</span>
            </th>
            <th scope="col" className={styles.state}>
              {t("columns.state")}
            </th>
          </tr>
        </thead>
        {channels.map((channel) => (
          <Channel key={channel.id} channel={channel} />
        ))}
      </table>
    </div>
  );
}
