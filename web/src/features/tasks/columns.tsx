/** The columns of both logs, in their order; those of channels, people and the upstream's answer are for administrators. */
import type { Column } from "../../ui/data-table/columns.ts";
import {
  ActionTag,
  ChannelTag,
  CodeTag,
  CostCell,
  failText,
  Moment,
  PictureButton,
  platformText,
  ProgressOf,
  ResultButton,
  Spent,
  StatusOf,
  type T,
  type TaskActs,
  TaskId,
  TextOf,
  UserOf,
} from "./cells.tsx";
import type { TaskRow } from "./model/task-row.ts";
import { resultKind } from "./result.tsx";

interface Options {
  t: T;
  isAdmin: boolean;
  acts: TaskActs;
}

const submitted = ({ t }: Options): Column<TaskRow> => ({
  id: "submitted",
  header: t("column.submitted"),
  width: 148,
  cell: (row) => <Moment atS={row.submitS} />,
});
const spent = ({ t }: Options): Column<TaskRow> => ({
  id: "spent",
  header: t("column.spent"),
  width: 100,
  dropPriority: 4,
  cell: (row) => <Spent row={row} />,
});
const progress = ({ t }: Options): Column<TaskRow> => ({
  id: "progress",
  header: t("column.progress"),
  width: 88,
  dropPriority: 3,
  cell: (row) => <ProgressOf row={row} />,
});
const status = ({ t }: Options): Column<TaskRow> => ({
  id: "status",
  header: t("column.status"),
  width: 126,
  cell: (row) => <StatusOf row={row} />,
});
const taskId = ({ t, acts }: Options): Column<TaskRow> => ({
  id: "taskId",
  header: t("column.taskId"),
  width: 92,
  dropPriority: 7,
  cell: (row) => <TaskId row={row} onRecord={acts.onRecord} />,
});
const cost = ({ t }: Options): Column<TaskRow> => ({
  id: "cost",
  header: t("column.cost"),
  width: 92,
  isNumeric: true,
  cell: (row) => <CostCell row={row} />,
});
const failed = ({ t, isAdmin, acts }: Options): Column<TaskRow> => ({
  id: "failed",
  header: t("column.failed"),
  // Where channels and people stand beside it there is less room.
  width: isAdmin ? 76 : 92,
  dropPriority: 6,
  cell: (row) => <TextOf text={failText(t, row)} title={t("column.failed")} tone="failure" onText={acts.onText} />,
});

/** The channel and the owner. */
const origin = ({ t, isAdmin, acts }: Options): Column<TaskRow>[] =>
  isAdmin
    ? [
        {
          id: "channel",
          header: t("column.channel"),
          width: 162,
          dropPriority: 8,
          cell: (row) => <ChannelTag row={row} />,
        },
        {
          id: "user",
          header: t("column.user"),
          width: 104,
          dropPriority: 10,
          cell: (row) => <UserOf row={row} onUser={acts.onUser} />,
        },
      ]
    : [];

/** Status and the upstream's answer are for administrators here: everyone sees the progress bar. */
export function imageColumns(options: Options): Column<TaskRow>[] {
  const { t, isAdmin, acts } = options;
  const answer: Column<TaskRow>[] = [
    {
      id: "code",
      header: t("column.code"),
      width: 100,
      dropPriority: 11,
      cell: (row) => <CodeTag row={row} />,
    },
    { ...status(options), dropPriority: 2 },
  ];
  return [
    submitted(options),
    spent(options),
    ...origin(options),
    { id: "action", header: t("column.action"), width: 126, dropPriority: 1, cell: (row) => <ActionTag row={row} /> },
    taskId(options),
    ...(isAdmin ? answer : []),
    progress(options),
    {
      id: "picture",
      header: t("column.picture"),
      width: 100,
      cell: (row) => <PictureButton row={row} onPicture={acts.onPicture} />,
    },
    {
      id: "prompt",
      header: t("column.prompt"),
      width: 116,
      dropPriority: 9,
      cell: (row) => <TextOf text={row.prompt} title={t("column.prompt")} onText={acts.onText} />,
    },
    {
      id: "promptEn",
      header: t("column.promptEn"),
      width: 120,
      dropPriority: 12,
      cell: (row) => <TextOf text={row.promptEn} title={t("column.promptEn")} onText={acts.onText} />,
    },
    failed(options),
    cost(options),
  ];
}

export function taskColumns(options: Options): Column<TaskRow>[] {
  const { t, acts } = options;
  return [
    submitted(options),
    {
      id: "finished",
      header: t("column.finished"),
      width: 148,
      dropPriority: 9,
      cell: (row) => <Moment atS={row.finishS} />,
    },
    progress(options),
    spent(options),
    ...origin(options),
    {
      id: "platform",
      header: t("column.platform"),
      width: 76,
      dropPriority: 5,
      cell: (row) => platformText(t, row.platform),
    },
    { id: "action", header: t("column.action"), width: 92, dropPriority: 1, cell: (row) => <ActionTag row={row} /> },
    taskId(options),
    status(options),
    {
      id: "result",
      header: t("column.result"),
      width: 84,
      dropPriority: 2,
      cell: (row) => <ResultButton row={row} kind={resultKind(row)} onPlay={acts.onPlay} onText={acts.onText} />,
    },
    failed(options),
    cost(options),
  ];
}
