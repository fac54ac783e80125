/** A line that writes a program's files: made at a click, fetched once. */
import type { Program, Shell } from "../../../../../contract/src/connect/program.ts";
import { isInstalled } from "../../../../../contract/src/connect/install-script.ts";
import { SETUP_LINK_SECONDS } from "../../../../../contract/src/connect/setup-links.ts";
import { TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { formatClock } from "../../../lib/format.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { CodeBlock } from "../../../ui/display/code-block.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import styles from "./connect.module.css";
import { useSetupLink } from "./queries.ts";

interface InstallLineProps {
  program: Program;
  token: TokenRow;
  model: string;
  shell: Shell;
}

/** Nothing for programs whose files no script writes. */
export function InstallLine({ program: { id: program }, token, model, shell }: InstallLineProps) {
  const { t } = useTranslation("connect");
  const link = useSetupLink(token.id);
  if (!isInstalled(program)) return null;
  const written = shell === "powershell" ? "powershell" : "sh";
  const made = link.data !== undefined && link.variables.shell === written && link.variables.model === model;
  const make = () =>
    link.mutate({ program, shell: written, model }, { onError: (error) => toast.error(error, t("install.failed")) });
  return (
    <section className={styles.install}>
      <h3 className={styles.appTitle}>{t("install.title")}</h3>
      <p className={styles.words}>{t("install.text", { minutes: SETUP_LINK_SECONDS / 60 })}</p>
      {made && (
        <>
          <CodeBlock
            title={t("install.command", { shell: t(`shells.${shell}`) })}
            language="shell"
            code={link.data.command}
          />
          <p className={styles.words}>{t("install.once", { time: formatClock(link.data.expires_time) })}</p>
        </>
      )}
      <BusyButton
        isBusy={link.isPending}
        disabled={token.status !== TOKEN_STATUS.enabled}
        onClick={make}
        className={styles.make ?? ""}
      >
        {t(made ? "install.again" : "install.make")}
      </BusyButton>
    </section>
  );
}
