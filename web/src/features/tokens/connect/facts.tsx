/** Address, key and model, which every program needs, each with its copy button; and a call that tests them. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { Card } from "../../../ui/display/card.tsx";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { fullKey, isKeyKnown, maskedKey } from "../model/key.ts";
import styles from "./connect.module.css";
import { TestCall } from "./test-call.tsx";

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.infoRow}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Address({ name, address, label }: { name: string; address: string; label: string }) {
  return (
    <Row name={name}>
      <span className={`mono ${styles.factValue}`}>{address}</span>
      <CopyButton text={address} label={label} />
    </Row>
  );
}

function KeyRow({ token }: { token: TokenRow }) {
  const { t } = useTranslation("connect");
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  const label = t(isShown ? "hideKey" : "showKey");
  if (!isKeyKnown(token)) return <Row name={t("key")}>{t("keyLater")}</Row>;
  return (
    <Row name={t("key")}>
      <span className={`mono ${styles.factValue} ${isShown ? styles.whole : ""}`}>
        {isShown ? fullKey(token.key) : maskedKey(token.key)}
      </span>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          size={26}
          aria-label={label}
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          <Icon size={15} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
      <CopyButton text={fullKey(token.key)} label={t("copyKey")} />
    </Row>
  );
}

const modelContent = (model: string) => (
  <>
    <ModelMark model={model} size={20} />
    <span className="mono">{model}</span>
  </>
);

interface ModelRowProps {
  models: readonly string[];
  model: string;
  onModel: (model: string) => void;
}

function ModelRow({ models, model, onModel }: ModelRowProps) {
  const { t } = useTranslation("connect");
  if (model === "")
    return (
      <Row name={t("model")}>
        <span className={styles.noModel}>{t("noModels")}</span>
      </Row>
    );
  return (
    <Row name={t("model")}>
      <span className={styles.factValue}>
        <ChoiceOnUse
          isBare
          label={t("model")}
          choices={models.map((name) => ({ value: name, text: name, content: modelContent(name) }))}
          value={model}
          onChange={onModel}
        />
      </span>
      <CopyButton text={model} label={t("copyModel")} />
    </Row>
  );
}

interface FactsCardProps extends ModelRowProps {
  token: TokenRow;
  origin: string;
  /** Hears of calls that this page made. */
  onOwnCall: (requestId: string) => void;
}

export function FactsCard({ token, origin, onOwnCall, ...models }: FactsCardProps) {
  const { t } = useTranslation("connect");
  return (
    <Card title={t("facts.title")} text={t("facts.text")}>
      <dl className={styles.info}>
        <Address name={t("baseUrl")} address={`${origin}/v1`} label={t("copyBaseUrl")} />
        <Address name={t("rootUrl")} address={origin} label={t("copyRootUrl")} />
        <KeyRow token={token} />
        <ModelRow {...models} />
      </dl>
      {isKeyKnown(token) && models.model !== "" && (
        <TestCall key={models.model} token={token} model={models.model} onOwnCall={onOwnCall} />
      )}
    </Card>
  );
}
