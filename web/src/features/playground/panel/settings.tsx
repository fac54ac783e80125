/** What the lane's model is asked with: group, model, parameters that are remembered for the model, system prompt and tools. */
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { readStoredJson, STORAGE, writeStoredJson } from "../../../lib/storage.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { RatioTag } from "../../../ui/display/tags.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Field, FieldLink, FieldLinks } from "../../../ui/form/fields.tsx";
import { PlainField } from "../../../ui/plain.tsx";
import type { Lane } from "../model/conversation.ts";
import { type Parameters, parametersOf, remembered, SLIDERS, tokenLimit } from "../model/parameters.ts";
import { DEFAULT_SYSTEM } from "../model/prompt.ts";
import type { Chat } from "../use-chat.ts";
import styles from "./panel.module.css";
import { Slider } from "./slider.tsx";
import { ToolsField } from "./tools-field.tsx";

const modelContent = (model: string) => (
  <span className={styles.model}>
    <ModelMark model={model} size={18} />
    <span className="mono">{model}</span>
  </span>
);

function GroupField({ chat, lane }: { chat: Chat; lane: Lane }) {
  const { t } = useTranslation("playground");
  const id = useId();
  const { groups, choiceOf } = chat.offer;
  const { group, model } = choiceOf(lane);
  return (
    <Field label={t("group")} htmlFor={id}>
      <ChoiceOnUse
        id={id}
        labelledBy={`${id}-label`}
        choices={groups.map(({ name, description, ratio }) => ({
          value: name,
          text: description === "" || description === name ? name : `${name} · ${description}`,
          side: <RatioTag ratio={ratio} />,
        }))}
        value={group}
        onChange={(next) => chat.acts.choose(lane.id, { group: next, model })}
      />
    </Field>
  );
}

function ModelField({ chat, lane }: { chat: Chat; lane: Lane }) {
  const { t } = useTranslation("playground");
  const id = useId();
  const { group, model, models } = chat.offer.choiceOf(lane);
  const isNone = models.length === 0 && !chat.offer.isLoading;
  return (
    <Field label={t("model")} htmlFor={id} error={isNone && t("noModels")}>
      <ChoiceOnUse
        id={id}
        labelledBy={`${id}-label`}
        choices={models.map(({ model_name }) => ({
          value: model_name,
          text: model_name,
          content: modelContent(model_name),
        }))}
        value={model}
        onChange={(next) => chat.acts.choose(lane.id, { group, model: next })}
      />
    </Field>
  );
}

function ParameterFields({ model }: { model: string }) {
  const { t } = useTranslation("playground");
  const [parameters, setParameters] = useState(() => parametersOf(readStoredJson(STORAGE.playgroundParameters), model));
  const change = (next: Parameters) => {
    const changed = { ...parameters, ...next };
    setParameters(changed);
    const all = readStoredJson(STORAGE.playgroundParameters);
    writeStoredJson(STORAGE.playgroundParameters, remembered(all, model, changed));
  };
  return (
    <>
      {SLIDERS.map((name) => (
        <Slider key={name} name={name} value={parameters[name]} onChange={(value) => change({ [name]: value })} />
      ))}
      <PlainField
        label={t("parameters.max_tokens")}
        hint={t("parameters.max_tokensHelp")}
        placeholder={t("parameters.default")}
        inputMode="numeric"
        value={parameters.max_tokens ?? ""}
        onChange={({ currentTarget }) => change({ max_tokens: tokenLimit(currentTarget.value) })}
      />
    </>
  );
}

function SystemField({ chat }: { chat: Chat }) {
  const { t } = useTranslation("playground");
  const id = useId();
  const { system } = chat.current;
  return (
    <Field
      label={t("system.label")}
      htmlFor={id}
      help={t("system.help")}
      side={
        system !== DEFAULT_SYSTEM && (
          <FieldLinks>
            <FieldLink isQuiet onClick={() => chat.acts.setSystem(DEFAULT_SYSTEM)}>
              {t("parameters.reset")}
            </FieldLink>
          </FieldLinks>
        )
      }
    >
      <textarea
        id={id}
        className={styles.system}
        rows={4}
        value={system}
        placeholder={t("system.placeholder")}
        onChange={({ currentTarget }) => chat.acts.setSystem(currentTarget.value)}
      />
    </Field>
  );
}

export function Settings({ chat, lane }: { chat: Chat; lane: Lane }) {
  const { t } = useTranslation("playground");
  const { offer } = chat;
  if (offer.error) return <ErrorState title={t("notLoaded")} error={offer.error} onRetry={offer.retry} />;
  const { model } = offer.choiceOf(lane);
  return (
    <div className={styles.fields}>
      <GroupField chat={chat} lane={lane} />
      <ModelField chat={chat} lane={lane} />
      <ParameterFields key={model} model={model} />
      <SystemField chat={chat} />
      <ToolsField chat={chat} />
    </div>
  );
}
