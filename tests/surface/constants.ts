/** Numbers that users notice: limits, presets, thresholds, delays and sizes. */
import { expect } from "vitest";
import * as constants from "../../contract/src/constants.ts";
import { CHANNEL_STATUS } from "../../contract/src/features/channels.ts";
import * as redemptions from "../../contract/src/features/redemptions.ts";
import { TOKEN_STATUS } from "../../contract/src/features/tokens.ts";
import { USER_STATUS } from "../../contract/src/features/users.ts";
import { formatShort } from "../../contract/src/money.ts";
import { formatQuota } from "../../contract/src/quota-display.ts";
import {
  ratioColour,
  ratioFromUsdPerMillion,
  usdPerMillionOfRatio,
  completionRatioText,
} from "../../contract/src/pricing/price-display.ts";
import { DEFAULT_PAGE_SIZE } from "../../contract/src/query.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { IMAGE_ACTIONS, SONG_ACTIONS, SUBMIT_CODE, TASK_STATUSES } from "../../contract/src/tasks.ts";
import { THRESHOLD_PRESETS } from "../../web/src/features/personal/model/notification.ts";
import { PAGE_SIZES } from "../../web/src/lib/storage.ts";
import { PHONE_QUERY } from "../../web/src/lib/widths.ts";

export interface SurfaceNumber {
  name: string;
  is: unknown;
  expected: unknown;
}

const fact = (name: string, is: unknown, expected: unknown): SurfaceNumber => ({ name, is, expected });

export const NUMBERS: readonly SurfaceNumber[] = [
  fact("rows of a page", DEFAULT_PAGE_SIZE, 10),
  fact("sizes of a page", PAGE_SIZES, [10, 20, 50, 100]),
  fact("characters of a password at least", constants.PASSWORD_MINIMUM_LENGTH, 8),
  fact("characters of a password at most", constants.PASSWORD_MAXIMUM_LENGTH, 128),
  fact("characters of a username at most", constants.USERNAME_MAXIMUM_LENGTH, 32),
  fact("seconds until another code or link", constants.MAIL_RESEND_SECONDS, 30),
  fact(
    "presets of quota",
    constants.QUOTA_PRESETS,
    [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000],
  ),
  fact("quota of a new token", constants.NEW_TOKEN_QUOTA, 500_000),
  fact("tokens created at once", constants.TOKEN_BATCH_PRESETS, [10, 20, 30, 100]),
  fact("ends of a token, in seconds", constants.EXPIRY_SHORTCUTS, {
    never: -1,
    hour: 3_600,
    day: 86_400,
    month: 2_592_000,
  }),
  fact("seconds the log looks ahead", constants.LOG_RANGE_AHEAD_SECONDS, 3_600),
  fact("seconds of a slow call", constants.SLOW_TOTAL_SECONDS, [101, 300]),
  fact("seconds to a slow first token", constants.SLOW_FIRST_TOKEN_SECONDS, [3, 10]),
  fact("presets of the warning", THRESHOLD_PRESETS, [100_000, 500_000, 1_000_000, 5_000_000]),
  fact("pixels of a phone", PHONE_QUERY, "(max-width: 600px)"),
  fact("roles", ROLE, { guest: 0, user: 1, admin: 10, root: 100 }),
  fact("types of log rows", constants.LOG_TYPE, { topUp: 1, consumption: 2, admin: 3, system: 4, error: 5 }),
  fact("states of a channel", CHANNEL_STATUS, { enabled: 1, disabled: 2, autoDisabled: 3 }),
  fact("states of a user", USER_STATUS, { enabled: 1, disabled: 2, notActivated: 3 }),
  fact("states of a code", redemptions.REDEMPTION_STATUS, { unused: 1, disabled: 2, used: 3 }),
  fact("characters of a code's name at most", redemptions.REDEMPTION_NAME_MAX, 20),
  fact("codes made at once at most", redemptions.REDEMPTION_BATCH_MAX, 100),
  fact("quota of a new code", redemptions.NEW_REDEMPTION_QUOTA, 100_000),
  fact(
    "what can be drawn",
    IMAGE_ACTIONS,
    (
      "IMAGINE UPSCALE VARIATION HIGH_VARIATION LOW_VARIATION PAN DESCRIBE BLEND UPLOAD SHORTEN REROLL INPAINT ZOOM CUSTOM_ZOOM " +
      "MODAL SWAP_FACE VIDEO EDITS"
    ).split(" "),
  ),
  fact("what Suno makes", SONG_ACTIONS, ["MUSIC", "LYRICS"]),
  fact(
    "how a submission went",
    SUBMIT_CODE,
    expect.objectContaining({ notSubmitted: 0, submitted: 1, waiting: 21, duplicate: 22 }),
  ),
  fact("states of a task", [...TASK_STATUSES].toSorted(), [
    "",
    "FAILURE",
    "IN_PROGRESS",
    "MODAL",
    "NOT_START",
    "QUEUED",
    "SUBMITTED",
    "SUCCESS",
    "UNKNOWN",
  ]),
  fact("states of a token", TOKEN_STATUS, { enabled: 1, disabled: 2, expired: 3, exhausted: 4 }),
  fact(
    "quota as money",
    [1, 500_000, 2_500_000].map((quota) =>
      formatQuota(quota, { currency: { sign: "$", perUsd: "1" }, quotaPerUnit: "500000" }, 2),
    ),
    ["$0.00", "$1.00", "$5.00"],
  ),
  fact("quota as a number", [9_999, 10_000, 1_000_000, 1_000_000_000].map(formatShort), [
    "9999",
    "10.0k",
    "1.0M",
    "1.0B",
  ]),
  fact("dollars for 1M tokens at ratio 1.25", usdPerMillionOfRatio("1.25"), "2.5"),
  fact("ratio of 2.5 dollars for 1M tokens", ratioFromUsdPerMillion("2.5"), "1.25"),
  fact("a completion ratio", completionRatioText("4"), "4.000"),
  fact("colours of ratios", ["1", "1.1", "3", "3.1", "5", "5.1"].map(ratioColour), [
    "green",
    "blue",
    "blue",
    "orange",
    "orange",
    "red",
  ]),
];

/** Numbers that are in one file alone, as they are there. */
export const WRITTEN: readonly { name: string; file: string; text: string }[] = [
  { name: "pixels of the side bar", file: "web/src/app/shell/side-bar.module.css", text: "width: 200px" },
  { name: "pixels of the collapsed side bar", file: "web/src/app/shell/side-bar.module.css", text: "width: 60px" },
  { name: "pixels of the login page", file: "web/src/features/sessions/entry-page.tsx", text: "width={500}" },
  { name: "the footer is asked for so often", file: "web/src/app/shell/footer.tsx", text: "POLLS = 5" },
  { name: "the footer is asked for each", file: "web/src/app/shell/footer.tsx", text: "POLL_MS = 200" },
  { name: "to the tokens after", file: "web/src/features/chat/key-use.ts", text: "REDIRECT_MS = 1500" },
  { name: "the set-up ends after", file: "web/src/features/setup/page.tsx", text: "OPEN_MS = 1500" },
];
