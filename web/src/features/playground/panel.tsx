/** The panel left of the chat: the settings of the call, and the conversations; on a phone it covers the chat. */
import { ActionIcon, Button } from "@mantine/core";
import { IconX, IconTool } from "@tabler/icons-react";
import { type KeyboardEvent, useState, lazy, Suspense, useId } from "react";
import { language, useTranslation } from "../../lib/i18n.ts";
import { Segmented, Field, FieldLink, FieldLinks } from "../../ui/form/fields.tsx";
import { History } from "./history.tsx";
import type { Conversation, Lane } from "./model/conversation.ts";
import type { Chat } from "./use-chat.ts";
import styles from "./panel.module.css";
import { readStoredJson, STORAGE, writeStoredJson } from "../../lib/storage.ts";
import { formatDecimals } from "../../lib/format.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { RatioTag } from "../../ui/display/tags.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { ChoiceOnUse } from "../../ui/form/choice-on-use.tsx";
import { PlainField } from "../../ui/plain.tsx";
import {
  type Parameters,
  parametersOf,
  remembered,
  SLIDER,
  type SliderName,
  SLIDERS,
  tokenLimit,
} from "./model/parameters.ts";
import { defaultSystem } from "./model/start.ts";
import { TOOLS_TEMPLATE, toolsOf } from "./model/tools.ts";

const JsonEditor = lazy(async () => ({ default: (await import("../../ui/form/json-editor.tsx")).JsonEditor }));

/** The functions a model may ask for, as JSON; the editor opens in place once it is wanted. */
function ToolsField({ chat }: { chat: Chat }) {
  const { t } = useTranslation("playground");
  const { tools: text } = chat.current;
  const [isOpen, setIsOpen] = useState(text !== "");
  const found = toolsOf(text);
  if (!isOpen)
    return (
      <Button leftSection={<IconTool size={15} stroke={1.5} />} onClick={() => setIsOpen(true)}>
        {t("tools.add")}
      </Button>
    );
  const help = typeof found === "string" ? "" : t("tools.count", { count: found.length });
  return (
    <Suspense fallback={<div className={styles.loading} />}>
      <JsonEditor
        label={t("tools.label")}
        isOptional
        value={text}
        onChange={chat.acts.setTools}
        template={TOOLS_TEMPLATE}
        help={help}
        error={typeof found === "string" ? t(`tools.problem.${found}`) : undefined}
      />
    </Suspense>
  );
}

/** Where the handle starts from when it is first moved; it is not drawn before. */
const REST = 1;

/** A parameter from 0.1 to 1 in tenths. Until it is moved it stands at the model's default, which is not sent. */
function Slider({
  name,
  value,
  onChange,
}: {
  name: SliderName;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  const { t } = useTranslation("playground");
  const id = useId();
  const text = value === undefined ? t("parameters.default") : formatDecimals(value, 1);
  const share = ((value ?? REST) - SLIDER.min) / (SLIDER.max - SLIDER.min);
  return (
    <Field
      label={t(`parameters.${name}`)}
      htmlFor={id}
      side={
        <FieldLinks>
          <span className={styles.value} data-is-default={value === undefined || undefined}>
            {text}
          </span>
          {value !== undefined && (
            <FieldLink isQuiet onClick={() => onChange(undefined)}>
              {t("parameters.reset")}
            </FieldLink>
          )}
        </FieldLinks>
      }
      help={t(`parameters.${name}Help`)}
    >
      <input
        id={id}
        type="range"
        className={styles.slider}
        style={{ ["--share" as string]: value === undefined ? 0 : share }}
        data-is-default={value === undefined || undefined}
        {...SLIDER}
        value={value ?? REST}
        aria-valuetext={text}
        onChange={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
        // Setting the value that the slider has already fires no change event.
        onPointerUp={({ currentTarget }) => value === undefined && onChange(currentTarget.valueAsNumber)}
      />
    </Field>
  );
}

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
  const own = defaultSystem(language());
  return (
    <Field
      label={t("system.label")}
      htmlFor={id}
      help={t("system.help")}
      side={
        system !== own && (
          <FieldLinks>
            <FieldLink isQuiet onClick={() => chat.acts.setSystem(own)}>
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

/** What the lane's model is asked with: group, model, parameters that are remembered for the model, system prompt and tools. */
function Settings({ chat, lane }: { chat: Chat; lane: Lane }) {
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

type Part = "settings" | "history";

export function Panel({
  chat,
  lane,
  list,
  isForgetful,
  isOpen,
  onOpen,
  onNew,
  onClose,
}: {
  chat: Chat;
  lane: Lane;
  list: readonly Conversation[];
  isForgetful: boolean;
  /** Counts on phones only; wider windows always show it. */
  isOpen: boolean;
  onOpen: (id: string) => void;
  onNew: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("playground");
  const [part, setPart] = useState<Part>("settings");
  const options = (["settings", "history"] as const).map((value) => ({ value, text: t(`panel.${value}`) }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) onClose();
  };
  return (
    <aside
      id="playground-panel"
      className={styles.panel}
      data-is-open={isOpen || undefined}
      aria-label={t("panel.label")}
      onKeyDown={onKeyDown}
    >
      <div className={styles.head}>
        <Segmented label={t("panel.label")} options={options} value={part} onChange={setPart} />
        <ActionIcon
          className={styles.close ?? ""}
          variant="subtle"
          size={36}
          aria-label={t("panel.close")}
          onClick={onClose}
        >
          <IconX size={17} stroke={1.5} />
        </ActionIcon>
      </div>
      <div className={styles.scroll}>
        {part === "settings" ? (
          <Settings chat={chat} lane={lane} />
        ) : (
          <History list={list} current={chat.current} isForgetful={isForgetful} onOpen={onOpen} onGone={onNew} />
        )}
      </div>
    </aside>
  );
}
