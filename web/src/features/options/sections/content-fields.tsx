/** Texts of the operator with what visitors will see of them: the same renderer draws both, so nothing in a preview runs either. */
import { Suspense, useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { type Content, contentOf } from "../../../ui/content/content-of.ts";
import { OperatorText } from "../../../ui/content/operator-page.tsx";
import { SafeHtml } from "../../../ui/display/safe-html.tsx";
import type { FieldProps } from "../draft/settings.ts";
import { TextField } from "../fields/plain-fields.tsx";
import styles from "./content-fields.module.css";

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
