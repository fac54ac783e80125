/** The page that explains routing: which channels a call would use and why, now or as a past call's log row has it. */
import { Button, Autocomplete, Select, TextInput } from "@mantine/core";
import { useQuery, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { ApiError, call } from "../../lib/api.ts";
import { useSearchState } from "../../lib/search.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { Page } from "../../ui/page.tsx";
import { ChannelName, Explanation, OutList, Refusal } from "./explanation.tsx";
import styles from "./routing.module.css";
import { type RoutingSearch, routingSearch, OPERATIONS } from "./route.ts";
import { type PastRoute, explainPastRoute, explainRoute } from "../../../../contract/src/features/routing.ts";
import { formatDurationMs } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Time } from "../../ui/display/time.tsx";
import { BusyButton } from "../../ui/busy-button.tsx";
import { OptionalLabel } from "../../ui/form/fields.tsx";
import { listEnabledModels } from "../../../../contract/src/features/channels.ts";
import { CallerFields, type Fields, type PartProps } from "./caller-fields.tsx";

/** Where such a call would go; asked anew with every question, for the answer is of this moment. */
const explanationQuery = ({ model = "", user, token, group, input, operation }: RoutingSearch) =>
  queryOptions({
    queryKey: ["route", { model, user, token, group, input, operation }],
    queryFn: ({ signal }) =>
      call(explainRoute, { body: { model, user, token_id: token, group, input_tokens: input, operation }, signal }),
    enabled: model !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    // A name that does not exist stays an error.
    retry: false,
  });

const pastQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["past-route", requestId],
    queryFn: ({ signal }) => call(explainPastRoute, { params: { request_id: requestId }, signal }),
    retry: false,
  });

const enabledModelsQuery = queryOptions({
  queryKey: ["models-enabled"],
  queryFn: ({ signal }) => call(listEnabledModels, { signal }),
});

interface QuestionFormProps {
  search: RoutingSearch;
  onAsk: (question: RoutingSearch) => void;
  isAsking: boolean;
  /** Refusals of the server by the name of their field. */
  errors: Readonly<Record<string, string | undefined>>;
}

const fieldsOf = ({ model = "", user = "", token, group = "", input, operation = "chat" }: RoutingSearch): Fields => ({
  model,
  user,
  token,
  group,
  input,
  operation,
});

const filled = (text: string): string | undefined => (text.trim() === "" ? undefined : text.trim());

const questionOf = ({ model, user, token, group, input, operation }: Fields): RoutingSearch => ({
  model: filled(model),
  user: filled(user),
  token,
  group: filled(group),
  input: input === 0 ? undefined : input,
  operation: operation === "chat" ? undefined : operation,
  request: undefined,
});

const INPUT_DIGITS_MOST = 9;

/** The number of the digits in a text; undefined where there are none. */
const wholeNumber = (text: string): number | undefined => {
  const digits = text.replaceAll(/\D/g, "");
  return digits === "" ? undefined : Number(digits);
};

function CallFields({ fields, set, isModelMissing }: PartProps & { isModelMissing: boolean }) {
  const { t } = useTranslation("routing");
  const models = useQuery(enabledModelsQuery);
  return (
    <>
      <Autocomplete
        data-autofocus
        className={styles.long ?? ""}
        label={t("form.model")}
        data={models.data ?? []}
        limit={50}
        value={fields.model}
        error={isModelMissing ? t("form.modelMissing") : undefined}
        onChange={(model) => set({ model })}
      />
      <Select
        label={t("form.operation")}
        data={OPERATIONS.map((value) => ({ value, label: t(`operation.${value}`) }))}
        value={fields.operation}
        allowDeselect={false}
        onChange={(value) => set({ operation: OPERATIONS.find((each) => each === value) ?? "chat" })}
      />
      <TextInput
        label={<OptionalLabel>{t("form.input")}</OptionalLabel>}
        inputMode="numeric"
        maxLength={INPUT_DIGITS_MOST}
        value={fields.input ?? ""}
        onChange={(event) => set({ input: wholeNumber(event.currentTarget.value) })}
      />
    </>
  );
}

/** The call that is asked about: model and size, and whose it would be. */
function QuestionForm({ search, onAsk, isAsking, errors }: QuestionFormProps) {
  const { t } = useTranslation("routing");
  const address = JSON.stringify(search);
  const [shown, setShown] = useState(address);
  const [fields, setFields] = useState(() => fieldsOf(search));
  const [isModelMissing, setIsModelMissing] = useState(false);
  // Back and links ask other questions; the form stays, and with it the focus.
  if (shown !== address) {
    setShown(address);
    setFields(fieldsOf(search));
    setIsModelMissing(false);
  }
  const set = (change: Partial<Fields>) => setFields((old) => ({ ...old, ...change }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const question = questionOf(fields);
    setIsModelMissing(question.model === undefined);
    if (question.model !== undefined) onAsk(question);
  };
  const part = { fields, set, errors };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <CallFields {...part} isModelMissing={isModelMissing && fields.model.trim() === ""} />
      <CallerFields {...part} />
      <div className={styles.submit}>
        <BusyButton type="submit" variant="filled" isBusy={isAsking}>
          {t("form.explain")}
        </BusyButton>
      </div>
    </form>
  );
}

/** The same call as a question. */
const questionOfPast = ({ model, user, token, group }: PastRoute): RoutingSearch => ({
  model: model === "" ? undefined : model,
  user: token === null ? user.username : undefined,
  token: token?.id,
  group: token === null && group !== "" ? group : undefined,
});

function Tried({ tried }: Pick<PastRoute, "tried">) {
  const { t } = useTranslation("routing");
  return (
    <section>
      <h2 className={styles.heading}>{t("past.tried")}</h2>
      {tried.length === 0 && <p className={styles.hint}>{t("past.none")}</p>}
      <ol className={styles.outs}>
        {tried.map(({ id, name, ms, reason, status }, place) => (
          <li key={`${place} ${id}`} className={styles.outRow}>
            <span className={styles.name}>
              <span className={styles.place}>{place + 1}</span>
              <ChannelName id={id} name={name} />
            </span>
            <span className={styles.reason}>
              {status > 0 && <b className="number">{status}</b>}{" "}
              {reason === "" ? t("past.answered") : <bdi>{visible(reason)}</bdi>}{" "}
              <span className={styles.quiet}>{formatDurationMs(ms)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Where a past call went and why no further, from what its log row kept; and the same question asked now. */
function PastCall({ past }: { past: PastRoute }) {
  const { t } = useTranslation("routing");
  const question = questionOfPast(past);
  return (
    <div className={styles.answer}>
      <p className={styles.summary}>
        <b>{visible(past.model)}</b>
        {past.group !== "" && <span>{t("inGroup", { group: past.group })}</span>}
        <span>{t("asUser", { name: past.user.username })}</span>
        {past.token !== null && <span>{t("withToken", { name: past.token.name })}</span>}
        <Time atS={past.created_at} as="full" />
      </p>
      {past.refusal !== null && <Refusal refusal={past.refusal} />}
      <Tried tried={past.tried} />
      <OutList out={past.out} total={past.out_total} />
      {question.model !== undefined && (
        <Link className={styles.now ?? ""} to="/channel/route" search={question}>
          {t("past.now")}
        </Link>
      )}
    </div>
  );
}

const FIELDS_OF: Readonly<Record<string, "user" | "token">> = { user: "user", token_id: "token" };

/** The field that a refusal is about; undefined for what concerns the whole question. */
const fieldOf = (error: unknown): "user" | "token" | undefined =>
  error instanceof ApiError && error.field !== undefined ? FIELDS_OF[error.field] : undefined;

const Loading = () => (
  <div className={styles.loading}>
    <LoadingBars height={44} />
  </div>
);

function Now({ search, onAsk }: { search: RoutingSearch; onAsk: (question: RoutingSearch) => void }) {
  const { t } = useTranslation("routing");
  const query = useQuery(explanationQuery(search));
  const field = fieldOf(query.error);
  const isUnknown = query.error instanceof ApiError && query.error.code === "not_found";
  const sentence = isUnknown ? t(`form.none.${field}`, { value: search[field ?? "user"] }) : query.error?.message;
  const again = (question: RoutingSearch) => {
    onAsk(question);
    // The same question at another moment.
    if (JSON.stringify(question) === JSON.stringify(search)) void query.refetch();
  };
  return (
    <>
      <QuestionForm
        search={search}
        onAsk={again}
        isAsking={query.isFetching}
        errors={field === undefined ? {} : { [field]: sentence }}
      />
      {search.model === undefined && <p className={styles.hint}>{t("hint")}</p>}
      {query.isLoading && <Loading />}
      {query.error !== null && field === undefined && (
        <ErrorState title={t("notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.error === null && query.data !== undefined && search.model !== undefined && (
        <Explanation explanation={query.data} />
      )}
    </>
  );
}

function Past({ requestId }: { requestId: string }) {
  const { t } = useTranslation("routing");
  const query = useQuery(pastQuery(requestId));
  if (query.error !== null) {
    const isGone = query.error instanceof ApiError && query.error.code === "not_found";
    return (
      <ErrorState
        title={t(isGone ? "past.gone" : "past.notLoaded")}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return query.data === undefined ? <Loading /> : <PastCall past={query.data} />;
}

export function RoutingPage() {
  const { t } = useTranslation("routing");
  const [search, change] = useSearchState(routingSearch);
  const { request } = search;
  const isPast = request !== undefined;
  return (
    <Page
      title={t(isPast ? "past.title" : "title")}
      purpose={t(isPast ? "past.purpose" : "purpose")}
      actions={
        <Button component={Link} to="/channel">
          {t("toChannels")}
        </Button>
      }
    >
      <div className={styles.content}>
        {isPast ? <Past requestId={request} /> : <Now search={search} onAsk={(question) => change(question)} />}
      </div>
    </Page>
  );
}
