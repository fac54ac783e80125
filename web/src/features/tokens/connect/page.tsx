/** The page that connects a program with a token: the choice of both, the values to enter, and a first call. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { Program } from "../../../../../contract/src/connect/program.ts";
import { firstModel, operationOf, programOf, PROGRAMS } from "../../../../../contract/src/connect/programs.ts";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { formatQuota } from "../../../lib/format.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { useSearchState } from "../../../lib/search.ts";
import { serverAddress, useStatus } from "../../../lib/status.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { CardColumn, CardColumns, CardGhost } from "../../../ui/display/card.tsx";
import { Empty, ErrorState } from "../../../ui/feedback/empty.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Page } from "../../../ui/page.tsx";
import { fullKey, isKeyKnown } from "../model/key.ts";
import { callableModels, doctorCostUsd } from "../model/callable-models.ts";
import { groupsQuery, pricingQuery, tokenQuery } from "../queries.ts";
import { connectSearch } from "../route.ts";
import styles from "./connect.module.css";
import { DoctorCard } from "./doctor-card.tsx";
import { FactsCard } from "./facts.tsx";
import { FirstCallCard } from "./first-call-card.tsx";
import { SiteLinks } from "./links.tsx";
import { choosableTokens } from "./queries.ts";
import { SetUpCard } from "./set-up.tsx";

const KINDS = ["agent", "editor", "chat", "library"] as const;

/** The program that the address names, else the first; and what puts another there. */
function useProgram(): [Program | undefined, (id: string) => void] {
  const [search, change] = useSearchState(connectSearch);
  return [programOf(search.program ?? "") ?? PROGRAMS[0], (id) => change({ program: id }, "replace")];
}

function ProgramChooser() {
  const { t } = useTranslation("connect");
  const [program, onProgram] = useProgram();
  return (
    <div className={styles.programs} role="group" aria-label={t("chooseProgram")}>
      {KINDS.map((kind) => (
        <div key={kind} className={styles.kind}>
          <span className={styles.kindName}>{t(`kinds.${kind}`)}</span>
          {PROGRAMS.filter((each) => each.kind === kind).map(({ id, title }) => (
            <button
              key={id}
              type="button"
              className={styles.program}
              aria-pressed={id === program?.id}
              onClick={() => onProgram(id)}
            >
              {title}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Ids of the calls that this page made itself, so that none of them is taken for the program's. */
function useOwnCalls() {
  const [ownIds, setOwnIds] = useState<ReadonlySet<string>>(new Set());
  const onOwnCall = useCallback((id: string) => setOwnIds((before) => new Set([...before, id])), []);
  return { ownIds, onOwnCall };
}

/** As exact as the costs of single calls. */
const COST_DECIMALS = 6;

/** The maximum cost of a doctor run, as it is shown; undefined where that is not known. */
function useCost(token: TokenRow, group: string, entry: PricingEntry | undefined): string | undefined {
  const { quota_per_unit } = useStatus();
  const { data: groups } = useQuery(groupsQuery);
  const ratio = groups?.[token.group || group]?.ratio;
  if (entry === undefined || typeof ratio !== "number") return undefined;
  const usd = doctorCostUsd(entry, ratio);
  return usd === undefined ? undefined : formatQuota(Math.ceil(usd * quota_per_unit), COST_DECIMALS);
}

interface ConnectProps {
  token: TokenRow;
  entries: readonly PricingEntry[];
  group: string;
}

function Connect({ token, entries, group }: ConnectProps) {
  const { t } = useTranslation("connect");
  const [search, change] = useSearchState(connectSearch);
  const { ownIds, onOwnCall } = useOwnCalls();
  useStatus();
  const [program] = useProgram();
  const models = callableModels(token, entries, group);
  const picked = models.find((name) => name === search.model);
  const model = picked ?? (program === undefined ? "" : firstModel(program, models));
  const cost = useCost(
    token,
    group,
    entries.find(({ model_name }) => model_name === model),
  );
  if (program === undefined) return null;
  const origin = serverAddress();
  const connection = { origin, key: fullKey(token.key), model, operation: operationOf(model) };
  const isKnown = isKeyKnown(token);
  const about = `${token.id} ${program.id} ${model}`;
  return (
    <>
      <div className={styles.top}>
        {token.status !== TOKEN_STATUS.enabled && (
          <Notice tone="amber">
            {t(`off.${token.status}`)}{" "}
            <Link to="/token" search={{ open: "edit", id: token.id }}>
              {t("editToken")}
            </Link>
          </Notice>
        )}
        {!isKnown && <Notice tone="blue">{t("keyUnknown")}</Notice>}
        <ProgramChooser />
      </div>
      <CardColumns>
        {isKnown && (
          <CardColumn>
            {model !== "" && <SetUpCard program={program} connection={connection} token={token} />}
            <SiteLinks token={token} />
          </CardColumn>
        )}
        <CardColumn>
          <FactsCard
            token={token}
            origin={origin}
            models={models}
            model={model}
            onModel={(name) => change({ model: name }, "replace")}
            onOwnCall={onOwnCall}
          />
          <FirstCallCard key={`${token.id} ${program.id}`} program={program} token={token} ownIds={ownIds} />
          {isKnown && connection.operation === "chat" && model !== "" && (
            <DoctorCard key={about} program={program} token={token} model={model} cost={cost} onOwnCall={onOwnCall} />
          )}
        </CardColumn>
      </CardColumns>
    </>
  );
}

const KEY_ASKED_EVERY_MS = 3_000;

/** The programs, which are the same for every token, and the room of the first cards. */
const Loading = () => (
  <>
    <div className={styles.top}>
      <ProgramChooser />
    </div>
    <CardColumns isBusy>
      <CardColumn>
        <CardGhost heightPx={420} />
      </CardColumn>
      <CardColumn>
        <CardGhost heightPx={300} />
      </CardColumn>
    </CardColumns>
  </>
);

/** The chosen token with the prices of its models, once both are there. */
function OneToken({ id }: { id: number }) {
  const { t } = useTranslation("connect");
  const viewer = useViewer();
  const token = useQuery({
    ...tokenQuery(id),
    // Its first call brings the key.
    refetchInterval: ({ state: { data } }) => (data !== undefined && !isKeyKnown(data) ? KEY_ASKED_EVERY_MS : false),
  });
  const pricing = useQuery(pricingQuery);
  const error = token.error ?? pricing.error;
  if (error)
    return (
      <ErrorState
        title={t("notLoadedOne")}
        error={error}
        onRetry={() => void Promise.all([token.refetch(), pricing.refetch()])}
      />
    );
  if (token.data === undefined || pricing.data === undefined) return <Loading />;
  const group = token.data.group || viewer?.group || "default";
  return <Connect key={id} token={token.data} entries={pricing.data} group={group} />;
}

function NoTokens() {
  const { t } = useTranslation("connect");
  return (
    <Empty
      title={t("noTokens.title")}
      sentence={t("noTokens.sentence")}
      actions={
        <Link to="/token" search={{ open: "create" }}>
          <Button component="span" variant="filled">
            {t("noTokens.action")}
          </Button>
        </Link>
      }
    />
  );
}

export function ConnectPage() {
  const { t } = useTranslation("connect");
  const [search, change] = useSearchState(connectSearch);
  const tokens = useQuery(choosableTokens);
  const { data: rows = [] } = tokens;
  const first = rows.find(({ status }) => status === TOKEN_STATUS.enabled) ?? rows[0];
  const id = search.token ?? first?.id;
  const chooser = rows.length > 1 && id !== undefined && (
    <div className={styles.chooser}>
      <ChoiceOnUse
        label={t("chooseToken")}
        choices={rows.map((row) => ({ value: String(row.id), text: row.name }))}
        value={String(id)}
        onChange={(value) => change({ token: Number(value), model: undefined }, "replace")}
      />
    </div>
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={chooser}>
      {id !== undefined && <OneToken key={id} id={id} />}
      {id === undefined && tokens.isPending && <Loading />}
      {id === undefined && tokens.isError && (
        <ErrorState title={t("notLoaded")} error={tokens.error} onRetry={() => void tokens.refetch()} />
      )}
      {id === undefined && tokens.isSuccess && <NoTokens />}
    </Page>
  );
}
