/** Next steps after a channel was created: a test of it, and a token that may call it. */
import { ActionIcon, Button } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconKey, IconPlayerPlay, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDurationMs } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import styles from "./created.module.css";
import { useTestChannel } from "./mutations.ts";

/** Channels that were just made. */
export interface Created {
  ids: readonly number[];
  name: string;
  /** Their provider has something that can be tested. */
  canTest: boolean;
}

function useTestOf({ ids, name }: Created) {
  const { t } = useTranslation("channels");
  const test = useTestChannel();
  const [id] = ids;
  const said = (): ReactNode => {
    if (test.isSuccess) return t("created.passed", { time: formatDurationMs(test.data) });
    return test.isError ? t("created.failed", { reason: describeError(test.error).message }) : t("created.next");
  };
  return {
    run: () => void (id !== undefined && test.mutate({ channel: { id, name }, isQuiet: true })),
    isRunning: test.isPending,
    hasFailed: test.isError,
    said: said(),
  };
}

/** Above the list until it is closed or the page is left. */
export function CreatedPanel({ created, onClose }: { created: Created; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const test = useTestOf(created);
  const count = created.ids.length;
  const name = visible(created.name);
  return (
    <section className={styles.panel} aria-label={t("created.label")}>
      {test.hasFailed ? (
        <IconAlertTriangle size={18} stroke={1.5} className={styles.icon} data-tone="amber" aria-hidden />
      ) : (
        <IconCircleCheck size={18} stroke={1.5} className={styles.icon} aria-hidden />
      )}
      <div className={styles.words} role="status">
        <b>{count === 1 ? t("created.title", { name }) : t("created.titleMany", { count, name })}</b>
        <span data-tone={test.hasFailed ? "red" : undefined}>{count === 1 ? test.said : t("created.nextMany")}</span>
      </div>
      <div className={styles.acts}>
        {count === 1 && created.canTest && (
          <BusyButton
            leftSection={<IconPlayerPlay size={14} stroke={1.5} />}
            isBusy={test.isRunning}
            onClick={test.run}
          >
            {t(test.hasFailed ? "created.testAgain" : "created.test")}
          </BusyButton>
        )}
        {test.hasFailed && (
          <Link to="/channel/edit/$id" params={{ id: String(created.ids[0]) }}>
            <Button component="span" variant="filled" leftSection={<IconKey size={14} stroke={1.5} />}>
              {t("created.change")}
            </Button>
          </Link>
        )}
        {!test.hasFailed && (
          <Link to="/token" search={{ open: "create" }} className={styles.link ?? ""}>
            {t("created.token")}
          </Link>
        )}
      </div>
      <ActionIcon variant="subtle" size={28} aria-label={t("created.close")} onClick={onClose}>
        <IconX size={15} stroke={1.5} />
      </ActionIcon>
    </section>
  );
}
