/** The fields and parts of the tab Other in one file, so that the tab loads one more script and not one for each part. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useDeferredValue } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { type Content, contentOf } from "../../../ui/content/content-of.ts";
import { OperatorText } from "../../../ui/content/operator-page.tsx";
import { SafeHtml } from "../../../ui/display/safe-html.tsx";
import type { FieldProps, SectionDraft } from "../draft/settings.ts";
import { TextField } from "../fields/plain-fields.tsx";
import styles from "./content-fields.module.css";
export { Acceptances } from "./acceptances.tsx";
export { HeaderEntriesField, SidebarEntriesField } from "../fields/bars-fields.tsx";
export { RecordsField } from "../fields/records-field.tsx";
import { checkForUpdate, getSystemInfo, type UpdateCheck } from "../../../../../contract/src/features/options.ts";
import { call } from "../../../lib/api.ts";
import { Time } from "../../../ui/display/time.tsx";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import sectionsStyles from "./sections.module.css";

const DATABASES: Readonly<Record<string, string>> = { sqlite: "SQLite", postgres: "PostgreSQL", mysql: "MySQL" };

function Facts() {
  const { t } = useTranslation(["options", "ui"]);
  const query = useQuery({
    queryKey: ["options", "system"],
    queryFn: ({ signal }) => call(getSystemInfo, { signal }),
  });
  const { data } = query;
  const facts = [
    ["version", data?.version],
    ["started", data && <Time atS={data.start_time} />],
    ["database", data && (DATABASES[data.database_type] ?? data.database_type)],
    ["node", data?.node_version],
  ] as const;
  const proxy = data?.untrusted_proxy;
  const list = (
    <dl className={sectionsStyles.facts} aria-busy={data === undefined && query.error === null}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{t(`system.${name}`)}</dt>
          <dd>{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
  if (query.error !== null && data === undefined)
    return (
      // In the room of the facts, so that nothing below moves.
      <div className={sectionsStyles.instead}>
        {list}
        <Notice tone="red">
          {t("system.notLoaded", { message: query.error.message })}{" "}
          <button type="button" className={sectionsStyles.link} onClick={() => void query.refetch()}>
            {t("ui:error.retry")}
          </button>
        </Notice>
      </div>
    );
  return (
    <>
      {list}
      {proxy !== undefined && (
        <Notice tone="amber">
          {t(proxy.is_private ? "system.untrustedProxy" : "system.untrustedAddress", { address: proxy.address })}
        </Notice>
      )}
    </>
  );
}

function Found({ found }: { found: UpdateCheck }) {
  const { t } = useTranslation("options");
  const { relation, latest, current, name, notes, url } = found;
  return (
    <div className={sectionsStyles.result} role="status">
      <Notice tone={relation === "newer" ? "amber" : "blue"}>
        {t(`update.${relation}`, { latest, current })}{" "}
        {url !== "" && (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {t("update.page")}
          </a>
        )}
      </Notice>
      {notes !== "" && relation !== "same" && (
        <div className={sectionsStyles.notes} role="region" aria-label={t("update.notes")} tabIndex={0}>
          {name !== "" && <h3>{name}</h3>}
          <Suspense fallback={null}>
            <OperatorText content={{ kind: "markdown", text: notes }} />
          </Suspense>
        </div>
      )}
    </div>
  );
}

/** Versions of this server, and whether there is a newer release. */
export function SystemInfo({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const { row, isDirty } = draft.option("UpdateCheckUrl");
  const check = useMutation({
    mutationFn: () => call(checkForUpdate, {}),
    meta: { showsOwnError: true },
  });
  const isOff = row.value === "";
  return (
    <>
      <Facts />
      <div className={sectionsStyles.row}>
        <div className={sectionsStyles.words}>
          <div className={sectionsStyles.label}>{t("update.label")}</div>
          <p className={sectionsStyles.help}>
            {isDirty ? t("update.saveFirst") : t(isOff ? "update.off" : "update.help", { address: row.value })}
          </p>
        </div>
        <BusyButton isBusy={check.isPending} disabled={isOff || isDirty} onClick={() => check.mutate()}>
          {t("update.check")}
        </BusyButton>
        {check.error !== null && (
          <div className={sectionsStyles.result}>
            <Notice tone="red">{check.error.message}</Notice>
          </div>
        )}
        {check.data !== undefined && <Found found={check.data} />}
      </div>
    </>
  );
}

/** Another site is named only: it is loaded once visitors open the page, not while its address is typed. */
function Drawn({ content }: { content: Exclude<Content, { kind: "none" }> }) {
  const { t } = useTranslation("options");
  if (content.kind !== "frame") return <OperatorText content={content} />;
  return (
    <p className={styles.frame}>
      {t("preview.frame")}{" "}
      <a href={content.address.href} target="_blank" rel="noopener noreferrer">
        {content.address.href}
      </a>
    </p>
  );
}

function Preview({ text, isHtml }: { text: string; isHtml: boolean }) {
  const { t } = useTranslation("options");
  const content = contentOf(text);
  if (content.kind === "none") return null;
  return (
    <div className={styles.place} role="region" aria-label={t("preview.label")} tabIndex={0}>
      <span className={styles.label} aria-hidden>
        {t("preview.label")}
      </span>
      <Suspense fallback={null}>
        {isHtml ? <SafeHtml className={styles.footer ?? ""} html={text} /> : <Drawn content={content} />}
      </Suspense>
    </div>
  );
}

/** Announcement, home page and about page: Markdown, HTML, or the address of a page that is framed. */
export function ContentField(props: FieldProps) {
  const text = useDeferredValue(props.field.text);
  return (
    <>
      <TextField {...props} />
      <Preview text={text} isHtml={false} />
    </>
  );
}

/** The footer is HTML, whatever it begins with. */
export function FooterField(props: FieldProps) {
  const text = useDeferredValue(props.field.text);
  return (
    <>
      <TextField {...props} />
      <Preview text={text} isHtml />
    </>
  );
}
export { DarkLogoField, FaviconField, LogoField } from "./picture-fields.tsx";
