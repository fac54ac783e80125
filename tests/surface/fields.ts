/** The fields of requests and responses. A field may be read, written or both; a secret is only ever written. */

/** A part of a call: what it answers (`data`), what is sent (`body`); of a list's rows where it is one. */
export type CallPart = `${"GET" | "POST" | "PUT"} /api/${string} ${"data" | "body"}`;

export interface SurfaceThing {
  name: string;
  /** Where its fields stand; each has to be in one of them. */
  at: readonly CallPart[];
  fields: readonly string[];
}

const thing = (name: string, at: readonly CallPart[], fields: string): SurfaceThing => ({
  name,
  at,
  fields: fields.split(" "),
});

export const THINGS: readonly SurfaceThing[] = [
  thing(
    "user",
    ["GET /api/user data", "GET /api/user/self data"],
    "id username display_name password email github_id oidc_id wechat_id telegram_id linux_do_id quota used_quota request_count " +
      "group role status aff_count aff_quota aff_history_quota inviter_id DeletedAt setting",
  ),
  thing(
    "settings of a user",
    ["PUT /api/user/setting body"],
    "notify_type quota_warning_threshold webhook_url webhook_secret notification_email accept_unset_model_ratio_model " +
      "bark_url gotify_url gotify_token gotify_priority sidebar_modules monthly_statement record_ip_log",
  ),
  thing(
    "status",
    ["GET /api/status data"],
    "system_name logo footer_html quota_per_unit display_in_currency quota_display_type usd_exchange_rate " +
      "custom_currency_symbol custom_currency_exchange_rate enable_drawing enable_task enable_data_export chats " +
      "data_export_default_time default_collapse_sidebar default_use_auto_group HeaderNavModules SidebarModulesAdmin mj_notify_enabled chat_link chat_link2 docs_link version start_time " +
      "email_verification turnstile_check turnstile_site_key github_oauth github_client_id oidc_enabled oidc_client_id " +
      "oidc_authorization_endpoint linuxdo_oauth linuxdo_client_id wechat_login wechat_qrcode telegram_oauth telegram_bot_name " +
      "setup self_use_mode_enabled demo_site_enabled",
  ),
  thing(
    "channel",
    ["GET /api/channel/{id} data", "PUT /api/channel body"],
    "id name type key base_url other model_mapping status_code_mapping models group groups auto_ban test_model priority weight tag " +
      "setting param_override openai_organization max_input_tokens response_time balance used_quota other_info test_time " +
      "balance_updated_time status created_time",
  ),
  thing(
    "token",
    ["GET /api/token data"],
    "id name key status remain_quota used_quota unlimited_quota expired_time model_limits_enabled model_limits allow_ips group " +
      "created_time",
  ),
  thing(
    "redemption code",
    ["GET /api/redemption data", "POST /api/redemption body"],
    "id name key status quota count created_time used_user_id",
  ),
  thing(
    "log row",
    ["GET /api/log data"],
    "id created_at type channel channel_name username user_id token_name model_name group use_time is_stream prompt_tokens " +
      "completion_tokens quota content other",
  ),
  thing(
    "drawing",
    ["GET /api/mj data"],
    "id created_at submit_time finish_time channel_id action mj_id code status progress image_url prompt prompt_en fail_reason",
  ),
  thing(
    "creative task",
    ["GET /api/task data"],
    "id created_at submit_time finish_time progress channel_id platform action task_id status fail_reason",
  ),
  thing(
    "price",
    ["GET /api/pricing data"],
    "model_name quota_type model_ratio completion_ratio model_price enable_groups",
  ),
];

/** Fields of the receipt that a log row carries as JSON in `other`; what is about channels administrators alone read. */
export const RECEIPT_FIELDS: readonly string[] = (
  "model_ratio model_price group_ratio completion_ratio cache_tokens cache_ratio cache_creation_tokens upstream_model_name " +
  "is_model_mapped frt claude reasoning_effort audio_input audio_output audio_ratio audio_completion_ratio web_search " +
  "web_search_call_count web_search_price file_search file_search_call_count"
).split(" ");
