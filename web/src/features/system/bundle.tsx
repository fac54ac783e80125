/** The card of the support bundle: it is made, shown file by file, and then saved. */
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { saveFile } from "../../lib/download.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import { formatBytes } from "./part.tsx";
import { useSupportBundle } from "./queries.ts";
import styles from "./system.module.css";

/** `turnpike-support-2026-11-28.tar.gz`. */
const nameNow = (): string => `turnpike-support-${new Date().toISOString().slice(0, 10)}.tar.gz`;

const save = (archive: string): void =>
  saveFile(
    new Blob([Uint8Array.from(atob(archive), (each) => each.charCodeAt(0))], { type: "application/gzip" }),
    nameNow(),
  );

function File({ file: { name, text } }: { file: { name: string; text: string } }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.file} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className="mono">{name}</span>
        <span className={styles.size}>{formatBytes(new Blob([text]).size)}</span>
      </summary>
      {isOpen && (
        <pre className={styles.text} tabIndex={0}>
          {text}
        </pre>
      )}
    </details>
  );
}

export function BundleCard() {
  const { t } = useTranslation("system");
  const bundle = useSupportBundle();
  const make = (): void => bundle.mutate();
  const made = bundle.data;
  return (
    <Card
      title={t("bundle.title")}
      text={t("bundle.text")}
      action={
        <BusyButton variant="default" size="xs" isBusy={bundle.isPending} onClick={make}>
          {t(made === undefined ? "bundle.make" : "bundle.again")}
        </BusyButton>
      }
    >
      {bundle.error !== null && <ErrorState title={t("bundle.notMade")} error={bundle.error} onRetry={make} />}
      {made !== undefined && (
        <>
          <div>
            {made.files.map((file) => (
              <File key={file.name} file={file} />
            ))}
          </div>
          <PlainButton onClick={() => save(made.archive)}>{t("bundle.save")}</PlainButton>
        </>
      )}
    </Card>
  );
}
