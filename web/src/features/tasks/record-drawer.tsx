/** The whole record of a task as JSON. */
import { useTranslation } from "../../lib/i18n.ts";
import { CodeBlock } from "../../ui/display/code-block.tsx";
import { SideDrawer } from "../../ui/form/form-drawer.tsx";
import type { TaskRow } from "./model/task-row.ts";

/** Open while it is drawn. */
export function RecordDrawer({ row, onClose }: { row: TaskRow; onClose: () => void }) {
  const { t } = useTranslation("tasks");
  return (
    <SideDrawer isOpen onClose={onClose} title={t("record.title")}>
      <CodeBlock code={JSON.stringify(row.sent, null, 2)} language="json" title="JSON" />
    </SideDrawer>
  );
}
