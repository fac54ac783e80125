/** A task on a phone: what was asked for, how far it is, what it cost; everything else is in its details. */
import type { ReactNode } from "react";
import { visible } from "../../lib/names.ts";
import { RowCard, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import {
  ActionTag,
  CostOf,
  failText,
  Moment,
  PictureButton,
  ProgressOf,
  Spent,
  StatusOf,
  type TaskActs,
} from "./cells.tsx";
import type { TaskRow } from "./model/task-row.ts";
import { useTranslation } from "react-i18next";
import styles from "./tasks.module.css";

interface TaskCardProps {
  row: TaskRow;
  acts: TaskActs;
  /** The row's ⋯. */
  menu: ReactNode;
  /** Where the table has the column, too. */
  hasStatus: boolean;
}

export function TaskCard({ row, acts, menu, hasStatus }: TaskCardProps) {
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
