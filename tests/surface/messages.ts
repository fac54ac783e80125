/** Messages of failures and successes: the key of each text and its English. */

export interface SurfaceMessage {
  /** File of web/src/locales and the key in it. */
  key: `${string}:${string}`;
  english: string;
}

const message = (key: SurfaceMessage["key"], english: string): SurfaceMessage => ({ key, english });

const EVERYWHERE: readonly SurfaceMessage[] = [
  message("errors:expired", "Not logged in or login expired, please log in again"),
  message("errors:too_many_requests", "Too many requests, try again later"),
  message("errors:internal", "Server internal error, contact the administrator"),
  message("errors:demo_site", "This site is demo only, no backend"),
  message("errors:other", "Error: {{message}}"),
  message("shell:status.unreachable", "Unable to connect to server"),
  message("shell:status.failed", "Failed to load status"),
  message("shell:notFound.title", "Page does not exist"),
  message("shell:badge.selfUse", "Self-use mode"),
  message("shell:badge.demo", "Demo site"),
  message("ui:copy.failed", "Cannot copy to clipboard, copy manually."),
];

const ACCOUNTS: readonly SurfaceMessage[] = [
  message("sessions:expired", "Not logged in or login expired, please log in again"),
  message("sessions:fieldsMissing", "Please enter username and password"),
  message("sessions:humanCheckPending", "Please retry in a few seconds, the check is verifying the environment"),
  message("sessions:oauth.processing", "Processing"),
  message("sessions:oauth.toLogin", "Operation failed, redirecting to login page..."),
  message("sessions:oauth.bound", "Binding succeeded"),
  message("error-codes:password_short", "The password must be at least 8 characters long"),
  message("error-codes:passwords_differ", "The two passwords do not match"),
  message("personal:transfer.tooSmall", "The transfer amount minimum is {{amount}}"),
  message("personal:password.done", "Password changed"),
  message("personal:token.done", "Token reset and copied"),
  message("personal:email.sent", "Verification code sent"),
  message("personal:identities.bound", "Binding succeeded"),
  message("users:status.deregistered", "Deregistered"),
];

const SETUP: readonly SurfaceMessage[] = [
  message("setup:statusFailed", "Failed to get initialisation status"),
  message("setup:failed", "Initialisation failed, please try again"),
  message("error-codes:setup_failed", "System initialisation failed, please try again"),
  message("setup:errors.usernameMissing", "Please enter the admin username"),
  message("setup:errors.passwordShort", "Password must be at least 8 characters long"),
  message("setup:errors.passwordMismatch", "The two passwords entered do not match"),
];

const SETTINGS: readonly SurfaceMessage[] = [
  message("options:save.nothing", "You don't seem to have changed anything"),
  message("options:save.partly", "Only some changes were saved, please retry"),
  message("options:save.done", "Settings saved"),
  message("options:payment.addressFirst", "Please fill in the server address first"),
  message("options:domains.format", "The email domain format is incorrect"),
  message("options:domains.duplicate", "This domain is in the whitelist already"),
  message(
    "error-codes:discovery_failed",
    "Failed to fetch the OIDC configuration. Check the network and the well-known URL.",
  ),
  message("error-codes:update_check_failed", "Failed to check for updates. Try again later."),
  message("error-codes:invalid_field", "Please check the input"),
  message("error-codes:reason.json", "Not valid JSON: $t(ui:json.{{problem}})"),
  message("logs:clear.missing", "Please choose log record time"),
  message("logs:clear.done", "{{formatted}} logs cleared"),
  message("prices:common.nothingChanged", "You don't seem to have changed anything"),
  message("prices:common.error.exists", "Model name already exists"),
  message("prices:common.error.zero", "Model price cannot be 0"),
  message("prices:common.error.number", "Please enter a number"),
  message("prices:unpriced.selectionMissing", "Select at least one model"),
  message("prices:unpriced.valueMissing", "Please enter a value"),
];

const CHANNELS: readonly SurfaceMessage[] = [
  message("channels:form.fetchFailed", "Failed to get model list"),
  message("error-codes:channel_key_missing", "Please fill in the key"),
  message("error-codes:channel_fields_missing", "Please fill in channel name and key"),
  message("error-codes:channel_models_missing", "Please select at least one model"),
  message("channels:form.submitFailed", "Submission failed, do not resubmit"),
  message("channels:form.someKnown", "Some models already exist: {{names}}"),
  message("channels:errors.json.model_mapping", "Model mapping must be valid JSON"),
  message("channels:form.gone", "Channel not found, refresh the page"),
  message("channels:copyFailed", "Channel copy failed"),
  message("channel-editor:version.title", "Save a base URL that ends in /v1?"),
];

const TOKENS_AND_CHAT: readonly SurfaceMessage[] = [
  message("shell:chat.noToken", "You have no token that can be used. Create or enable one first."),
  message("shell:chat.wrong", "The chat link is not configured correctly, contact the administrator"),
  message("chat:redirecting", "Redirecting"),
  message("chat:broken", "Chat data parse failed. Reload the page; if it stays so, contact the administrator."),
  message("playground:expired", "Not logged in or session expired. Please login again!"),
  message("error-codes:token_name_missing", "Please enter a name"),
];

const TOP_UPS: readonly SurfaceMessage[] = [
  message("error-codes:redemption_code_missing", "Please enter a redemption code"),
  message("error-codes:top_up_off", "The administrator has not enabled online top-up"),
  message("error-codes:top_up_below_minimum", "The amount cannot be less than the minimum of {{minimum}}"),
];

export const MESSAGES: readonly SurfaceMessage[] = [
  ...EVERYWHERE,
  ...ACCOUNTS,
  ...SETUP,
  ...SETTINGS,
  ...CHANNELS,
  ...TOKENS_AND_CHAT,
  ...TOP_UPS,
];
