/** The functions a model may ask for, as JSON; the editor opens in place once somebody wants tools. */
import { Button } from "@mantine/core";
import { IconTool } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { TOOLS_TEMPLATE, toolsOf } from "../model/tools.ts";
import type { Chat } from "../use-chat.ts";
import styles from "./panel.module.css";

const JsonEditor = lazy(async () => ({ default: (await import("../../../ui/form/json-editor.tsx")).JsonEditor }));

export function ToolsField({ chat }: { chat: Chat }) {
  const { t } = useTranslation("playground");
  const { tools: text } = chat.current;
  const [isOpen, setIsOpen] = useState(text !== "");
  const found = toolsOf(text);
  if (!isOpen)
    return (
      <Button leftSection={<IconTool size={15} stroke={1.5} />} onClick={() => setIsOpen(true)}>
        {t("tools.add")}
      </Button>
    );
  const help = typeof found === "string" ? "" : t("tools.count", { count: found.length });
  return (
    <Suspense fallback={<div className={styles.loading} />}>
      <JsonEditor
        label={t("tools.label")}
        isOptional
        value={text}
        onChange={chat.acts.setTools}
        template={TOOLS_TEMPLATE}
        help={help}
        error={typeof found === "string" ? t(`tools.problem.${found}`) : undefined}
      />
    </Suspense>
  );
}
