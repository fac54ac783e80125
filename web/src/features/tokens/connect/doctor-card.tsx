/** The doctor in the browser: plays a program's first calls against this page's address, and reports failures with their repair. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Program } from "../../../../../contract/src/connect/program.ts";
import type { Result } from "../../../../../contract/src/doctor/examine.ts";
import { baseOf, CHARGED_STEPS, worstOf } from "../../../../../contract/src/doctor/steps.ts";
import { TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { formatDurationMs } from "../../../lib/format.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { serverAddress } from "../../../lib/status.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Card } from "../../../ui/display/card.tsx";
import { CodeBlock } from "../../../ui/display/code-block.tsx";
import { importPart } from "../../../ui/feedback/missing-part.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { fullKey } from "../model/key.ts";
import styles from "./connect.module.css";

/** The calls and rules come when they are asked for. */
const loadDoctor = importPart(() => import("./browser-doctor.ts"));

interface DoctorCardProps {
  program: Program;
  token: TokenRow;
  model: string;
  /** The maximum cost of the charged calls, as it is shown; undefined where the model's price is not known. */
  cost: string | undefined;
  /** Hears of calls that this page made. */
  onOwnCall: (requestId: string) => void;
}

/** Results as they come, and the run that gives them. */
function useExamination({ program, token, model, onOwnCall }: DoctorCardProps) {
  const [results, setResults] = useState<readonly Result[]>([]);
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: async () => {
      setResults([]);
      const { examineHere } = await loadDoctor();
      const base = baseOf(program.family, location.origin);
      return examineHere({ family: program.family, base, key: fullKey(token.key), model }, (result) => {
        if (result.observation.requestId !== "") onOwnCall(result.observation.requestId);
        setResults((before) => [...before, result]);
      });
    },
    meta: { showsOwnError: true },
    onSettled: () => client.invalidateQueries({ queryKey: ["tokens", "list"] }),
  });
  return { results, run };
}

function ResultRow({ result: { observation, finding } }: { result: Result }) {
  const { t } = useTranslation("connect");
  const { step, status, ms, requestId, message } = observation;
  const isSilent = finding.id === "other_error" && message === "" && requestId === "";
  const isCharged = CHARGED_STEPS.includes(step) && status === 200;
  return (
    <li className={styles.result} data-severity={finding.severity}>
      <span className={styles.testDot} aria-hidden />
      <div className={styles.resultText}>
        <span className={styles.resultHead}>
          <b>{t(`steps.${step}`)}</b>
          <span className={styles.figures}>
            {status !== 0 && `${status} · `}
            {formatDurationMs(ms)}
          </span>
          {isCharged && requestId !== "" && (
            <Link to="/log" search={{ request_id: requestId }} className={styles.receiptLink ?? ""}>
              {t("doctor.receipt")}
            </Link>
          )}
        </span>
        {finding.id !== "fine" && (
          <>
            <span className={styles.findingTitle}>{t(`findings.${finding.id}.title`)}</span>
            <span>{t(isSilent ? "doctor.noReason" : `findings.${finding.id}.repair`)}</span>
            {message !== "" && <span className={styles.said}>{t("doctor.said", { message })}</span>}
            {requestId === "" && status !== 0 && <span className={styles.said}>{t("doctor.noRequestId")}</span>}
            {requestId !== "" && <span className={`mono ${styles.said}`}>{requestId}</span>}
          </>
        )}
      </div>
    </li>
  );
}

const VERDICTS = { ok: "fine", note: "fine", warning: "someNotes", failure: "broken" } as const;

function Verdict({ results, name }: { results: readonly Result[]; name: string }) {
  const { t } = useTranslation("connect");
  const worst = worstOf(results.map(({ finding }) => finding));
  return (
    <p className={styles.verdict} data-severity={worst}>
      {t(`doctor.${VERDICTS[worst]}`, { name })}
    </p>
  );
}

export function DoctorCard(props: DoctorCardProps) {
  const { program, token, cost } = props;
  const { t } = useTranslation("connect");
  const { results, run } = useExamination(props);
  const count = CHARGED_STEPS.length;
  const address = serverAddress();
  const { origin } = location;
  const outside = baseOf(program.family, address);
  return (
    <Card title={t("doctor.title")} text={t("doctor.text", { name: program.title, origin })}>
      {URL.parse(address)?.origin !== origin && (
        <Notice tone="blue">{t("doctor.elsewhere", { address, origin })}</Notice>
      )}
      <div className={styles.doctorHead}>
        <span className={styles.words}>
          {cost === undefined ? t("doctor.costUnknown", { count }) : t("doctor.cost", { count, cost })}
        </span>
        <BusyButton
          isBusy={run.isPending}
          disabled={token.status !== TOKEN_STATUS.enabled}
          onClick={() => run.mutate()}
        >
          {t(run.isSuccess ? "doctor.again" : "doctor.run")}
        </BusyButton>
      </div>
      <div role="status">
        {run.isSuccess && <Verdict results={results} name={program.title} />}
        {results.length > 0 && (
          <ul className={styles.results}>
            {results.map((result) => (
              <ResultRow key={result.observation.step} result={result} />
            ))}
          </ul>
        )}
      </div>
      <CodeBlock title={t("doctor.outside")} language="shell" code={`npm run doctor -- ${program.id} ${outside} -`} />
    </Card>
  );
}
