/** The tests of the matrix in the channel form: a few at a time, each result only for the form that it was made with. */
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { TestFailure, TestKind } from "../../../../../contract/src/channels/channel-tests.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { testChannelDraft } from "../../../../../contract/src/features/channels.ts";
import { ApiError, callFull } from "../../../lib/api.ts";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { failureIn, failureText } from "../model/failure.ts";
import { type ChannelForm, type FieldName, fieldOf, wireOf } from "../model/form.ts";
import { type Repair, repairOf } from "../model/repairs.ts";
import { cellOf } from "../model/test-matrix.ts";

export interface FailedCell extends Repair {
  state: "failed";
  text: string;
  model: string;
  kind: TestKind;
  /** Of the test's entry in the log; undefined where it was refused before anything was asked. */
  requestId: string | undefined;
}

/** `cost` in quota units, where the upstream's price is known. */
export type Cell = { state: "running" } | { state: "passed"; ms: number; cost: number | undefined } | FailedCell;

interface Tested {
  /** The form, as text. */
  form: string;
  cells: Readonly<Record<string, Cell>>;
}

/** One upstream is asked no more at a time: a burst of tests would meet its limits. */
const AT_ONCE = 3;

export interface AskedTest {
  model: string;
  kind: TestKind;
}

interface Options {
  channelId: number | undefined;
  form: ChannelForm;
  provider: ProviderRow | undefined;
  onFailed: (field: FieldName, text: string) => void;
}

/** The text of a test's error, and where it is repaired. */
function useReason(provider: ProviderRow | undefined) {
  const { t } = useTranslation("channels");
  return (error: unknown): Repair & { text: string } => {
    const failure: TestFailure | undefined = error instanceof ApiError ? failureIn(error.extra) : undefined;
    if (failure !== undefined) return { ...repairOf(failure, provider), text: failureText(t, failure) };
    const field = error instanceof ApiError ? fieldOf(error.field) : undefined;
    // The form itself is refused, or nothing is reached: every test would end so.
    return {
      failure: "unknown",
      fields: field === undefined ? [] : [field],
      concernsAll: true,
      text: describeError(error).message,
    };
  };
}

/** `run` begins tests; those of a form that was changed meanwhile are dropped. `stop` begins no more. */
export function useTestCells({ channelId, form, provider, onFailed }: Options) {
  const described = { ...wireOf(form), ...(channelId === undefined ? {} : { id: channelId }) };
  const text = JSON.stringify(described);
  const [tested, setTested] = useState<Tested>({ form: text, cells: {} });
  const [running, setRunning] = useState(0);
  const now = useRef({ text, isStopped: false });
  useEffect(() => {
    now.current.text = text;
  }, [text]);
  useEffect(() => {
    const { current } = now;
    return () => void (current.isStopped = true);
  }, []);
  const reasonOf = useReason(provider);

  const keep = ({ model, kind }: AskedTest, cell: Cell) => {
    if (now.current.text !== text) return;
    setTested((old) => ({
      form: text,
      cells: { ...(old.form === text ? old.cells : {}), [cellOf(model, kind)]: cell },
    }));
  };
  /** Gives false where no other test would pass either. */
  const one = async ({ model, kind }: AskedTest): Promise<boolean> => {
    keep({ model, kind }, { state: "running" });
    try {
      const { extra } = await callFull(testChannelDraft, { body: { ...described, model, kind } });
      keep({ model, kind }, { state: "passed", ms: extra.time * 1000, cost: extra.cost });
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      const isLogged = error instanceof ApiError && failureIn(error.extra) !== undefined;
      const requestId = isLogged ? error.requestId : undefined;
      keep({ model, kind }, { state: "failed", model, kind, requestId, ...reason });
      const [field] = reason.fields;
      if (field !== undefined && now.current.text === text) onFailed(field, reason.text);
      return !reason.concernsAll;
    }
  };
  const run = async (asked: readonly AskedTest[]): Promise<void> => {
    const waiting = [...asked];
    now.current.isStopped = false;
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (now.current.isStopped || now.current.text !== text) return;
        if (!(await one(next))) waiting.length = 0;
      }
    };
    setRunning((count) => count + 1);
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    setRunning((count) => count - 1);
  };
  return {
    cells: tested.form === text ? tested.cells : {},
    isRunning: running > 0,
    run,
    stop: () => void (now.current.isStopped = true),
  };
}
