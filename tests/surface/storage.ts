/** Keys of the browser's storage that consoles of this API family share: a user who comes from another one keeps what it stored. */
export const STORED_KEYS: readonly string[] = (
  "user status system_name logo quota_per_unit display_in_currency aff channel_models page-size modelsExpanded chats theme-mode " +
  "i18nextLng default_collapse_sidebar footer_html enable_data_export enable_drawing enable_task mj_notify_enabled"
).split(" ");
