/** The tools a model wants called, with their arguments as it wrote them. */
import { IconTool } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { visible } from "../../../lib/names.ts";
import type { ToolCall } from "../model/conversation.ts";
import styles from "./thread.module.css";

/** JSON with line breaks where it is whole; what is still coming as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  const { t } = useTranslation("playground");
  return (
    <ul className={styles.calls} aria-label={t("tools.calls")}>
      {calls.map((call, index) => (
        <li key={index}>
          <div className={styles.callHead}>
            <IconTool size={14} stroke={1.5} aria-hidden />
            <span className="mono">{visible(call.name)}</span>
          </div>
          <pre className={styles.toolText}>{indented(call.arguments)}</pre>
        </li>
      ))}
    </ul>
  );
}
