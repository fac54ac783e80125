/** What cells, cards and details of both logs open, one at a time of each kind. */
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { TaskActs } from "./cells.tsx";
import type { TaskRow } from "./model/task-row.ts";
import type { TaskList } from "./queries.ts";
import type { ShownText } from "./text-dialog.tsx";

/** `text` is undefined until one was asked for, and null while its dialog is closed. */
export function useTaskActs(list: TaskList) {
  const [text, setText] = useState<ShownText | null>();
  const [record, setRecord] = useState<TaskRow>();
  const [picture, setPicture] = useState<string>();
  const navigate = useNavigate();
  const { setFilters } = list;
  const acts: TaskActs = useMemo(
    () => ({
      onText: (title, whole) => setText({ title, text: whole }),
      onRecord: setRecord,
      onPicture: ({ id }) => setPicture(String(id)),
      onUser: (username) => setFilters({ username }),
    }),
    [setFilters],
  );
  return {
    acts,
    text,
    record,
    picture,
    showPicture: setPicture,
    openLog: ({ requestId }: TaskRow) => void navigate({ to: "/log", search: { request_id: requestId } }),
    close: {
      text: () => setText(null),
      record: () => setRecord(undefined),
      picture: () => setPicture(undefined),
    },
  };
}
