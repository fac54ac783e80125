/** Code that calls a model in every dialect that the gateway speaks: the libraries of the page that connects programs, with a place for the key. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { canUse, operationOf, PROGRAMS } from "../../../../../contract/src/connect/programs.ts";
import type { ModelKind } from "../../../../../contract/src/pricing/model-kind.ts";
import { serverAddress, useStatus } from "../../../lib/status.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { Card } from "../../../ui/display/card.tsx";
import { CodeBlock } from "../../../ui/display/code-block.tsx";
import { PageTabs } from "../../../ui/page-tabs.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import styles from "./detail.module.css";

/** Stands where the token goes. */
const KEY = "sk-YOUR-TOKEN";
/** The same in a sentence, whose lines do not end inside it. */
const WHOLE_KEY = KEY.replaceAll("-", "-\u2060");

/** Nothing for models that neither chat nor embed, for which there is no ready code. */
export function CodeCard({ model, kind }: { model: string; kind: ModelKind }) {
  const { t } = useTranslation("pricing");
  useStatus();
  const viewer = useViewer();
  const [open, setOpen] = useState("curl");
  if (kind !== "chat" && kind !== "embeddings") return null;
  const operation = kind === "embeddings" ? kind : operationOf(model);
  const connection = { origin: serverAddress(), key: KEY, model, operation };
  const programs = PROGRAMS.filter((each) => each.codes !== undefined && canUse(each, operation));
  const program = programs.find(({ id }) => id === open) ?? programs[0];
  return (
    <Card
      title={t("page.code")}
      text={t("page.codeText", { key: WHOLE_KEY })}
      action={
        viewer !== null && (
          <Link {...buttonLook()} to="/token">
            {t("page.toTokens")}
          </Link>
        )
      }
    >
      <PageTabs
        label={t("page.code")}
        tabs={programs.map(({ id, title }) => ({ name: id, text: title }))}
        open={program?.id ?? "curl"}
        onOpen={setOpen}
      />
      {program !== undefined && (
        <div className={styles.code}>
          <p className={styles.words}>{t(`page.words.${program.family}`)}</p>
          {program.install !== undefined && (
            <CodeBlock title={t("page.once")} language="shell" code={program.install} />
          )}
          {program.codes?.map(({ id, title, language, code }) => (
            <CodeBlock key={id} title={title} language={language} code={code(connection)} />
          ))}
        </div>
      )}
    </Card>
  );
}
