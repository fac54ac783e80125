/** A task on a phone: what was asked for, how far it is, what it cost; everything else is in its details. */
import type { ReactNode } from "react";
import { visible } from "../../lib/names.ts";
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
    <div className={styles.card}>
      <div className={styles.cardRow}>
        <ActionTag row={row} />
        <span className={styles.cardEnd}>
          {hasStatus && <StatusOf row={row} />}
          {menu}
        </span>
      </div>
      {text !== "" && (
        <p className={styles.cardText} data-tone={failText(t, row) === "" ? undefined : "failure"}>
          <bdi>{visible(text)}</bdi>
        </p>
      )}
      <div className={styles.cardRow}>
        <ProgressOf row={row} />
        <Spent row={row} />
      </div>
      <div className={styles.cardRow}>
        <span className={styles.second}>
          <Moment atS={row.submitS} />
        </span>
        <CostOf row={row} />
      </div>
      {row.pictureUrl !== "" && <PictureButton row={row} onPicture={acts.onPicture} />}
    </div>
  );
}
