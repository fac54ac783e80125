/** The log of image tasks and the log of songs and videos: what upstreams make in the background, its progress and its results.
 *
 * Links lead here with the search parameters that `FILTERS` names, as `/task?status=FAILURE&range=week`, and `/midjourney?request_id=<id>`
 * shows the task of one call, of whatever time it is.
 */
import { Button } from "@mantine/core";
import { IconBraces, IconListDetails, IconPalette } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { TASK_TOTAL_CAP } from "../../../../contract/src/features/tasks.ts";
import { formatDateTime, formatNumber, formatExact } from "../../lib/format.ts";
import { loadTexts, useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { isStoredTrue, STORAGE } from "../../lib/storage.ts";
import { useMay } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { RowMenu } from "../../ui/data-table/row-actions.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import {
  actionText,
  type T,
  ActionTag,
  CostOf,
  failText,
  Moment,
  PictureButton,
  ProgressOf,
  Spent,
  StatusOf,
  type TaskActs,
  ChannelTag,
  CodeTag,
  UserOf,
} from "./cells.tsx";
import { imageColumns, taskColumns } from "./columns.tsx";
import { TaskFilters } from "./filters.tsx";
import { pictureOf, videoFactsOf } from "./model/media.ts";
import type { LogKind, TaskRow } from "./model/task-row.ts";
import { anyTasksQuery, FILTERS, type TaskList, tasksQuery, viewOf } from "./queries.ts";
import styles from "./tasks.module.css";
import { RowCard, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import type { ShownText } from "./text-dialog.tsx";
import { Copy } from "../../ui/display/copy.tsx";
import { LyricsOf, Songs, VideoOf } from "./result.tsx";

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Text = ({ name, text }: { name: string; text: string }) =>
  text === "" ? null : (
    <Fact name={name}>
      <bdi className={styles.wholeText}>{visible(text)}</bdi>
    </Fact>
  );

/** By whom a video is made, how long and how. */
function VideoFactsOf({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  const facts = videoFactsOf(row);
  if (facts === undefined) return null;
  const { vendor, seconds, details } = facts;
  const length = seconds === undefined ? [] : [t("seconds", { formatted: formatNumber(seconds) })];
  return (
    <>
      {vendor !== "" && (
        <Fact name={t("column.vendor")}>{visible(t(`vendor.${vendor}`, { defaultValue: vendor }))}</Fact>
      )}
      <Text name={t("column.video")} text={[...length, ...details].join(" · ")} />
    </>
  );
}

/** The details of a row: its texts in full, its result, and its cost with the link to the usage log. */
function Details({ row, acts }: { row: TaskRow; acts: TaskActs }) {
  const { t } = useTranslation("tasks");
  return (
    <div className={styles.details}>
      <dl className={styles.facts}>
        <Text name={t("column.prompt")} text={row.prompt} />
        <Text name={t("column.promptEn")} text={row.promptEn} />
        <Text name={t("column.failed")} text={failText(t, row)} />
        {row.submitS > 0 && <Fact name={t("column.submitted")}>{formatExact(row.submitS)}</Fact>}
        {row.finishS > 0 && <Fact name={t("column.finished")}>{formatExact(row.finishS)}</Fact>}
        {row.channelId > 0 && (
          <Fact name={t("column.channel")}>
            <ChannelTag row={row} />
          </Fact>
        )}
        {row.username !== "" && (
          <Fact name={t("column.user")}>
            <UserOf row={row} onUser={acts.onUser} />
          </Fact>
        )}
        {row.code !== undefined && (
          <Fact name={t("column.code")}>
            <CodeTag row={row} />
          </Fact>
        )}
        {row.model !== "" && (
          <Fact name={t("column.model")}>
            <code>{visible(row.model)}</code>
          </Fact>
        )}
        <VideoFactsOf row={row} />
        <Fact name={t("column.cost")}>
          <CostOf row={row} />
        </Fact>
        {row.requestId !== "" && (
          <Fact name={t("column.requestId")}>
            <Copy text={row.requestId} isIconShown>
              <code>{row.requestId}</code>
            </Copy>
          </Fact>
        )}
      </dl>
      <div className={styles.results}>
        {row.pictureUrl !== "" && (
          <div className={styles.detailPicture}>
            <PictureButton row={row} onPicture={acts.onPicture} />
          </div>
        )}
        <VideoOf row={row} />
        <Songs data={row.data} />
        <LyricsOf data={row.data} />
        <div className={styles.links}>
          {row.requestId !== "" && (
            <Link className={styles.link} to="/log" search={{ request_id: row.requestId }}>
              {t("openLog")}
            </Link>
          )}
          <button type="button" className={styles.link} onClick={() => acts.onRecord(row)}>
            {t("openRecord")}
          </button>
        </div>
      </div>
    </div>
  );
}

/** `text` is undefined until one was asked for, and null while its dialog is closed. */
function useTaskActs(list: TaskList) {
  const [text, setText] = useState<ShownText | null>();
  const [record, setRecord] = useState<TaskRow>();
  const [picture, setPicture] = useState<string>();
  const [played, setPlayed] = useState<TaskRow>();
  const navigate = useNavigate();
  const { setFilters } = list;
  const acts: TaskActs = useMemo(
    () => ({
      onText: (title, whole) => setText({ title, text: whole }),
      onRecord: setRecord,
      onPicture: ({ id }) => setPicture(String(id)),
      onPlay: setPlayed,
      onUser: (username) => setFilters({ username }),
    }),
    [setFilters],
  );
  return {
    acts,
    text,
    record,
    picture,
    played,
    showPicture: setPicture,
    openStudio: ({ model, prompt }: TaskRow) => void navigate({ to: "/studio", search: { model, prompt } }),
    openLog: ({ requestId }: TaskRow) => void navigate({ to: "/log", search: { request_id: requestId } }),
    close: {
      text: () => setText(null),
      record: () => setRecord(undefined),
      picture: () => setPicture(undefined),
      played: () => setPlayed(undefined),
    },
  };
}

interface TaskCardProps {
  row: TaskRow;
  acts: TaskActs;
  /** The row's ⋯. */
  menu: ReactNode;
  /** Where the table has the column, too. */
  hasStatus: boolean;
}

/** A task on a phone: what was asked for, how far it is, what it cost; everything else is in its details. */
function TaskCard({ row, acts, menu, hasStatus }: TaskCardProps) {
  const { t } = useTranslation("tasks");
  const text = failText(t, row) || row.prompt;
  return (
    <RowCard>
      <RowCardHead state={hasStatus && <StatusOf row={row} />} menu={menu}>
        <ActionTag row={row} />
      </RowCardHead>
      {text !== "" && (
        <p className={styles.cardText} data-tone={failText(t, row) === "" ? undefined : "failure"}>
          <bdi>{visible(text)}</bdi>
        </p>
      )}
      <RowCardLine>
        <ProgressOf row={row} />
        <Spent row={row} />
      </RowCardLine>
      <RowCardLine>
        <span className={styles.second}>
          <Moment atS={row.submitS} />
        </span>
        <CostOf row={row} />
      </RowCardLine>
      {row.pictureUrl !== "" && (
        <div>
          <PictureButton row={row} onPicture={acts.onPicture} />
        </div>
      )}
    </RowCard>
  );
}

const TextDialog = lazy(async () => ({ default: (await import("./text-dialog.tsx")).TextDialog }));
const RecordDrawer = lazy(async () => ({ default: (await import("./record-drawer.tsx")).RecordDrawer }));
const PictureViewer = lazy(async () => ({
  default: (await import("../../ui/media/picture-viewer.tsx")).PictureViewer,
}));

const Played = lazy(async () => {
  const [{ Played: part }] = await Promise.all([import("./studio/played.tsx"), loadTexts("tasks.studio")]);
  return { default: part };
});

const ROW_HEIGHT = 38;
const glyph = { size: 15, stroke: 1.5 } as const;
/** By the log, whose name is also that under which the browser keeps the settings of its table. */
const COLUMNS = { drawing: imageColumns, tasks: taskColumns } as const;

/** Nothing in the period, or nothing ever: then how it begins. */
function Nothing({ kind, list, isAdmin }: { kind: LogKind; list: TaskList; isAdmin: boolean }) {
  const { t } = useTranslation("tasks");
  const any = useQuery(anyTasksQuery(kind, isAdmin));
  if (any.data === undefined) return null;
  if (any.data)
    return (
      <Empty
        title={t("empty.period")}
        sentence={t("empty.periodText")}
        actions={
          <Button variant="filled" onClick={() => list.setFilters({ start_timestamp: "1" })}>
            {t("empty.all")}
          </Button>
        }
      />
    );
  return (
    <Empty
      title={t(`${kind}.empty`)}
      sentence={t(`${kind}.emptyText`)}
      actions={
        <Link to={isAdmin ? "/channel/add" : "/token"}>
          <Button component="span" variant="filled">
            {t(isAdmin ? "empty.channel" : "empty.token")}
          </Button>
        </Link>
      }
    />
  );
}

/** A notice that only the poller brings the progress of image tasks while upstreams may not send notifications. */
function NotificationsOff() {
  const { t } = useTranslation("tasks");
  return (
    <div className={styles.banner}>
      <Notice tone="blue">
        {t("notifyOff")}{" "}
        <Link to="/setting" search={{ option: "MjNotifyEnabled" }}>
          {t("notifySetting")}
        </Link>
      </Notice>
    </div>
  );
}

const rowNameOf = (t: T, row: TaskRow): string =>
  [visible(actionText(t, row.action)), formatDateTime(row.submitS)].join(t("comma"));

/** The dialog that a cell opened: a text, the record, a picture. */
function Opened({ opened, rows }: { opened: ReturnType<typeof useTaskActs>; rows: readonly TaskRow[] }) {
  const { text, record, picture, played, close } = opened;
  const pictures = useMemo(
    () =>
      rows.flatMap((row) => {
        const address = pictureOf(row, window.location.origin);
        return address === undefined ? [] : [{ id: String(row.id), address, caption: row.prompt }];
      }),
    [rows],
  );
  return (
    <Suspense fallback={null}>
      {text !== undefined && <TextDialog shown={text ?? undefined} onClose={close.text} />}
      {record !== undefined && <RecordDrawer row={record} onClose={close.record} />}
      {played !== undefined && <Played row={played} onClose={close.played} />}
      {picture !== undefined && (
        <PictureViewer pictures={pictures} shown={picture} onShow={opened.showPicture} onClose={close.picture} />
      )}
    </Suspense>
  );
}

function TaskLog({ kind }: { kind: LogKind }) {
  const { t } = useTranslation("tasks");
  const isAdmin = useMay("logs");
  const list = useListState(FILTERS, ROW_HEIGHT);
  const view = useMemo(() => viewOf(kind, isAdmin, list), [kind, isAdmin, list]);
  const query = useQuery(tasksQuery(view, list.page, list.size));
  const [openedAtMs] = useState(() => Date.now());
  const opened = useTaskActs(list);
  const { acts } = opened;
  const total = query.data?.total ?? 0;
  const rows = query.data?.rows;
  const menu = (row: TaskRow) => (
    <RowMenu
      about={rowNameOf(t, row)}
      items={[
        { label: t("openRecord"), icon: <IconBraces {...glyph} />, onPick: () => acts.onRecord(row) },
        { label: t("openLog"), icon: <IconListDetails {...glyph} />, onPick: () => opened.openLog(row) },
        ...(row.prompt === ""
          ? []
          : [{ label: t("openStudio"), icon: <IconPalette {...glyph} />, onPick: () => opened.openStudio(row) }]),
      ]}
    />
  );
  useStatus();
  const isNotified = isStoredTrue(STORAGE.isDrawingNotified);
  return (
    <Page
      title={t(`${kind}.title`)}
      purpose={t(`${kind}.${isAdmin ? "purpose" : "ownPurpose"}`)}
      actions={
        <Link to="/studio" {...buttonLook()}>
          <IconPalette size={15} stroke={1.5} aria-hidden />
          {t("toStudio")}
        </Link>
      }
    >
      {kind === "drawing" && isAdmin && !isNotified && <NotificationsOff />}
      <DataTable
        name={kind}
        label={t(`${kind}.title`)}
        columns={COLUMNS[kind]({ t, isAdmin, acts })}
        list={list}
        rowKey={(row) => String(row.id)}
        rowName={(row) => rowNameOf(t, row)}
        rowHeight={ROW_HEIGHT}
        data={queryRows(query, rows, total)}
        filters={<TaskFilters list={list} view={view} askedAtMs={query.dataUpdatedAt || openedAtMs} />}
        hasManyFilters
        openedRow={(row) => <Details row={row} acts={acts} />}
        actions={menu}
        actionsWidth={44}
        card={(row) => <TaskCard row={row} acts={acts} menu={menu(row)} hasStatus={isAdmin || kind === "tasks"} />}
        empty={<Nothing kind={kind} list={list} isAdmin={isAdmin} />}
        count={t(total >= TASK_TOTAL_CAP ? `${kind}.countCapped` : `${kind}.count`, {
          count: total,
          formatted: formatNumber(total),
        })}
        errorTitle={t(`${kind}.notLoaded`)}
      />
      <Opened opened={opened} rows={rows ?? []} />
    </Page>
  );
}

export const ImageTasksPage = () => <TaskLog kind="drawing" />;
export const TasksPage = () => <TaskLog kind="tasks" />;
