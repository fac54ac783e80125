/** What can be tested in the test dialog, one row each with its result, and the acts on all of them. */
import { Button } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Progress } from "../../ui/display/progress.tsx";
import { ResponseTag } from "../../ui/display/tags.tsx";
import styles from "./dialogs.module.css";
import type { TestBatch, TestResult } from "./test-batch.ts";

interface TestRowProps {
  name: string;
  note: string | undefined;
  result: TestResult | undefined;
  onTest: () => void;
}

export function TestRow({ name, note, result, onTest }: TestRowProps) {
  const { t } = useTranslation("channels");
  return (
    <li className={styles.model}>
      <div className={styles.modelText}>
        <span className="mono">{name}</span>
        {note !== undefined && <span className={styles.note}>{note}</span>}
        <div aria-live="polite" className={styles.failed}>
          {result?.kind === "failed" && result.message}
        </div>
      </div>
      <span aria-live="polite">
        {result?.kind === "passed" && <ResponseTag ms={Math.max(1, Math.round(result.ms))} />}
      </span>
      <BusyButton
        size="xs"
        leftSection={<IconPlayerPlay size={13} stroke={1.5} />}
        isBusy={result?.kind === "running"}
        aria-label={t("test.with", { model: name })}
        onClick={onTest}
      >
        {t("actions.test")}
      </BusyButton>
    </li>
  );
}

interface BatchActsProps {
  batch: TestBatch;
  /** What "test all" tests. */
  names: readonly string[];
  allLabel: string;
  /** What can be made of the results; shown while no batch runs. */
  more?: ReactNode;
  onClose: () => void;
}

/** Buttons take each other's place here: what stands there now gets the focus that the one before had. */
function useHandedFocus() {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) place.current?.querySelector("button")?.focus();
  });
  return place;
}

/** How far the batch under way is; once it has ended, how its tests did and what can be made of that. */
function BatchState({ batch: { progress, results }, names, more }: Pick<BatchActsProps, "batch" | "names" | "more">) {
  const { t } = useTranslation("channels");
  const countOf = (kind: TestResult["kind"]) => names.filter((name) => results[name]?.kind === kind).length;
  const [passed, failed] = [countOf("passed"), countOf("failed")];
  if (progress === undefined && passed + failed === 0) return null;
  return (
    <div className={styles.batch}>
      <span role="status">
        {progress === undefined ? t("test.summary", { passed, failed }) : t("test.progress", { ...progress })}
      </span>
      {progress === undefined ? (
        more
      ) : (
        <Progress percent={Math.round((progress.done / progress.total) * 100)} label={t("test.progressLabel")} />
      )}
    </div>
  );
}

/** Tests all that are shown, and stops them. */
export function BatchActs({ batch, names, allLabel, more, onClose }: BatchActsProps) {
  const { t } = useTranslation("channels");
  const { progress } = batch;
  const place = useHandedFocus();
  return (
    <>
      <BatchState batch={batch} names={names} more={more} />
      <div ref={place} className={styles.actions}>
        {names.length > 1 && progress === undefined && <Button onClick={() => batch.run(names)}>{allLabel}</Button>}
        {progress !== undefined && (
          <BusyButton isBusy={batch.isStopping} onClick={batch.stop}>
            {t("test.stop")}
          </BusyButton>
        )}
        <Button onClick={onClose}>{t("ui:close")}</Button>
      </div>
    </>
  );
}
