/** The preview below the rules of a parameter override: its result on a pasted body, by the relay's own engine. */
import { Button, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hasText, translate, useTranslation } from "../../../lib/i18n.ts";
import { previewOverride } from "../../../../../contract/src/channels/override-preview.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { FieldError } from "../../../ui/form/fields.tsx";
import styles from "./override.module.css";

const SAMPLE = JSON.stringify(
  { model: "gpt-4o", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
  null,
  2,
);

type Preview = Awaited<ReturnType<typeof preview>>;
const preview = (body: { param_override: string; body: string }) => call(previewOverride, { body });

/** Mode and path of a rule, with the mode as the rule's own row names it. */
function ruleText(applied: string): string {
  const [mode = "", ...path] = applied.split(" ");
  const name = `channel-editor:rules.modes.${mode}`;
  return hasText(name) ? [translate(name), ...path].join(" ") : applied;
}

function Outcome({ made }: { made: Preview }) {
  const { t } = useTranslation("channel-editor");
  const { applied, body, headers, refusal, fault } = made;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section className={styles.outcome} aria-label={t("rules.preview.result")}>
      {fault !== null && <FieldError error={t("rules.preview.fault", { fault })} />}
      {refusal !== null && <p>{t("rules.preview.refusal", { status: refusal.status, message: refusal.message })}</p>}
      <p>
        {applied.length === 0
          ? t("rules.preview.nothing")
          : t("rules.preview.applied", { rules: applied.map(ruleText).join(t("rules.preview.comma")) })}
      </p>
      {lines.length > 0 && (
        <pre className={`mono ${styles.text}`} aria-label={t("rules.preview.headers")}>
          {lines.join("\n")}
        </pre>
      )}
      {refusal === null && fault === null && (
        // The scroller is reached by the keyboard.
        <pre className={`mono ${styles.text}`} aria-label={t("rules.preview.body")} tabIndex={0}>
          {body}
        </pre>
      )}
    </section>
  );
}

export function OverridePreview({ text }: { text: string }) {
  const { t } = useTranslation("channel-editor");
  const [body, setBody] = useState(SAMPLE);
  const { mutate, data, error, isPending } = useMutation({ mutationFn: preview, meta: { showsOwnError: true } });
  return (
    <div className={styles.preview}>
      <Textarea
        className={styles.json ?? ""}
        label={t("rules.preview.sample")}
        autosize
        minRows={3}
        maxRows={12}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
      />
      <Button variant="default" loading={isPending} onClick={() => mutate({ param_override: text, body })}>
        {t("rules.preview.try")}
      </Button>
      {error !== null && <FieldError error={error instanceof ApiError ? error.message : String(error)} />}
      {data !== undefined && error === null && <Outcome made={data} />}
    </div>
  );
}
