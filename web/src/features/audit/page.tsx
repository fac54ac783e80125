/** The audit trail: what administrators changed, newest first, by kind, thing and person; each row opens into what was before and after. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { AUDIT_KINDS, type AuditEntry } from "../../../../contract/src/features/audit.ts";
import { visible } from "../../lib/names.ts";
import { Changes, useSentence } from "../../ui/audit/changes.tsx";
import { auditQuery } from "../../ui/audit/queries.ts";
import { RevertButton } from "../../ui/audit/revert.tsx";
import type { Column } from "../../ui/data-table/columns.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter, TextFilter } from "../../ui/data-table/filters.tsx";
import { type ListState, useListState } from "../../ui/data-table/list-state.ts";
import { RowCard, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { Name } from "../../ui/display/name.tsx";
import { Faint, Tag } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import styles from "./audit.module.css";

const FILTERS = ["kind", "object", "actor"] as const;
type AuditList = ListState<(typeof FILTERS)[number]>;

/** The button that leads to the thing, where it has a page. */
function OpenThing({ entry: { kind, object } }: { entry: AuditEntry }) {
  const { t } = useTranslation("audit");
  if (object === "") return null;
  const look = buttonLook();
  if (kind === "user")
    return (
      <Link {...look} to="/user/$id" params={{ id: object }}>
        {t("open")}
      </Link>
    );
  if (kind === "channel")
    return (
      <Link {...look} to="/channel/$id" params={{ id: object }}>
        {t("open")}
      </Link>
    );
  if (kind === "option")
    return (
      <Link {...look} to="/setting" search={{ option: object }}>
        {t("open")}
      </Link>
    );
  return null;
}

function Opened({ entry }: { entry: AuditEntry }) {
  return (
    <div className={styles.opened}>
      <Changes changes={entry.changes} />
      <div className={styles.acts}>
        <RevertButton entry={entry} />
        <OpenThing entry={entry} />
      </div>
    </div>
  );
}

const fieldsOf = ({ changes }: AuditEntry): string => changes.map(({ field }) => field).join(", ");

function useColumns(): Column<AuditEntry>[] {
  const { t } = useTranslation("audit");
  const sentence = useSentence();
  return [
    {
      id: "time",
      header: t("columns.time"),
      width: 150,
      cell: ({ created_time }) => <Time atS={created_time} as="full" />,
    },
    { id: "actor", header: t("columns.actor"), width: 104, cell: ({ actor }) => <Name text={actor} /> },
    {
      id: "kind",
      header: t("columns.kind"),
      width: 96,
      dropPriority: 2,
      cell: ({ kind }) => <Tag tone="outline">{t(`kind.${kind}`)}</Tag>,
    },
    {
      id: "what",
      header: t("columns.what"),
      width: 370,
      cell: (entry) => (
        <span className={`tp-name ${styles.line}`} title={sentence(entry)}>
          {sentence(entry)}
        </span>
      ),
    },
    {
      id: "fields",
      header: t("columns.fields"),
      width: 162,
      dropPriority: 1,
      cell: (entry) =>
        entry.changes.length === 0 ? (
          <Faint>–</Faint>
        ) : (
          <span className={`mono ${styles.line}`} title={fieldsOf(entry)}>
            {visible(fieldsOf(entry))}
          </span>
        ),
    },
  ];
}

function Card({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation("audit");
  const sentence = useSentence();
  return (
    <RowCard>
      <RowCardHead state={<Tag tone="outline">{t(`kind.${entry.kind}`)}</Tag>} menu={null}>
        {sentence(entry)}
      </RowCardHead>
      <RowCardLine>
        <Name text={entry.actor} />
        <Time atS={entry.created_time} />
      </RowCardLine>
    </RowCard>
  );
}

function Filters({ list }: { list: AuditList }) {
  const { t } = useTranslation("audit");
  return (
    <>
      <ChoiceFilter
        label={t("columns.kind")}
        choices={AUDIT_KINDS.map((kind) => ({ value: kind, text: t(`kind.${kind}`) }))}
        value={list.filters.kind}
        onChange={(kind) => list.setFilters({ kind })}
      />
      <TextFilter
        label={t("filter.object")}
        value={list.filters.object}
        onChange={(object) => list.setFilters({ object })}
      />
      <TextFilter
        label={t("filter.actor")}
        value={list.filters.actor}
        onChange={(actor) => list.setFilters({ actor })}
      />
    </>
  );
}

export function AuditPage() {
  const { t } = useTranslation("audit");
  const list = useListState(FILTERS, 38);
  const query = useQuery(auditQuery({ ...list.filters, page: list.page, size: list.size }));
  const total = query.data?.total ?? 0;
  const sentence = useSentence();
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <DataTable
        name="audit"
        label={t("title")}
        columns={useColumns()}
        list={list}
        data={queryRows(query, query.data?.items, total)}
        rowKey={(entry) => String(entry.id)}
        rowName={sentence}
        rowHeight={38}
        filters={<Filters list={list} />}
        openedRow={(entry) => <Opened entry={entry} />}
        card={(entry) => <Card entry={entry} />}
        empty={<Empty title={t("empty.title")} sentence={t("empty.sentence")} />}
        count={t("count", { count: total })}
        errorTitle={t("notLoaded")}
      />
    </Page>
  );
}
