/** What can be done with the log as a whole: export what is shown; for administrators, clear what is old. */
import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "../../ui/row-actions.tsx";
import { exportWithProgress } from "./export-view.ts";
import type { LogView } from "./queries.ts";

const ClearDialog = lazy(async () => ({ default: (await import("./clear-dialog.tsx")).ClearDialog }));

export function PageActions({ view }: { view: LogView }) {
  const { t } = useTranslation("logs");
  const [isClearing, setIsClearing] = useState(false);
  const [isExporting, setIsExporting] = useState(false);
  const start = async () => {
    setIsExporting(true);
    await exportWithProgress(view);
    setIsExporting(false);
  };
  return (
    <>
      <Button disabled={isExporting} onClick={() => void start()}>
        {t("export.action")}
      </Button>
      {view.isAdmin && (
        <RowMenu
          about={t("title")}
          items={[{ label: t("clear.action"), tone: "danger", onPick: () => setIsClearing(true) }]}
        />
      )}
      <Suspense>{isClearing && <ClearDialog isOpen onClose={() => setIsClearing(false)} />}</Suspense>
    </>
  );
}
