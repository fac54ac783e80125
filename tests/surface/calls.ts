/** Calls of scripts and other consoles: method, path, and the names of the fields they send and read. */
import type { Method } from "../../contract/src/endpoint.ts";

/** Names are in one text with blanks between them. */
interface Names {
  query?: string;
  body?: string;
  /** Fields of `data`; of its rows where it is a list or has `items`. */
  data?: string;
  /** Fields beside `data`. */
  beside?: string;
}

export interface SurfaceCall extends Names {
  method: Method;
  /** Without the slash at its end: both forms are served. */
  path: string;
}

const call = (name: `${Method} /${string}`, names: Names = {}): SurfaceCall => {
  const [method = "", path = ""] = name.split(" ");
  return { method: method as Method, path, ...names };
};

const PAGED = "items page total";
const USER_FIELDS = "id username display_name role status group quota used_quota request_count DeletedAt";
const LOG_FILTERS = "p page_size type token_name model_name start_timestamp end_timestamp group";
const LOG_STATS = "quota rpm tpm";
const TOKEN_FIELDS = "name remain_quota expired_time unlimited_quota model_limits_enabled model_limits allow_ips group";
const CHANNEL_BODY =
  "name type key base_url other model_mapping status_code_mapping models groups auto_ban test_model priority weight tag " +
  "setting param_override openai_organization max_input_tokens";

const ACCOUNTS: readonly SurfaceCall[] = [
  call("GET /api/user", { query: "p page_size", data: PAGED }),
  call("GET /api/user/search", { query: "keyword group p page_size", data: PAGED }),
  call("POST /api/user", { body: "username password display_name" }),
  call("GET /api/user/{id}", { data: USER_FIELDS }),
  call("GET /api/user/self", { data: USER_FIELDS }),
  call("PUT /api/user", { body: "id username display_name password group quota" }),
  call("PUT /api/user/self", { body: "username display_name original_password password" }),
  call("POST /api/user/manage", { body: "id action", data: "status role" }),
  call("DELETE /api/user/self"),
  call("GET /api/user/logout"),
  call("GET /api/user/token"),
  call("GET /api/user/aff"),
  call("POST /api/user/aff_transfer", { body: "quota" }),
  call("GET /api/user/models"),
  call("GET /api/user/self/groups", { data: "desc ratio" }),
  call("PUT /api/user/setting", {
    body:
      "notify_type quota_warning_threshold webhook_url webhook_secret notification_email accept_unset_model_ratio_model " +
      "bark_url gotify_url gotify_token gotify_priority sidebar_modules",
  }),
  call("GET /api/group"),
  call("GET /api/prefill_group", { query: "type", data: "id name type items description created_time updated_time" }),
  call("POST /api/prefill_group", { body: "name type items description" }),
  call("PUT /api/prefill_group", { body: "id name type items description" }),
  call("DELETE /api/prefill_group/{id}"),
  call("GET /api/authz/catalog", { data: "resources roles" }),
  call("GET /api/models"),
  call("POST /api/user/register", {
    query: "turnstile",
    body: "username password password2 email verification_code aff_code",
  }),
  call("POST /api/user/login", { query: "turnstile", body: "username password", data: USER_FIELDS }),
  call("GET /api/verification", { query: "email turnstile" }),
  call("GET /api/reset_password", { query: "email turnstile" }),
  call("POST /api/user/reset", { body: "email token" }),
];

const OTHER_SITES: readonly SurfaceCall[] = [
  call("GET /api/oauth/state", { query: "aff" }),
  call("GET /api/oauth/wechat", { query: "code", data: USER_FIELDS }),
  call("GET /api/oauth/wechat/bind", { query: "code" }),
  call("GET /api/oauth/email/bind", { query: "email code" }),
  call("GET /api/oauth/telegram/login", { query: "id first_name last_name username photo_url auth_date hash" }),
  call("GET /api/oauth/telegram/bind", { query: "id first_name last_name username photo_url auth_date hash" }),
  call("GET /api/oauth/{type}", { query: "code state", data: USER_FIELDS }),
];

const OPTIONS: readonly SurfaceCall[] = [
  call("GET /api/option", { data: "key value" }),
  call("PUT /api/option", { body: "key value" }),
  call("POST /api/option/rest_model_ratio"),
  call("DELETE /api/log", { query: "target_timestamp" }),
];

const CHANNELS: readonly SurfaceCall[] = [
  call("GET /api/channel/models_enabled"),
  call("GET /api/channel/models", { data: "id" }),
  call("GET /api/channel", { query: "p page_size id_sort tag_mode", data: "id name type" }),
  call("GET /api/channel/search", { query: "keyword group model id_sort tag_mode", data: "id name type" }),
  call("GET /api/channel/{id}", { data: "id name type models group" }),
  call("POST /api/channel", { body: CHANNEL_BODY }),
  call("PUT /api/channel", { body: `id ${CHANNEL_BODY}` }),
  call("DELETE /api/channel/{id}"),
  call("GET /api/channel/fetch_models/{id}"),
  call("POST /api/channel/fetch_models", { body: "base_url type key" }),
  call("GET /api/channel/test/{id}", { query: "model", beside: "time" }),
  call("GET /api/channel/test"),
  call("GET /api/channel/update_balance/{id}", { beside: "balance" }),
  call("GET /api/channel/update_balance"),
  call("DELETE /api/channel/disabled"),
  call("POST /api/channel/batch", { body: "ids" }),
  call("POST /api/channel/fix"),
  call("PUT /api/channel/tag", { body: "tag new_tag model_mapping groups models priority weight" }),
  call("POST /api/channel/tag/enabled", { body: "tag" }),
  call("POST /api/channel/tag/disabled", { body: "tag" }),
  call("POST /api/channel/batch/tag", { body: "ids tag" }),
];

const TOKENS_AND_CODES: readonly SurfaceCall[] = [
  call("GET /api/token", { query: "p size", data: TOKEN_FIELDS }),
  call("GET /api/token/{id}", { data: TOKEN_FIELDS }),
  call("GET /api/token/search", { query: "keyword token", data: TOKEN_FIELDS }),
  call("POST /api/token", { body: TOKEN_FIELDS }),
  call("PUT /api/token", { query: "status_only", body: `id status ${TOKEN_FIELDS}` }),
  call("DELETE /api/token/{id}"),
  call("GET /api/redemption", { query: "p page_size", data: PAGED }),
  call("GET /api/redemption/search", { query: "keyword p page_size", data: PAGED }),
  call("GET /api/redemption/{id}", { data: "id name quota status" }),
  call("POST /api/redemption", { body: "name quota count" }),
  call("PUT /api/redemption", { query: "status_only", body: "id name quota status" }),
  call("DELETE /api/redemption/{id}"),
];

const WALLET: readonly SurfaceCall[] = [
  call("POST /api/user/topup", { body: "key" }),
  call("GET /api/user/checkin", { query: "month", data: "enabled min_quota max_quota stats" }),
  call("POST /api/user/checkin", { query: "turnstile", data: "quota_awarded checkin_date" }),
  call("POST /api/user/amount", { body: "amount top_up_code" }),
  call("POST /api/user/pay", { body: "amount top_up_code payment_method", beside: "url" }),
  call("GET /api/user/epay/notify"),
  call("POST /api/user/epay/notify"),
];

const LOGS: readonly SurfaceCall[] = [
  call("GET /api/log", { query: `${LOG_FILTERS} username channel`, data: PAGED }),
  call("GET /api/log/self", { query: LOG_FILTERS, data: PAGED }),
  call("GET /api/log/stat", { query: "type username token_name model_name channel group", data: LOG_STATS }),
  call("GET /api/log/self/stat", { query: "type token_name model_name group", data: LOG_STATS }),
];

const TASK_FILTERS = "start_timestamp end_timestamp";
const DRAWINGS_AND_TASKS: readonly SurfaceCall[] = [
  call("GET /api/mj", { query: `p channel_id mj_id ${TASK_FILTERS}` }),
  call("GET /api/mj/self", { query: `p mj_id ${TASK_FILTERS}` }),
  call("GET /api/task", { query: `p channel_id task_id ${TASK_FILTERS}` }),
  call("GET /api/task/self", { query: `p task_id ${TASK_FILTERS}` }),
];

const SITE: readonly SurfaceCall[] = [
  call("GET /api/pricing", { beside: "group_ratio usable_group" }),
  call("GET /api/setup", { data: "status root_init database_type" }),
  call("POST /api/setup", { body: "username password confirmPassword SelfUseModeEnabled DemoSiteEnabled" }),
  call("GET /api/status"),
  call("GET /api/notice"),
  call("GET /api/about"),
  call("GET /api/home_page_content"),
];

export const CALLS: readonly SurfaceCall[] = [
  ...ACCOUNTS,
  ...OTHER_SITES,
  ...OPTIONS,
  ...CHANNELS,
  ...TOKENS_AND_CODES,
  ...WALLET,
  ...LOGS,
  ...DRAWINGS_AND_TASKS,
  ...SITE,
];

/** Calls that the relay answers in the upstreams' own formats. */
export const RELAY_CALLS: readonly `${Method} /${string}`[] = [
  "POST /v1/chat/completions",
  "POST /pg/chat/completions",
  "POST /pg/embeddings",
  "POST /pg/images/generations",
  "POST /pg/audio/speech",
  "POST /pg/mj/submit/imagine",
  "POST /pg/mj/submit/change",
  "POST /pg/suno/submit/music",
  "POST /pg/video/generations",
  "POST /v1/completions",
  "POST /v1/responses",
  "POST /v1/messages",
  "POST /v1/embeddings",
  "POST /v1/engines/m/embeddings",
  "POST /v1/moderations",
  "POST /v1/rerank",
  "POST /rerank",
  "POST /v1/images/generations",
  "POST /v1/images/edits",
  "POST /v1/images/variations",
  "POST /v1/audio/speech",
  "POST /v1/audio/transcriptions",
  "POST /v1/audio/translations",
  "GET /v1/realtime",
  "GET /v1/models",
  "GET /v1/models/m",
  "GET /v1beta/models",
  "POST /v1beta/models/m:generateContent",
  "POST /v1beta/models/m:streamGenerateContent",
  "POST /v1beta/models/m:embedContent",
  "POST /v1beta/models/m:batchEmbedContents",
  "POST /v1beta/models/m:predict",
  "GET /dashboard/billing/subscription",
  "GET /v1/dashboard/billing/subscription",
  "GET /dashboard/billing/usage",
  "GET /v1/dashboard/billing/usage",
  "POST /mj/submit/imagine",
  "POST /mj/submit/change",
  "POST /mj/submit/simple-change",
  "POST /mj/submit/action",
  "POST /mj/submit/modal",
  "POST /mj/submit/shorten",
  "POST /mj/submit/describe",
  "POST /mj/submit/blend",
  "POST /mj/submit/upload-discord-images",
  "POST /mj/insight-face/swap",
  "POST /mj/notify",
  "GET /mj/image/7",
  "GET /mj/task/7/fetch",
  "GET /mj/task/7/image-seed",
  "POST /mj/task/list-by-condition",
  "POST /mj-fast/mj/submit/imagine",
  "POST /suno/submit/music",
  "POST /suno/submit/lyrics",
  "POST /suno/fetch",
  "GET /suno/fetch/7",
];
