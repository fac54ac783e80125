/** The cards of facts: versions and database, tables, disk, processes, jobs and messages. */
import type { ReactNode } from "react";
import type { SystemFacts } from "../../../../contract/src/features/system.ts";
import { hasText, useTranslation } from "../../lib/i18n.ts";
import { formatDurationMs, formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Card, Fact, Facts } from "../../ui/display/card.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { ENGINES, formatBytes, Part, TimeOrNone } from "./part.tsx";
import stacked from "../../ui/display/stacked-rows.module.css";
import styles from "./system.module.css";

export function DatabaseCard({ facts }: { facts: SystemFacts }) {
  const { t } = useTranslation("system");
  return (
    <Card title={t("database.title")}>
      <Facts>
        <Fact name={t("database.turnpike")}>{facts.version}</Fact>
        <Fact name="Node">{facts.node}</Fact>
      </Facts>
      <Part part={facts.database}>
        {({ engine, version, place, bytes, schema, pending, pool_size: poolSize }) => (
          <>
            <Facts>
              <Fact name={t("database.engine")}>{`${ENGINES[engine]} ${version}`}</Fact>
              <Fact name={t("database.size")}>{formatBytes(bytes)}</Fact>
              <Fact name={t("database.schema")}>{schema}</Fact>
              <Fact name={t("database.pool")}>{poolSize === 0 ? <Faint>–</Faint> : formatNumber(poolSize)}</Fact>
              <Fact name={t("database.place")}>{visible(place)}</Fact>
            </Facts>
            {pending.length > 0 && <Notice tone="amber">{t("database.pending", { count: pending.length })}</Notice>}
          </>
        )}
      </Part>
    </Card>
  );
}

/** A table that scrolls on its own where its place is narrow. */
function Table({
  label,
  columns,
  isStacked = false,
  children,
}: {
  label: string;
  columns: readonly [string, boolean][];
  isStacked?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={isStacked ? `${styles.table} ${stacked.stacked}` : styles.table}>
        <thead>
          <tr>
            {columns.map(([name, isNumeric]) => (
              <th key={name} scope="col" data-numeric={isNumeric || undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function TablesCard({ facts }: { facts: SystemFacts }) {
  const { t } = useTranslation("system");
  const columns: [string, boolean][] = [
    [t("tables.name"), false],
    [t("tables.size"), true],
  ];
  return (
    <Card title={t("tables.title")} text={t("tables.text")}>
      <Part part={facts.tables}>
        {(tables) => (
          <Table label={t("tables.title")} columns={columns}>
            {tables.map(({ name, bytes }) => (
              <tr key={name}>
                <td className="mono">{name}</td>
                <td data-numeric>{formatBytes(bytes)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Part>
    </Card>
  );
}

export function DiskCard({ facts }: { facts: SystemFacts }) {
  const { t } = useTranslation("system");
  return (
    <Card title={t("disk.title")}>
      <Part part={facts.disk}>
        {({ free_bytes: free, total_bytes: total }) => (
          <Facts>
            <Fact name={t("disk.free")}>{formatBytes(free)}</Fact>
            <Fact name={t("disk.total")}>{formatBytes(total)}</Fact>
          </Facts>
        )}
      </Part>
      <Part part={facts.outbox}>
        {({ waiting, failed, oldest_time: oldest }) => (
          <Facts>
            <Fact name={t("outbox.waiting")}>{formatNumber(waiting)}</Fact>
            <Fact name={t("outbox.oldest")}>{oldest === 0 ? <Faint>–</Faint> : <Time atS={oldest} />}</Fact>
            <Fact name={t("outbox.failed")}>{formatNumber(failed)}</Fact>
          </Facts>
        )}
      </Part>
    </Card>
  );
}

export function ProcessesCard({ facts }: { facts: SystemFacts }) {
  const { t } = useTranslation("system");
  const columns: [string, boolean][] = [
    [t("processes.name"), false],
    [t("processes.started"), false],
    [t("processes.memory"), true],
    [t("processes.lag"), true],
    [t("processes.snapshot"), true],
    [t("processes.journal"), true],
    [t("processes.queue"), true],
  ];
  return (
    <Card title={t("processes.title")} text={t("processes.text")}>
      <Part part={facts.processes}>
        {(processes) => (
          <Table label={t("processes.title")} columns={columns} isStacked>
            {processes.map((each) => (
              <tr key={each.name}>
                <td className="mono">{visible(each.name)}</td>
                <td data-label={t("processes.started")}>
                  <Time atS={each.started_time} />
                </td>
                <td data-numeric data-label={t("processes.memory")}>
                  {formatBytes(each.memory_bytes)}
                </td>
                <td data-numeric data-label={t("processes.lag")}>
                  {formatDurationMs(each.loop_lag_ms)}
                </td>
                <td data-numeric data-label={t("processes.snapshot")}>
                  {formatDurationMs(each.snapshot_age_ms)}
                </td>
                <td data-numeric data-label={t("processes.journal")}>
                  {formatNumber(each.journal_entries)}
                </td>
                <td data-numeric data-label={t("processes.queue")}>
                  {formatNumber(each.waiting_entries)}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Part>
    </Card>
  );
}

export function JobsCard({ facts }: { facts: SystemFacts }) {
  const { t } = useTranslation("system");
  const nameOf = (name: string): string => (hasText(`system:job.${name}`) ? t(`job.${name}`) : name);
  const columns: [string, boolean][] = [
    [t("jobs.name"), false],
    [t("jobs.last"), false],
    [t("jobs.next"), false],
    [t("jobs.leader"), false],
  ];
  return (
    <Card title={t("jobs.title")} text={t("jobs.text")}>
      <Part part={facts.jobs}>
        {(jobs) => (
          <Table label={t("jobs.title")} columns={columns} isStacked>
            {jobs.map((job) => (
              <tr key={job.name}>
                <td>
                  {nameOf(job.name)}
                  {job.failure !== "" && <span className={styles.fault}>{visible(job.failure)}</span>}
                </td>
                <td data-label={t("jobs.last")}>
                  <TimeOrNone atS={job.started_time} />
                </td>
                <td data-label={t("jobs.next")}>
                  <Time atS={job.next_time} />
                </td>
                <td className="mono" data-label={t("jobs.leader")}>
                  {job.leader === "" ? <Faint>–</Faint> : visible(job.leader)}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Part>
    </Card>
  );
}
