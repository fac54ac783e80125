/** Code that calls a model in every dialect that the gateway speaks: that of the drawer that connects applications, with a place for the key. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ModelKind } from "../../../../../contract/src/pricing/model-kind.ts";
import { serverAddress, useStatus } from "../../../lib/status.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { Card } from "../../../ui/display/card.tsx";
import { CodeBlock } from "../../../ui/display/code-block.tsx";
import { operationOf, type SnippetId, snippetsFor } from "../../../ui/display/connect-snippets.ts";
import { PageTabs } from "../../../ui/page-tabs.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import styles from "./detail.module.css";

/** Stands where the token goes. */
const KEY = "sk-YOUR-TOKEN";

/** Nothing for models that neither chat nor embed, for which there is no ready code. */
export function CodeCard({ model, kind }: { model: string; kind: ModelKind }) {
  const { t } = useTranslation("tokens");
  useStatus();
  const viewer = useViewer();
  const [open, setOpen] = useState<SnippetId>("curl");
  if (kind !== "chat" && kind !== "embeddings") return null;
  const operation = kind === "embeddings" ? kind : operationOf(model);
  const connection = { baseUrl: `${serverAddress()}/v1`, key: KEY, model, operation };
  const snippets = snippetsFor(operation);
  const snippet = snippets.find(({ id }) => id === open) ?? snippets[0];
  return (
    <Card
      title={t("pricing-model:code")}
      text={t("pricing-model:codeText", { key: KEY })}
      action={
        viewer !== null && (
          <Link {...buttonLook()} to="/token">
            {t("pricing-model:toTokens")}
          </Link>
        )
      }
    >
      <PageTabs
        label={t("pricing-model:code")}
        tabs={snippets.map(({ id }) => ({ name: id, text: t(`connectDrawer.tabs.${id}`) }))}
        open={snippet?.id ?? "curl"}
        onOpen={setOpen}
      />
      {snippet !== undefined && (
        <div className={styles.code}>
          <p className={styles.words}>{t(`pricing-model:words.${snippet.id}`)}</p>
          {snippet.install !== "" && (
            <CodeBlock title={t("connectDrawer.once")} language="shell" code={snippet.install} />
          )}
          {snippet.parts.map(({ id, language, code }) => (
            <CodeBlock key={id} title={t(`connectDrawer.blocks.${id}`)} language={language} code={code(connection)} />
          ))}
        </div>
      )}
    </Card>
  );
}
