/** Why a task failed, in words for programs: the upstream's, else those of this gateway. */
import type { TaskFailCode } from "../../../../contract/src/tasks/task.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import type { StoredTask } from "./kind.ts";

const TEXTS: Readonly<Record<TaskFailCode, string>> = {
  timed_out: "The upstream did not finish it in time.",
  channel_deleted: "Its channel was deleted.",
  lost_upstream: "The upstream does not know it any more.",
  not_accepted: "The upstream did not take it.",
  interrupted: "The gateway was stopped while it was handed over.",
  unexplained: "The upstream does not say why.",
};

/** Empty for a task that has not failed. */
export function failText({ fail_code, fail_reason }: Pick<StoredTask, "fail_code" | "fail_reason">): string {
  if (fail_reason !== "") return fail_reason;
  return ownOf<string>(TEXTS, fail_code) ?? fail_code;
}
